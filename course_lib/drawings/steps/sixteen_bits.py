"""Three kinds of floating-point numbers: their bits, and what they lose."""

import torch

from ..drawing import Drawing
from ..sheet import Sheet

KINDS = (torch.float32, torch.float16, torch.bfloat16)
TRIED = {"1e-8": 1e-8, "70,000": 70_000.0, "1 + 0.0003": 1.0003}
LEFT, TOP, CELL, HIGH, APART = 98, 76, 11, 38, 74
Kind = tuple[tuple[int, int], list[float]]  # bits of exponent and fraction, the tried numbers


def kinds() -> list[Kind]:
    """Of each kind how its bits are shared, and what becomes of the tried numbers."""
    found = []
    for kind in KINDS:
        info = torch.finfo(kind)
        fraction = round(-torch.tensor(info.eps).log2().item())
        tried = torch.tensor(list(TRIED.values())).to(kind).tolist()
        found.append(((info.bits - 1 - fraction, fraction), tried))
    return found


def sixteen_bits() -> Drawing:
    """A row for each kind: its bits in three colors, and the tried numbers as they come back."""
    found = kinds()
    sheet = Sheet(760, 318)
    right = LEFT + 32 * CELL + 16
    for place, name in enumerate(TRIED):
        sheet.text(right + 98 * place + 45, TOP - 22, name, bold=True)
    for number, ((exponent, fraction), tried) in enumerate(found):
        y = TOP + number * APART
        name = str(KINDS[number]).removeprefix("torch.")
        sheet.text(LEFT - 12, y + 24, name, anchor="end", bold=True)
        roles = ["purple"] + ["orange"] * exponent + ["blue"] * fraction
        sheet.grid(LEFT, y, (CELL, HIGH), [roles])
        sheet.text(
            LEFT, y + HIGH + 18, f"1 + {exponent} + {fraction} bits", size=13, anchor="start"
        )
        for place, (value, wanted) in enumerate(zip(tried, TRIED.values(), strict=True)):
            lost = abs(value - wanted) > 0.01 * abs(wanted) or (value == 1 != wanted)
            role, said = ("grey", f"{value:g}") if lost else ("green", "kept")
            sheet.box(right + 98 * place, y, 90, HIGH, role, said)
    for number, (role, part) in enumerate((("purple", "sign"), ("orange", "exponent: range"),
                                           ("blue", "fraction: digits"))):  # fmt: skip
        sheet.box(LEFT + 150 * number, 20, 18, 16, role)
        sheet.text(LEFT + 26 + 150 * number, 33, part, size=13, anchor="start")
    listed = "; ".join(
        f"{kind} {exponent} and {fraction}, {', '.join(f'{value:g}' for value in tried)}"
        for kind, ((exponent, fraction), tried) in zip(KINDS, found, strict=True)
    ).replace("torch.", "")
    return sheet.drawing(
        "sixteen_bits",
        "Two kinds of 16 bits",
        f"Bits of sign, exponent and fraction, and what becomes of {', '.join(TRIED)}. {listed}.",
        found,
    )

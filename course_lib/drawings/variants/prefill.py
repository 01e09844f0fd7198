"""Prefill and decoding: the prompt in one pass, then one row for each new token."""

from ...masks import causal_mask
from ..drawing import Drawing
from ..sheet import Sheet

PROMPT = ("a", "dog", "runs", "to")
WRITTEN = ("the", "red", "ball")
CELL, LEFT, TOP = 34, 96, 50


def passes() -> tuple[list[int], list[int]]:
    """The scores of each pass and the keys kept after it, counted in the causal mask."""
    rows = causal_mask(len(PROMPT) + len(WRITTEN))[0, 0].sum(-1).tolist()
    first = len(PROMPT)
    return [sum(rows[:first]), *rows[first:]], rows[first - 1 :]


def prefill() -> Drawing:
    """The lower triangle of all pairs, colored by pass; right, the cache after each."""
    found, words = passes(), PROMPT + WRITTEN
    n, first = len(words), len(PROMPT)
    sheet = Sheet(760, 340)
    roles = [
        ["blue"] * (row + 1) if row < first else ["green"] * row + ["orange"] for row in range(n)
    ]
    sheet.grid(LEFT, TOP, (CELL, CELL), roles)
    for place, word in enumerate(words):
        sheet.text(LEFT - 10, TOP + (place + 0.64) * CELL, word, size=13, anchor="end")
        sheet.text(LEFT + (place + 0.5) * CELL, TOP - 10, word, size=13)
    right = LEFT + n * CELL
    for number, (scores, kept) in enumerate(zip(*found, strict=True)):
        y = TOP + (1 if not number else first + number - 1) * CELL
        said = f"prefill: {first} rows, 1 pass" if not number else f"step {number}: 1 row, 1 pass"
        sheet.text(right + 20, y + 22, said, anchor="start", bold=True)
        sheet.text(right + 206, y + 22, f"{scores} scores", anchor="start", size=13)
        for key in range(kept):
            new = number and key == kept - 1
            sheet.grid(right + 288 + 18 * key, y + 8, (14, 18), [["orange" if new else "blue"]])
    sheet.text(right + 350, TOP - 10, "keys kept", bold=True)
    sheet.text(right + 20, 318, "green: read from the cache; orange: new", anchor="start", size=13)
    return sheet.drawing(
        "prefill",
        "Prefill and decoding",
        f"A triangle of {n} rows. The {first} rows of the prompt are one pass. Each further row is "
        "a pass of its own, which computes one new key and reads the others from the cache. "
        f"The keys kept after each pass: {found[1]}.",
        found,
    )

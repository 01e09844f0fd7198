"""The whole Transformer from left to right, built up in eight steps for a lecture."""

from dataclasses import dataclass

from ..architecture import Architecture, architecture
from ..drawing import Drawing
from ..sheet import Sheet

STEPS = (
    "Top row, from left to right: the words “a dog runs” become vectors in an embedding, and a "
    "plus adds their positions.",
    "Then self-attention, in which every position looks at all.",
    "Then add and norm, and a way around attention into the sum.",
    "Feed-forward with its add and norm completes one of six layers. The last returns the memory.",
    "Bottom row: the target so far, “START un chien”, goes through embedding and plus.",
    "Then masked self-attention, with add and norm and a way around.",
    "Then cross-attention; an arrow brings the memory to it as keys and values.",
    "Feed-forward completes one of six layers. A linear layer and a softmax end in the "
    "probabilities of the next word.",
)
LABELS = {
    "attention": ("self-", "attention"),
    "self_attention": ("masked", "self-", "attention"),
    "cross_attention": ("cross-", "attention"),
    "feed_forward": ("feed-", "forward"),
}
SIZE, WIDE, NORM, HIGH = 13, 78, 56, 58  # of letters; widths of a sub-layer and its norm; height
START, APART = 158, 166  # where the first sub-layer begins; from one to the next


@dataclass(frozen=True)
class Row:
    """One stack: its words, its middle line, the side of its ways around, and its steps."""

    words: tuple[str, str]
    middle: float
    outer: int
    first: int  # the step that draws the words
    parts: tuple[tuple[int, int], ...]  # the steps that draw each sub-layer and its sum


ROWS = {
    "encoder": Row(("source", "a dog runs"), 93, -1, 1, ((2, 3), (4, 4))),
    "decoder": Row(("target so far", "START un chien"), 240, 1, 5, ((6, 6), (7, 7), (8, 8))),
}


def machine(step: int) -> Drawing:
    """Everything up to this step, 1 to 8, and the outlines of what is still to come."""
    found = architecture()
    sheet = Sheet(812, 330)
    for name in ROWS:
        _stack(sheet, name, found, step)
    if step >= 4:
        _memory(sheet, step)
    if step == len(STEPS):
        _output(sheet)
    title = f"The Transformer, step {step} of {len(STEPS)}"
    return sheet.drawing(f"machine_{step}", title, " ".join(STEPS[:step]), found)


def _box(sheet: Sheet, shown: bool, x: float, y: float, wide: float, high: float,
         role: str, *lines: str) -> None:  # fmt: skip
    """A box around the middle line `y`; before its step, a faint outline."""
    if shown:
        sheet.box(x, y - high / 2, wide, high, role, *lines, size=SIZE)
    else:
        sheet.grid(x, y - high / 2, (wide, high), [["paper"]])


def _stack(sheet: Sheet, name: str, found: Architecture, step: int) -> None:
    """A row: its words, then each sub-layer with its sum."""
    row = ROWS[name]
    y, shown = row.middle, step >= row.first
    sublayers = [part for part in getattr(found, name) if not part.endswith("_residual")]
    end = START + APART * len(sublayers) - 6
    if step >= row.parts[-1][1]:
        _box(sheet, True, 141, y, end - 141, 118, "grey")
        sheet.text(end + 22, y - 44, f"× {found.n_layers}", size=16, bold=True)
    _box(sheet, shown, 14, y, WIDE, 34, "purple", "embedding")
    if shown:
        for line, word in enumerate(row.words):
            sheet.text(14, y - 66 + 17 * line, word, size=SIZE, anchor="start", bold=line == 0)
        sheet.text(100, y + 47, "positions", size=SIZE)
        sheet.arrow((53, y - 42), (53, y - 17))
        sheet.arrow((92, y), (108, y))
        sheet.arrow((119, y + 32), (119, y + 11))
        sheet.arrow((130, y), (START, y))
        sheet.plus(119, y)
    for number, part in enumerate(sublayers):
        _sublayer(sheet, row, number, part, step)


def _sublayer(sheet: Sheet, row: Row, number: int, part: str, step: int) -> None:
    """A sub-layer, its sum, and the way around."""
    x, y = START + number * APART, row.middle
    shown, summed = (step >= one for one in row.parts[number])
    role = "green" if part == "feed_forward" else "blue"
    norm = x + WIDE + 12
    _box(sheet, shown, x, y, WIDE, HIGH, role, *LABELS[part])
    _box(sheet, summed, norm, y, NORM, 44, "orange", "add", "& norm")
    if shown and number:
        sheet.arrow((x - 20, y), (x, y))
    if summed:
        way, middle = y + row.outer * 46, norm + NORM / 2
        sheet.arrow((x + WIDE, y), (norm, y))
        sheet.arrow((x - 10, y), (x - 10, way), (middle, way), (middle, y + row.outer * 22),
                    role="way", head="tip")  # fmt: skip


def _memory(sheet: Sheet, step: int) -> None:
    """The encoder's result; from step 7 on it goes down to the cross-attention."""
    y, low, end = ROWS["encoder"].middle, ROWS["decoder"].middle, START + 2 * APART
    cross, turn = START + APART + WIDE / 2, (y + low) / 2
    sheet.text(end + 44, y + 5, "memory", size=SIZE, anchor="start", bold=True)
    sheet.arrow((end - 20, y), (end + 40, y))
    if step >= 7:
        sheet.arrow((end + 70, y + 12), (end + 70, turn), (cross, turn), (cross, low - HIGH / 2))
        sheet.text(end + 78, turn + 5, "keys and values", size=SIZE, anchor="start")


def _output(sheet: Sheet) -> None:
    """From the decoder to the probabilities."""
    y, end = ROWS["decoder"].middle, START + 3 * APART
    sheet.arrow((end - 20, y), (end + 8, y))
    _box(sheet, True, end + 8, y, 54, 34, "purple", "linear")
    _box(sheet, True, end + 76, y, 66, 34, "grey", "softmax")
    sheet.arrow((end + 62, y), (end + 76, y))
    sheet.arrow((end + 109, y + 17), (end + 109, y + 40))
    for line, text in enumerate(("probabilities of", "the next word")):
        sheet.text(798, y + 58 + 17 * line, text, size=SIZE, anchor="end", bold=True)

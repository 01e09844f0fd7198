"""Learning from choices: with a reward model and a loop of drawn answers, and without (DPO)."""

from ..drawing import Drawing
from ..sheet import Sheet

Stage = tuple[str, tuple[str, ...]]  # a role and the lines of a box
ROWS: dict[str, tuple[Stage, ...]] = {
    "with a reward model (RLHF)": (
        ("grey", ("pairs that", "people chose")),
        ("green", ("reward model", "r(x, y)")),
        ("orange", ("reinforcement", "learning")),
        ("blue", ("language model", "π")),
    ),
    "without one (DPO)": (
        ("grey", ("pairs that", "people chose")),
        ("orange", ("loss of π against", "its start π_{0}")),
        ("blue", ("language model", "π")),
    ),
}
WIDE, HIGH, APART = 140, 52, 196


def feedback() -> Drawing:
    """Two rows of boxes; only the first has a way back."""
    sheet = Sheet(768, 340)
    for number, (name, stages) in enumerate(ROWS.items()):
        y = 56 + number * 176
        sheet.text(20, y - 22, name, anchor="start", bold=True)
        for place, (role, lines) in enumerate(stages):
            x = 20 + place * APART
            sheet.box(x, y, WIDE, HIGH, role, *lines)
            if place:
                sheet.arrow((x - APART + WIDE, y + HIGH / 2), (x, y + HIGH / 2))
    end, low = 20 + 3 * APART + WIDE / 2, 56 + HIGH
    judge = 20 + APART + WIDE / 2
    sheet.arrow((end, low), (end, low + 42), (judge, low + 42), (judge, low),
                role="way", head="tip")  # fmt: skip
    sheet.text((end + judge) / 2, low + 36, "its new answers, drawn and judged", size=13)
    sheet.text(20, 320, "Both start from π_{0}, and β says how far π may go.", anchor="start")
    return sheet.drawing(
        "feedback",
        "Two ways from choices to a model",
        "Above: pairs of answers train a reward model, the reward trains the language model by "
        "reinforcement learning, and its new answers go back to the reward model to be judged. "
        "Below: the pairs go directly into a loss of the language model; there is no loop.",
        ROWS,
    )

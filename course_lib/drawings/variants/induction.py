"""An induction head: one head notes the token before, another looks that note up."""

import torch

from ...masks import causal_mask
from ..drawing import Drawing
from ..sheet import Sheet

WORDS = ("START", "the", "red", "ball", "and", "the")
WIDE, APART, LEFT = 86, 100, 136


def heads() -> tuple[list[int], list[int]]:
    """Where both heads look from each position: at the place before, then at notes of its token."""
    tokens, places = torch.tensor([WORDS.index(word) for word in WORDS]), torch.arange(len(WORDS))
    later = (~causal_mask(len(WORDS))[0, 0]).float()
    back = ((places[:, None] - 1 == places).float() - later).argmax(-1)
    up = ((tokens[:, None] == tokens[back]).float() - later).argmax(-1)
    return back.tolist(), up.tolist()


def induction() -> Drawing:
    """Tokens, below them the notes of the first head, below those the look-up of the second."""
    back, up = found = heads()
    last = len(WORDS) - 1
    target = up[last]
    sheet = Sheet(752, 300)
    for y, name in ((42, "tokens"), (142, "notes")):
        sheet.text(20, y + 25, name, anchor="start", bold=True)
    for place, word in enumerate(WORDS):
        x = LEFT + place * APART
        role = "orange" if place == last else "green" if place == target else "grey"
        sheet.box(x, 42, WIDE, 38, role, word, bold=role != "grey")
        if place:
            before = LEFT + back[place] * APART + WIDE / 2
            sheet.arrow((before, 80), (x + WIDE / 2, 142))
            note = WORDS[back[place]]
            sheet.box(x, 142, WIDE, 38, "green" if place == target else "plain", note)
    x, to = LEFT + last * APART + WIDE - 12, LEFT + target * APART + WIDE / 2
    sheet.arrow((x + 12, 61), (x + 24, 61), (x + 24, 226), (to, 226), (to, 180),
                role="way", head="tip")  # fmt: skip
    sheet.text(20, 112, "head 1 looks back", anchor="start", size=13)
    sheet.text((x + to) / 2, 218, "head 2: whose note am I?", size=13)
    said = f"It copies the token there: after “{WORDS[last]}” comes “{WORDS[target]}”."
    sheet.text(x + 24, 268, said, anchor="end", bold=True)
    return sheet.drawing(
        "induction",
        "Two heads that look up",
        "Six tokens: START the red ball and the. Below each, a note with the token before it, "
        "which the first head wrote. The second head looks from the last “the” for a note that "
        f"says “the”. That note is below “{WORDS[target]}”, which is copied as the next token.",
        found,
    )

"""Speculative decoding: a small model guesses, a large one checks all guesses in one call."""

from typing import Any

import torch
from torch import Tensor, nn

from ...decoding.speculative import speculate
from ..drawing import Drawing
from ..sheet import Sheet

LARGE = "START the dog plays in a park today END".split()
SLIPS = {"dog": "runs", "runs": "on", "a": "tree", "tree": "today"}  # of the small model
WORDS = [*LARGE, *(word for word in SLIPS.values() if word not in LARGE)]
AHEAD = 4
LEFT, TOP, WIDE, HIGH, APART = 134, 58, 76, 32, 92
Call = tuple[int, list[str], list[str]]  # where it begins, the guesses, the words that it brings


class NextWord(nn.Module):
    """A language model that knows for each word the next one, and keeps what it was asked."""

    blocks = ()

    def __init__(self, slips: dict[str, str]) -> None:
        super().__init__()
        after = dict(zip(LARGE, LARGE[1:], strict=False)) | slips
        rows = [WORDS.index(after.get(word, "END")) for word in WORDS]
        self.tokens = nn.Embedding.from_pretrained(torch.eye(len(WORDS))[rows])
        self.read: list[list[int]] = []

    def forward(self, ids: Tensor, _: Any) -> Tensor:
        self.read.append(ids[0].tolist())
        return self.tokens(ids)


def calls() -> list[Call]:
    """The calls of the large model that `speculate` makes, in order."""
    large: Any = NextWord({})
    small: Any = NextWord(SLIPS)
    written, _ = speculate(large, small, [0], len(LARGE) - 1, AHEAD)
    text, begin, found = [0, *written], 1, []
    for read in large.read:
        guesses = read[begin:]
        right = [guess == word for guess, word in zip(guesses, text[begin:], strict=False)]
        end = begin + [*right, False].index(False) + 1
        brought = [WORDS[i] for i in text[begin:end]]
        found.append((begin, [WORDS[i] for i in guesses], brought))
        begin = end
    return found


def guesses() -> Drawing:
    """Two rows of words for each call; a column for each place of the text."""
    found = calls()
    sheet = Sheet(760, 366)
    for number, (begin, guessed, brought) in enumerate(found):
        y = TOP + number * APART
        sheet.text(LEFT - 12, y + 21, "small guesses", size=13, anchor="end")
        sheet.text(
            LEFT - 12, y + 21 + HIGH + 6, f"large, call {number + 1}", anchor="end", bold=True
        )
        for place, word in enumerate(guessed):
            kept = brought[place : place + 1] == [word]
            role = "green" if kept else "orange" if place < len(brought) else "plain"
            x = LEFT + (begin - 1 + place) * WIDE
            sheet.box(x + 2, y, WIDE - 4, HIGH, role, word, dashed=role == "plain")
        for place, word in enumerate(brought):
            x, own = LEFT + (begin - 1 + place) * WIDE, place == len(brought) - 1
            role = "blue" if own else "green"
            sheet.box(x + 2, y + HIGH + 6, WIDE - 4, HIGH, role, word, bold=own)
    meanings = {
        "green": "right",
        "orange": "wrong",
        "plain": "thrown away",
        "blue": "the large model's own",
    }
    for number, (role, meaning) in enumerate(meanings.items()):
        x = LEFT + 120 * number
        sheet.box(x, 18, 20, 16, role, dashed=role == "plain")
        sheet.text(x + 28, 31, meaning, size=13, anchor="start")
    words = sum(len(brought) for _, _, brought in found)
    said = f"{words} tokens in {len(found)} calls of the large model, not in {words}: the same text"
    sheet.text(380, TOP + len(found) * APART + 10, said, bold=True)
    listed = "; ".join(
        f"call {number}: guesses {', '.join(guessed)}, brings {', '.join(brought)}"
        for number, (_, guessed, brought) in enumerate(found, start=1)
    )
    return sheet.drawing(
        "guesses",
        "Guess, then check",
        f"{len(found)} calls of the large model, each below the guesses that it checks. {listed}. "
        "Guesses are kept up to the first wrong one, which the large model replaces; those after "
        f"it are thrown away. So {words} tokens take {len(found)} calls.",
        found,
    )

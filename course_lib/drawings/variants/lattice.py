"""A lattice of next words: the path that greedy search takes, and the most probable sentence."""

import math

import torch
from torch import Tensor

from ...decoding.search import Hypothesis, beam_search
from ..drawing import Drawing
from ..sheet import Sheet

WORDS = ("PAD", "UNK", "START", "END", "he", "she", "sleeps", "runs", "well")
LATTICE = {  # what may follow each prefix, with its probability
    "": {"he": 0.55, "she": 0.45},
    "he": {"sleeps": 0.40, "runs": 0.35, "END": 0.25},
    "she": {"sleeps": 0.90, "END": 0.10},
    "he sleeps": {"END": 0.60, "well": 0.40},
    "she sleeps": {"END": 0.52, "well": 0.48},
    "he runs": {"END": 1.0},
    "he sleeps well": {"END": 1.0},
    "she sleeps well": {"END": 1.0},
}
LEFT, APART, STEP, WIDE, HIGH = 20, 152, 44, 84, 32


def step(prefixes: Tensor, state: None) -> tuple[Tensor, None]:
    """The log probability of every next word, as a model gives it to a search."""
    rows = [" ".join(WORDS[token] for token in prefix[1:]) for prefix in prefixes.tolist()]
    after = [LATTICE.get(row, {"END": 1.0}) for row in rows]
    chances = [[chance.get(word, 0.0) for word in WORDS] for chance in after]
    return torch.tensor(chances).log(), state


def sentence(found: Hypothesis) -> str:
    """The words that a search has found."""
    return " ".join(WORDS[token] for token in found.tokens)


def paths() -> tuple[str, dict[str, float]]:
    """The sentence of greedy search; every sentence with its probability, best first. All have END.

    The library's beam search finds them: with a beam of 1, and of more than there are.
    """

    def found(width: int) -> dict[str, float]:
        best = beam_search(step, None, 1, width, length_penalty=0.0, n_best=width)[0]
        chances = {f"{sentence(one)} END": math.exp(one.score) for one in best}
        return {text: chance for text, chance in chances.items() if chance}

    return next(iter(found(1))), found(9)


def lattice() -> Drawing:
    """A tree from START to the right; each end has the probability of its sentence."""
    chosen, sentences = found = paths()
    best = next(iter(sentences))
    sheet = Sheet(750, 366)
    rows = iter(range(len(sentences)))

    def node(prefix: str, depth: int) -> float:
        """Draws a prefix and all that follows it; returns its height on the sheet."""
        x = LEFT + APART * depth
        follows = LATTICE.get(prefix, {})
        below = {word: node(f"{prefix} {word}".strip(), depth + 1) for word in follows}
        y = sum(below.values()) / len(below) if below else 32 + STEP * next(rows)
        for word, height in below.items():
            text = f"{prefix} {word}".strip()
            on = chosen.startswith(text)
            sheet.line((x + WIDE, y), (x + WIDE + 18, height), (x + APART, height),
                       role="way" if on else "line")  # fmt: skip
            chance = f"{follows[word]:.2f}".removeprefix("0")
            sheet.text(x + APART - 22, height - 6, chance, size=13, bold=on)
        role = next((role for role, path in (("green", best), ("orange", chosen))
                     if path.startswith(prefix)), "grey")  # fmt: skip
        ends = prefix in sentences
        word = f"{sentences[prefix]:.3f}" if ends else prefix.rpartition(" ")[2] or "START"
        sheet.box(x, y - HIGH / 2, WIDE, HIGH, role, word, bold=role != "grey")
        return y

    node("", 0)
    sheet.text(20, 340, "green: the most probable sentence", anchor="start", size=13)
    sheet.text(270, 340, "orange lines: greedy search", anchor="start", size=13)
    sheet.text(480, 340, "at an end: p of the whole sentence", anchor="start", size=13)
    return sheet.drawing(
        "lattice",
        "A lattice, and the path that greedy search takes",
        "A tree of words with the probability of each next word. Greedy search takes he, the "
        f"likelier first word: “{chosen}” has {sentences[chosen]:.3f}. "
        f"The most probable sentence, “{best}”, has {sentences[best]:.3f} and "
        "begins with she.",
        found,
    )

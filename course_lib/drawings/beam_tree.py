"""A beam as a tree: three steps, what is continued, what is finished, and what is left out."""

from __future__ import annotations

from ..decoding.search import length_penalty_factor
from .beam_example import LENGTH_PENALTY, WIDTH, WORDS, Candidate, Search, search, signed
from .drawing import Drawing
from .sheet import Sheet

NODE, HIGH, APART = 128, 32, 42  # width and height of a node; from one node to the next
LEFT, COLUMN, TOP = 120, 224, 84
ROLES = {"continued": "blue", "finished": "green", "left out": "plain"}


def beam_tree() -> Drawing:
    """One column per step; each node has its word and the total log probability of its prefix."""
    found = search()
    sheet = Sheet(760, 404)
    sheet.text(
        24,
        34,
        f"A beam of {WIDTH}: in each step all continuations compete",
        size=16,
        anchor="start",
        bold=True,
    )
    middle = TOP + 2 * APART + HIGH / 2
    sheet.box(24, middle - HIGH / 2, 70, HIGH, "blue", "START")
    ends = {"": (94.0, middle)}
    for number, candidates in enumerate(found.steps):
        left = LEFT + number * COLUMN + 26
        sheet.text(left + NODE / 2, 66, f"step {number + 1}", bold=True)
        ends |= _step(sheet, left, _in_order(candidates, ends), ends)
    x = 24.0
    for fate, said in (
        ("continued", "continued"),
        ("finished", "finished"),
        ("left out", "not continued"),
    ):
        sheet.box(x, 320, 24, 18, ROLES[fate], dashed=fate == "left out")
        sheet.text(x + 32, 334, said, anchor="start")
        x += 130
    sheet.text(736, 334, "on a line p, in a box the total of ln p", anchor="end")
    sheet.text(24, 376, f"Ranked with α = {LENGTH_PENALTY}:  {_ranking(found)}", anchor="start")
    best = " ".join(WORDS[token] for token in found.found[0].tokens)
    steps = "; ".join(
        f"step {number}: "
        + ", ".join(f"{one.prefix} {one.word}".strip() + f" is {one.fate}" for one in candidates)
        for number, candidates in enumerate(found.steps, start=1)
    )
    return sheet.drawing(
        "beam_tree",
        "A beam as a tree",
        f"Three steps of a search with a beam of {WIDTH}, best continuation first. {steps}. With a "
        f"length penalty of {LENGTH_PENALTY} the result is “{best}”.",
        found,
        found.table(),
    )


def _ranking(found: Search) -> str:
    """Every finished hypothesis with its total, its divisor and its score."""
    told = []
    for one in found.found:
        factor = length_penalty_factor(len(one.tokens), LENGTH_PENALTY)
        words = " ".join(WORDS[token] for token in one.tokens)
        told.append(f"“{words}”  {signed(one.score * factor)} ÷ {factor:.3f} = {signed(one.score)}")
    return ",   ".join(told)


def _in_order(
    candidates: tuple[Candidate, ...], ends: dict[str, tuple[float, float]]
) -> list[Candidate]:
    """Below one another as their prefixes are, so that no lines cross."""
    return sorted(candidates, key=lambda one: (ends[one.prefix][1], -one.total))


def _step(
    sheet: Sheet, x: float, candidates: list[Candidate], ends: dict[str, tuple[float, float]]
) -> dict[str, tuple[float, float]]:
    """Draws one column; returns where the lines of the next one begin."""
    made = {}
    top = TOP + (5 - len(candidates)) * APART / 2
    for place, one in enumerate(candidates):
        y = top + place * APART + HIGH / 2
        start = ends[one.prefix]
        dashed = one.fate == "left out"
        sheet.line(start, (x - 40, y), (x, y), role="plain" if dashed else "line", dashed=dashed)
        sheet.text(x - 21, y - 5, f"{one.probability:.2f}".removeprefix("0"), role="quiet")
        sheet.box(x, y - HIGH / 2, NODE, HIGH, ROLES[one.fate], dashed=dashed)
        role = "quiet" if dashed else "ink"
        sheet.text(x + 12, y + 5, one.word, anchor="start", bold=not dashed, role=role)
        sheet.text(x + NODE - 10, y + 5, signed(one.total), anchor="end", role=role)
        made[f"{one.prefix} {one.word}".strip()] = (x + NODE, y)
    return made

"""Finds what a student wrote under each question, whatever became of the notebook's cells.

The answer is all text between a question and the next known cell. Known are the starter's cells: by
their `grade_id`, their text, their heading, or, for a question, one of its lines. A cell may be of
any kind and contain several questions. Neither the question nor a placeholder is an answer.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import NamedTuple

from .notebook_file import PASTED, Cell, named

# placeholders for text that students write: the build inserts them, the grader strips them
PREDICTION = "*Your prediction, before you run the cell.*"
WRITTEN = "*Write your answer here.*"
RUBRIC = "### Rubric for "  # begins a cell of a solution
ATTACHED = "attachment:"  # how Jupyter refers to a picture of the cell
MAX_ANSWER = 20_000  # characters kept of one answer
LONG = 30  # characters of a question's line that no other text contains by accident
ELSEWHERE = -2  # the place of a known cell that is not in the starter
TEXT_MAGIC = re.compile(r"\s*%%(markdown|latex|html)\b.*\n?")
SHOWING = ("print", "display", "Markdown")
_MARKS = re.compile(r"[#*_>`]+")
_EMPTY = re.compile(r"(<!--\s*-->|-{3,}|={3,}|[#*_>`\s])*")
# "1.11.b", "Answer to 1.11 (b)": the number of an exercise or of a part at the start of a line
_NUMBER = re.compile(
    r"(?:(?:ans|answer|solution|q|question|part|exercise|task)\W{1,2})?(?:(?:to|for)\s+)?"
    r"(\w+\.\d+)(?:\.?([a-z])\b|\s*\.?\s*\(?([a-z])[):.])?"
)


class Piece(NamedTuple):
    """Lines of a cell; `place`: which cell of the starter they belong to, None if to none."""

    cell: Cell
    text: str
    place: int | None


@dataclass(frozen=True)
class Answer:
    """What was found under a question: its text, and the cells that contain it, in order.

    Without an answer, the cells are those of the question. `apart`: no cell has the question, too.
    """

    text: str = ""
    cells: tuple[Cell, ...] = ()
    apart: bool = False

    @property
    def notice(self) -> str:
        """Says where the answer is, unless it is in the one text cell of its question."""
        if not self.text:
            return ""
        places = [
            str(c.number) + ("" if c.kind == "markdown" else f" ({c.kind})") for c in self.cells
        ]
        if len(places) > 1:
            return f"in {len(places)} cells: {', '.join(places[:-1])} and {places[-1]}"
        if self.apart:
            return f"in cell {places[0]}, apart from its question"
        return "" if places[0].isdigit() else f"in cell {places[0]}"


@dataclass(frozen=True)
class Starter:
    """The cells that students were given, and how each is recognized."""

    cells: tuple[Cell, ...]
    questions: dict[int, str] = field(default_factory=dict)  # place → its placeholder
    by_id: dict[str, int] = field(default_factory=dict)  # grade_id → place
    by_text: dict[str, int] = field(default_factory=dict)
    asked: dict[int, str] = field(default_factory=dict)  # place → the words of its question
    by_heading: dict[str, int] = field(default_factory=dict)  # with and without its number
    by_number: dict[str, int] = field(default_factory=dict)  # "1.11", "1.11.a"

    @classmethod
    def of(cls, cells: Sequence[Cell]) -> Starter:
        starter = cls(tuple(cells))
        for place, cell in enumerate(cells):
            starter._learn(place, cell)
        return starter

    def _learn(self, place: int, cell: Cell) -> None:
        self.by_text[cell.source.strip()] = place
        if cell.grade_id:
            self.by_id[cell.grade_id] = place
        if cell.kind == "code":
            return
        if holder := next((p for p in (WRITTEN, PREDICTION) if p in cell.source), ""):
            self.questions[place] = holder
            self.asked[place] = _bare(cell.source.replace(holder, ""))
        first = cell.source.lstrip().partition("\n")[0]
        if first.startswith("#"):
            number, _, title = _bare(first).partition(" ")
            self.by_heading[_bare(first)] = place
            if _NUMBER.fullmatch(number):
                self.by_number[number] = place
                self.by_heading.setdefault(title, place)

    def place_of(self, line: str, first: bool) -> int | None:
        """The place of the cell that this line begins or belongs to; `first`: of its cell."""
        bare = _bare(line)
        of = [place for place, words in self.asked.items() if bare in words]
        if len(bare) >= LONG and len(of) == 1:
            return of[0]
        is_heading = line.lstrip("> ").startswith("#")
        if not (is_heading or first or line.lstrip("> ").startswith("**")):
            return None
        if line.startswith(RUBRIC):
            return ELSEWHERE
        if is_heading and bare in self.by_heading:
            return self.by_heading[bare]
        if (found := _NUMBER.match(bare)) is None:
            return None
        letter = found[2] or found[3]
        place = self.by_number.get(f"{found[1]}.{letter}", self.by_number.get(found[1]))
        return place if is_heading or place in self.questions else None

    def pieces(self, cell: Cell) -> Iterator[Piece]:
        """The lines of a cell by the question that they belong to; nothing for code."""
        text = PASTED.sub(named, cell.source)
        place = self.by_id.get(cell.grade_id)
        known = self.by_text.get(text.strip())
        if known is None and place not in self.questions:
            known = place
        if known is not None:
            yield Piece(cell, text, known)
            return
        if cell.kind == "code":
            if not is_prose(text):
                return
            text = _without_signs(text)
        lines: list[str] = []
        for line in text.splitlines(keepends=True):
            new = self.place_of(line, first=not "".join(lines).strip()) if line.strip() else None
            if new is not None and new != place:
                yield Piece(cell, "".join(lines), place)
                place, lines = new, []
            lines.append(line)
        yield Piece(cell, "".join(lines), place)

    def answers(self, cells: Sequence[Cell]) -> dict[int, Answer]:
        """The answer to each question, by its place."""
        pieces = [p for cell in cells for p in self.pieces(cell) if p.text.strip()]
        found = {piece.place for piece in pieces}
        of = {place: list[Piece]() for place in self.questions}
        loose: list[tuple[int, Piece]] = []
        at = ELSEWHERE
        for piece in pieces:
            if piece.place is not None:
                at = piece.place
            elif at in of and self._is_deleted(at + 1, found) and self._answer(at, of[at]).text:
                at += 1
            if at in of:
                of[at].append(piece)
            elif piece.place is None and at + 1 in of:
                loose.append((at + 1, piece))
        for place, piece in loose:  # above a question, or where one was deleted
            if self.questions[place] == WRITTEN and not self._answer(place, of[place]).text:
                of[place].append(piece)
        return {place: self._answer(place, own) for place, own in of.items()}

    def _is_deleted(self, place: int, found: set[int | None]) -> bool:
        return self.questions.get(place) == WRITTEN and place not in found

    def _answer(self, place: int, pieces: Sequence[Piece]) -> Answer:
        question, placeholder = self.cells[place].source, self.questions[place]
        own: dict[tuple[str, str], Piece] = {}  # a copy is no second answer
        for piece in pieces:
            if text := own_text(piece.text, question, placeholder):
                own.setdefault((text, piece.cell.attached), piece)
        cells = tuple(dict.fromkeys(piece.cell for piece in own.values() or pieces))
        texts = []
        for (text, _), piece in own.items():
            number = cells.index(piece.cell) + 1  # pictures of several cells may have one name
            texts.append(text.replace(ATTACHED, f"{ATTACHED}{number}.") if number > 1 else text)
        apart = bool(own) and all(piece.place is None for piece in own.values())
        return Answer("\n\n".join(texts)[:MAX_ANSWER], cells, apart)


def own_text(text: str, question: str, placeholder: str) -> str:
    """The text without the question that the starter contains, and without its placeholder."""
    asked = {_bare(part) for part in re.split(r"\n\s*\n", question)} - {""}
    parts = re.split(r"(\n\s*\n)", text)
    text = "".join("" if _bare(part) in asked else part for part in parts)  # wrapped otherwise, too
    asked = {_bare(line) for line in [*question.splitlines(), placeholder.rstrip(".*")]} - {""}
    lines = [line for line in text.splitlines() if _bare(line) not in asked]
    answer = "\n".join(lines).replace(placeholder, "").strip()
    return "" if _EMPTY.fullmatch(answer) else answer


def _bare(text: str) -> str:
    """The words, without Markdown's marks around them, to compare."""
    return " ".join(_MARKS.sub(" ", text).split()).casefold()


@lru_cache(maxsize=512)
def is_prose(source: str) -> bool:
    """Whether a code cell contains text: no Python, or only comments and texts, perhaps printed."""
    if TEXT_MAGIC.match(source):
        return True
    if re.search(r"^\s*[%!]{1,2}\w", source, re.MULTILINE):
        return False
    try:
        body = ast.parse(source).body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return True
    return all(map(_is_text, body))


def _is_text(node: ast.stmt) -> bool:
    """Whether a statement is a text, names one, or shows one: `print("It rises.")`."""
    if not isinstance(node, (ast.Expr, ast.Assign)):
        return False
    value = node.value
    texts = value.args if isinstance(value, ast.Call) else [value]
    shows = not isinstance(value, ast.Call) or getattr(value.func, "id", "") in SHOWING
    return shows and all(
        isinstance(text, ast.Constant) and isinstance(text.value, str) for text in texts
    )


def _without_signs(text: str) -> str:
    """What a code cell says: comments without their signs, if there is nothing else."""
    text = TEXT_MAGIC.sub("", text)
    if all(line.lstrip().startswith("#") for line in text.splitlines() if line.strip()):
        return re.sub(r"^\s*# ?", "", text, flags=re.MULTILINE)
    return text

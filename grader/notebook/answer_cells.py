"""Finds what a student wrote under each question, in text or typed into code cells.

The answer is all text between a question and the next known cell. Known are the starter's cells: by
their `grade_id`, their text, their heading, or, for a question, one of its lines. A cell may be of
any kind and contain several questions. Neither the question nor a placeholder is an answer.
"""

import ast
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import NamedTuple

from .notebook_file import PASTED, Cell, named

TEXT_MAGIC = re.compile(r"\s*%%(markdown|latex|html)\b.*\n?")
CODE_MAGIC = re.compile(r"^[ \t]*[%!]{1,2}\w", re.MULTILINE)
SIGN = re.compile(r"^[ \t]*# ?", re.MULTILINE)
SHOWING = ("print", "display", "Markdown")


@lru_cache(maxsize=512)
def text_in(source: str) -> str | None:
    """The text of a code cell, None if it is code.

    It is text if it is no Python, or nothing but comments and texts, which may be printed.
    """
    if magic := TEXT_MAGIC.match(source):
        return source[magic.end() :]
    if CODE_MAGIC.search(source):
        return None
    try:
        body = ast.parse(source).body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return source
    if not body:
        return SIGN.sub("", source)
    return source if all(map(_is_text, body)) else None


def _is_text(node: ast.stmt) -> bool:
    """Whether a statement is a text, or shows or names a sentence: `print("It rises.")`."""
    if not isinstance(node, (ast.Expr, ast.Assign)):
        return False
    value = node.value
    while isinstance(value, ast.Call) and len(value.args) == 1:
        if getattr(value.func, "id", "") not in SHOWING:
            return False
        value = value.args[0]
    if not isinstance(value, ast.Constant) or not isinstance(value.value, str):
        return False
    return value is node.value and isinstance(node, ast.Expr) or " " in value.value.strip()


# placeholders for text that students write: the build inserts them, the grader strips them
PREDICTION = "*Your prediction, before you run the cell.*"
WRITTEN = "*Write your answer here.*"
RUBRIC = "### Rubric for "  # begins a cell of a solution
ATTACHED = "attachment:"  # how Jupyter refers to a picture of the cell
MAX_ANSWER = 20_000  # characters kept of one answer
LONG = 30  # characters of a question's line that no other text contains by accident
ELSEWHERE = -2  # the place of a known cell that is not in the starter
_MARKS = re.compile(r"[#*_>`]+")
_NOTHING = re.compile(r"<!--\s*-->|-{3,}|={3,}|[#*_>`\s]")
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
    """The answer found under a question: its text, and the cells that contain it, in order.

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
    by_heading: dict[str, int] = field(default_factory=dict)
    by_title: dict[str, int] = field(default_factory=dict)  # the heading without its number
    by_number: dict[str, int] = field(default_factory=dict)  # "1.11", "1.11.a"

    @classmethod
    def of(cls, cells: Sequence[Cell]) -> "Starter":
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
                self.by_title[title] = place

    def place_of(self, line: str, first: bool) -> int | None:
        """The place of the cell that this line begins or belongs to; `first`: of its cell."""
        bare = _bare(line)
        if len(bare) >= LONG:
            of = [place for place, words in self.asked.items() if bare in words]
            if len(of) == 1:
                return of[0]
        is_heading = line.lstrip("> ").startswith("#")
        if not (is_heading or first or line.lstrip("> ").startswith("**")):
            return None
        if line.startswith(RUBRIC):
            return ELSEWHERE
        if is_heading and bare in (self.by_title | self.by_heading if first else self.by_heading):
            return self.by_heading.get(bare, self.by_title.get(bare))
        if (found := _NUMBER.match(bare)) is None:
            return None
        letter = found[2] or found[3]
        place = self.by_number.get(f"{found[1]}.{letter}", self.by_number.get(found[1]))
        return place if (is_heading and first) or place in self.questions else None

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
        prose = text_in(text) if cell.kind == "code" else text
        yield from self._split(cell, prose, place) if prose is not None else ()

    def _split(self, cell: Cell, text: str, place: int | None) -> Iterator[Piece]:
        """A text at the lines that begin something else; `place`: to begin with."""
        lines: list[str] = []
        first, fenced = True, False
        for line in text.splitlines(keepends=True):
            fenced ^= line.lstrip().startswith(("```", "~~~"))
            if line.strip() and not fenced:  # in a fence, # begins a comment
                new = self.place_of(line, first)
                if new is not None and new != place:
                    yield Piece(cell, "".join(lines), place)
                    place, lines = new, []
                first = False
            lines.append(line)
        yield Piece(cell, "".join(lines), place)

    def answers(self, cells: Sequence[Cell]) -> dict[int, Answer]:
        """The answer to each question, by its place."""
        pieces = [p for cell in cells for p in self.pieces(cell) if p.text.strip()]
        found = {piece.place for piece in pieces}
        own: dict[int, list[Piece]] = {place: [] for place in self.questions}
        answered = set[int]()
        loose: list[tuple[int, Piece]] = []  # above a question, or where one was deleted
        at = ELSEWHERE
        for piece in pieces:
            if piece.place is not None:
                at = piece.place
            elif at in answered and self.questions.get(at + 1) == WRITTEN and at + 1 not in found:
                at += 1
            if at in own:
                text = self._own_text(piece.text, at)
                own[at].append(piece._replace(text=text))
                answered |= {at} if text else set()
            elif piece.place is None and self.questions.get(at + 1) == WRITTEN:
                text = self._own_text(piece.text, at + 1)
                loose.append((at + 1, piece._replace(text=text)))
        for place, piece in loose:
            if place not in answered:
                own[place].append(piece)
        return {place: _joined(pieces) for place, pieces in own.items()}

    def _own_text(self, text: str, place: int) -> str:
        return own_text(text, self.cells[place].source, self.questions[place])


def _joined(pieces: Sequence[Piece]) -> Answer:
    """The answer in these pieces; a copy is no second one."""
    own: dict[tuple[str, str], Piece] = {}
    for piece in pieces:
        if piece.text:
            own.setdefault((piece.text, piece.cell.attached), piece)
    kept = [*own.values()]
    cells = tuple(dict.fromkeys(piece.cell for piece in kept or pieces))
    texts = []
    for piece in kept:
        number = cells.index(piece.cell) + 1  # pictures of several cells may have one name
        renamed = piece.text.replace(ATTACHED, f"{ATTACHED}{number}.")
        texts.append(renamed if number > 1 else piece.text)
    apart = bool(kept) and all(piece.place is None for piece in kept)
    return Answer("\n\n".join(texts)[:MAX_ANSWER], cells, apart)


def own_text(text: str, question: str, placeholder: str) -> str:
    """The text without the question that the starter contains, and without its placeholder."""
    asked = {_bare(part) for part in re.split(r"\n\s*\n", question)} - {""}
    parts = re.split(r"(\n\s*\n)", text)
    text = "".join("" if _bare(part) in asked else part for part in parts)  # wrapped otherwise, too
    asked = {_bare(line) for line in [*question.splitlines(), placeholder.rstrip(".*")]} - {""}
    lines = [line for line in text.splitlines() if _bare(line) not in asked]
    answer = "\n".join(lines).replace(placeholder, "").strip()
    return answer if _NOTHING.sub("", answer) else ""


def _bare(text: str) -> str:
    """The words, without Markdown's marks around them, to compare."""
    return " ".join(_MARKS.sub(" ", text).split()).casefold()

"""The form of a quiz, and the reader of `lectures/quizzes/partN.toml`.

Five kinds of questions: `single` and `multiple` choice, `bug` (code, and one right diagnosis),
`numeric`, and `shape` (of a tensor). Every wrong choice and every foreseen wrong number has its own
feedback. Text is Markdown with `$formulas$`.
"""

import hashlib
import re
from functools import cached_property
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import Field, ValidationError, model_validator

from book import CHECKOUT
from grader.course import toml
from grader.course.course_file import sentence
from grader.course.problem import Problem
from grader.course.table import Table

FOLDER = CHECKOUT / "lectures" / "quizzes"
Shape = tuple[int, ...]


class QuizError(Problem):
    """A quiz that cannot be read; the message names the file and the question."""


class Choice(Table):
    """One choice, with the feedback for choosing it (`multiple`: decides wrongly about it)."""

    text: str = Field(min_length=1)
    right: bool = False
    feedback: str = Field(min_length=10)


class WrongNumber(Table):
    """A number that a known mistake gives."""

    value: float
    feedback: str = Field(min_length=10)


class WrongShape(Table):
    """A shape that a known mistake gives."""

    value: Shape
    feedback: str = Field(min_length=10)


class QuestionBase(Table):
    """The keys of all questions: `text` asks, `code` is shown below, `why` explains the answer.

    `computed` is Python that tests run: its last line gives the number or the shape; of choices,
    it asserts what the right one says.
    """

    id: str = Field(pattern=r"^\d+\.\d+$")
    text: str = Field(min_length=10)
    code: str = ""
    why: str = Field(min_length=20)
    computed: str = ""


class ChoiceQuestion(QuestionBase):
    """A question with choices. One is right, unless the kind is `multiple`."""

    kind: Literal["single", "multiple", "bug"]
    choices: list[Choice] = Field(min_length=3)

    @cached_property
    def shuffled(self) -> list[Choice]:
        """The choices in an order that is always the same, and tells nothing about the answer."""
        return sorted(self.choices, key=lambda c: _digest(f"{self.id} {c.text}"))

    @model_validator(mode="after")
    def _answerable(self) -> "ChoiceQuestion":
        right = sum(choice.right for choice in self.choices)
        if self.kind != "multiple" and right != 1:
            raise ValueError(f"{right} choices are right: mark one with right = true")
        if self.kind == "multiple" and not 0 < right < len(self.choices):
            raise ValueError("all choices or none are right: nobody learns which to leave out")
        if len({choice.text for choice in self.choices}) < len(self.choices):
            raise ValueError("two choices have the same text: reword one")
        if self.kind == "bug" and not self.code:
            raise ValueError("a question of the kind bug shows code: add it")
        return self


class NumericQuestion(QuestionBase):
    """A question for a number, right within `tolerance` (absolute)."""

    kind: Literal["numeric"]
    answer: float
    tolerance: float = Field(default=0.0, ge=0)
    wrong: list[WrongNumber] = Field(min_length=1)
    hint: str = Field(min_length=10)  # for any other wrong number

    def is_right(self, value: float) -> bool:
        return abs(value - self.answer) <= self.tolerance + 1e-12 * abs(self.answer)

    @model_validator(mode="after")
    def _answerable(self) -> "NumericQuestion":
        for wrong in self.wrong:
            if self.is_right(wrong.value):
                raise ValueError(f"the wrong number {wrong.value:g} counts as right: change it")
        return self


class ShapeQuestion(QuestionBase):
    """A question for a tensor's shape, such as (2, 8, 5, 64)."""

    kind: Literal["shape"]
    answer: Shape
    wrong: list[WrongShape] = Field(min_length=2)
    hint: str = Field(min_length=10)

    @model_validator(mode="after")
    def _answerable(self) -> "ShapeQuestion":
        values = [self.answer, *(wrong.value for wrong in self.wrong)]
        if len(set(values)) < len(values):
            raise ValueError("a wrong shape is the right one or given twice: change it")
        return self


Question = Annotated[ChoiceQuestion | NumericQuestion | ShapeQuestion, Field(discriminator="kind")]


class Quiz(Table):
    """The quiz of one lecture part."""

    part: int = Field(ge=1)
    title: str
    questions: list[Question] = Field(min_length=1)

    @property
    def name(self) -> str:
        return f"part{self.part}"

    @model_validator(mode="after")
    def _numbered(self) -> "Quiz":
        for number, question in enumerate(self.questions, 1):
            if question.id != f"{self.part}.{number}":
                raise ValueError(
                    f"question {number} has the id {question.id}, not {self.part}.{number}: "
                    "number the questions in order"
                )
        return self


def shown_number(value: float) -> str:
    """A number as the lectures write it: 1,024, 0.125 and −2."""
    return f"{value:,.10g}".replace("-", "\N{MINUS SIGN}")


def shown_shape(shape: Shape) -> str:
    """A shape as Python shows it."""
    return str(tuple(shape))


def names(folder: Path = FOLDER) -> list[str]:
    """The names of all quizzes: part1, part2, …"""
    found = (path.stem for path in folder.glob("part*.toml"))
    return sorted(found, key=lambda name: (len(name), name))  # part 10 after part 9


def load(name: str, folder: Path = FOLDER) -> Quiz:
    """The quiz of this name. Raises QuizError: one sentence with the file and the question."""
    path = folder / f"{name}.toml"
    if not re.fullmatch(r"part\d+", name) or not path.is_file():
        raise QuizError(f"there is no quiz {name!r}; there are {', '.join(names(folder))}")
    try:
        data = toml.loads(path.read_text(encoding="utf-8"))
    except toml.TOMLDecodeError as error:
        raise QuizError(f"{path.name}: not valid TOML: {error}") from None
    try:
        return Quiz.model_validate(data)
    except ValidationError as error:
        found = error.errors()  # a misspelled key explains the missing one
        first = next((e for e in found if e["type"] == "extra_forbidden"), found[0])
        raise QuizError(f"{path.name}{_question(data, first['loc'])}: {_sentence(first)}") from None


def _question(data: Any, location: tuple[int | str, ...]) -> str:
    if len(location) < 2 or location[0] != "questions":
        return ""
    asked = data["questions"][location[1]]
    id = asked.get("id", f"number {int(location[1]) + 1}") if isinstance(asked, dict) else "?"
    return f", question {id}"


def _sentence(error: Any) -> str:
    if error["type"].startswith("union_tag"):
        return "the kind is one of single, multiple, bug, numeric, shape: write it as kind"
    return sentence(error)


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()

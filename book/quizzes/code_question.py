"""Exam questions on what the course's own code does; a program finds every answer.

    [[questions]]
    part = 2
    points = 3
    component = "course_lib.numpy_forms.attention:softmax"
    call = "softmax(np.array([0.0, 0.0]))"

asks what the call returns. With `mistake = "a1/NAME"`, or a `change` and its `sentence` as in a
record, the code is shown with one wrong line, which is to be found and mended; `call` gives the
mistake away.
"""

import ast
import importlib
import math
import tokenize
from functools import cached_property, lru_cache
from typing import Any

import numpy as np
import torch
from pydantic import Field

from book import CHECKOUT
from grader.course import mistakes, toml
from grader.course.course import Course
from grader.course.mistakes import Bug
from grader.course.problem import Problem
from grader.course.record import mistake
from grader.course.table import Table
from grader.library.components import Component

FILE = CHECKOUT / "lectures" / "teach" / "code_questions.toml"
DECIMALS = 3  # of every number in an answer


class CodeQuestionError(Problem):
    """A question whose answer cannot be found; the message says which and why."""


class CodeQuestion(Table):
    """One question; `given` are lines that run before `call`, `about` a sentence that it needs."""

    part: int = Field(ge=1)
    points: int = Field(ge=1)
    component: str = ""
    mistake: str = ""
    change: str = ""
    sentence: str = ""  # what the mistake of `change` is
    given: str = ""
    call: str
    about: str = ""

    @cached_property
    def bug(self) -> Bug | None:
        """The mistake in the code, if it has one. Raises BugError for one that does not exist."""
        if self.mistake:
            return mistakes.named(Course.here(), self.mistake)
        if not self.change:
            return None
        hunks = tuple(mistake.parse(self.change.splitlines()))
        return Bug(component=self.component, sentence=self.sentence, change=hunks)

    @property
    def of(self) -> Component:
        return Component.parse(self.bug.component if self.bug else self.component)

    @property
    def code(self) -> str:
        """The code that is shown: the bare source, perhaps with a mistake."""
        return plain(self._source(wrong=True))

    @property
    def wrong_lines(self) -> list[tuple[int, str, str]]:
        """Number in `code`, text and right text of each line with the mistake."""
        right, wrong = plain(self.of.source).splitlines(), self.code.splitlines()
        return [
            (number, said.strip(), meant.strip())
            for number, (said, meant) in enumerate(zip(wrong, right, strict=True), 1)
            if said != meant
        ]

    def returned(self, wrong: bool = True) -> str:
        """The result of `call`; `wrong`: with the mistake, if the code has one."""
        namespace = {"math": math, "np": np, "torch": torch}
        namespace |= vars(importlib.import_module(self.of.module))
        exec(self._source(wrong), namespace)
        with np.errstate(all="ignore"):  # a mistake may divide by zero
            exec(self.given, namespace)
            return _shown(eval(self.call, namespace))

    def _source(self, wrong: bool) -> str:
        source = self.of.source
        return self.bug.apply(source) if wrong and self.bug else source


@lru_cache(maxsize=1)
def load() -> tuple[CodeQuestion, ...]:
    """All questions, part by part. Raises CodeQuestionError for one that asks nothing."""
    data = toml.loads(FILE.read_text(encoding="utf-8"))
    found = sorted(map(CodeQuestion.model_validate, data["questions"]), key=lambda one: one.part)
    for one in found:
        if one.bug and len(one.wrong_lines) != 1:
            raise CodeQuestionError(f"{one.call}: {len(one.wrong_lines)} lines are wrong, not one")
        if one.bug and one.returned() == one.returned(wrong=False):
            raise CodeQuestionError(f"{one.call} gives the same with and without {one.bug.name}")
    return tuple(found)


def plain(source: str) -> str:
    """The code alone: without docstrings and comments."""
    lines = source.splitlines()
    for token in tokenize.generate_tokens(iter(source.splitlines(keepends=True)).__next__):
        if token.type == tokenize.COMMENT:
            row, column = token.start
            lines[row - 1] = lines[row - 1][:column]
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.FunctionDef | ast.ClassDef) and ast.get_docstring(node) is not None:
            said = node.body[0]
            lines[said.lineno - 1 : said.end_lineno] = [""] * len(
                lines[said.lineno - 1 : said.end_lineno]
            )
    return "\n".join(line.rstrip() for line in lines if line.strip())


def _shown(value: Any) -> str:
    """A value as an answer shows it: arrays as lists, numbers rounded."""
    return str(_rounded(value))


def _rounded(value: Any) -> Any:
    if isinstance(value, np.ndarray | np.generic | torch.Tensor):
        return _rounded(value.tolist())
    if isinstance(value, torch.Size):
        return tuple(value)
    if isinstance(value, tuple | list):
        return type(value)(map(_rounded, value))
    if isinstance(value, dict):
        return {key: _rounded(one) for key, one in value.items()}
    return round(value, DECIMALS) + 0.0 if isinstance(value, float) else value

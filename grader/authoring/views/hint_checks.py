"""Checks on hints: every exercise with code has them, they answer real bugs and quote no answer."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import suppress

from grader.course import mistakes
from grader.course.assignment import Assignment
from grader.course.exercise import Exercise

from ...library.components import BuildError, Component
from . import hints, no_leak, text_notebook

QUOTED = 3  # tokens in a row of an answer's line or expression that count as a quotation


def unfit(assignment: Assignment) -> Iterator[str]:
    """One sentence, with the file, for each thing that does not fit."""
    try:
        found = hints.load(assignment)
    except BuildError as error:
        yield str(error)
        return
    file = hints.shown(hints.path(assignment))
    code = {exercise.id: exercise for exercise in assignment.exercises if exercise.components}
    for id in code:
        if id not in found:
            yield f"{file}: exercise {id} has no hints: add a question, a direction and a shape"
    for one in found.values():
        if one.exercise not in code:
            yield f"{file}: {assignment.id} has no exercise {one.exercise} with code: remove it"
        else:
            for problem in _unfit(one, assignment, code[one.exercise]):
                yield f"{file}: {problem}"


def _unfit(one: hints.Hints, assignment: Assignment, exercise: Exercise) -> Iterator[str]:
    own = {bug.name: bug for bug in mistakes.load(assignment) if bug.exercise == exercise.id}
    for name in one.answers:
        if name not in own:
            yield f"`answers` of {exercise.id} names {name!r}, which is no bug of that exercise"
    with suppress(BuildError):  # a component that is not there is told by `whole`
        for text in one.texts:
            if found := quotations(text, exercise, assignment):
                yield f"a hint of {exercise.id} quotes the answer: {found[0]}"


def quotations(text: str, exercise: Exercise, assignment: Assignment) -> list[str]:
    """Lines and expressions of an exercise's answer that a text contains, white space aside.

    What the handout or the stub shows is no quotation, and neither is a name or a number alone.
    Raises BuildError for a component that does not exist.
    """
    shown = _tokens("\n".join([*_told(exercise, assignment), *_stubs(exercise)]))
    words = _tokens(text)
    found = []
    for reference in exercise.components:
        for piece in no_leak.pieces(Component.parse(reference).source):
            tokens = _tokens(piece)
            if len(tokens.split()) >= QUOTED and tokens in words and tokens not in shown:
                found.append(piece)
    return found


def _told(exercise: Exercise, assignment: Assignment) -> Iterator[str]:
    for cell in text_notebook.read(assignment):
        if cell.directive == "exercise" and cell.argument == exercise.id:
            yield cell.text


def _stubs(exercise: Exercise) -> Iterator[str]:
    for reference in exercise.components:
        yield Component.parse(reference).stub("")


def _tokens(text: str) -> str:
    """Words and signs with one space around each, so that `in` compares whole tokens."""
    joined = " ".join(re.findall(r"\w+|[^\w\s]", text.replace('"', "'")))
    return f" {joined} "

"""Staged hints of the exercises with code: three each, folded, in the student's notebook only."""

import re
from collections.abc import Iterator
from contextlib import suppress

from grader.course.assignment import Assignment
from grader.course.exercise import Exercise
from grader.course.record.hints import Hints

from ...course.course_file import place_in, shown
from ...library.components import BuildError, Component
from .. import likeness
from . import text_notebook

QUOTED = 3  # tokens in a row of an answer's line or expression that count as a quotation
STAGES = {"question": "a question", "direction": "a direction", "shape": "the shape of the answer"}


def cell_id(exercise: Exercise) -> str:
    """The end of the cell's id, after the assignment; other cells keep the ids they had."""
    return f"hints-{exercise.id.replace('.', '-')}"


def cell(exercise: Exercise, hints: Hints) -> str:
    """Markdown: every hint folded by itself. Blank lines, so that Markdown inside is read."""
    opening = f"**Stuck on {exercise.id}?** Open one hint, try again, then open the next."
    folded = [
        f"<details><summary>Hint {number}: {stage}</summary>\n\n{text}\n\n</details>"
        for number, (stage, text) in enumerate(
            zip(STAGES.values(), hints.texts, strict=True), start=1
        )
    ]
    return "\n\n".join([opening, *folded])


def unfit(assignment: Assignment) -> Iterator[str]:
    """One sentence, with file and line, for each exercise whose hints lack or quote an answer."""
    for exercise in (e for e in assignment.exercises if e.components):
        record = assignment.record(exercise.id)
        if exercise.hints is None:
            yield f"{shown(record)}: add [hints]: a question, a direction and a shape"
            continue
        with suppress(BuildError):  # `whole` reports a component that is not there
            for stage in STAGES:
                if found := quotations(getattr(exercise.hints, stage), exercise, assignment):
                    where = place_in(record, "hints", stage)
                    yield f"{where}: a hint quotes the answer: {found[0]}"


def quotations(text: str, exercise: Exercise, assignment: Assignment) -> list[str]:
    """Lines and expressions of an exercise's answer that a text contains, white space aside.

    What the handout or the stub shows is no quotation, and neither is a name or a number alone.
    Raises BuildError for a component that does not exist.
    """
    shown = _tokens("\n".join([*_handout(exercise, assignment), *_stubs(exercise)]))
    words = _tokens(text)
    found = []
    for reference in exercise.components:
        for piece in likeness.pieces(Component.parse(reference).source):
            tokens = _tokens(piece)
            if len(tokens.split()) >= QUOTED and tokens in words and tokens not in shown:
                found.append(piece)
    return found


def _handout(exercise: Exercise, assignment: Assignment) -> Iterator[str]:
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

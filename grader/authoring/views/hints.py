"""Staged hints of the exercises with code: three each, folded, in the student's notebook only.

They stand in `solutions/aN_hints.toml`, beside the text notebook that they belong to.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, fields
from functools import lru_cache
from pathlib import Path
from typing import Any

from grader.course import mistakes
from grader.course.assignment import Assignment
from grader.course.course_file import line_of
from grader.course.exercise import Exercise

from ...course import toml
from ...course.course_file import shown
from ...library.components import BuildError, Component
from . import no_leak, text_notebook

WORDS = 60  # at most, in one hint
QUOTED = 3  # tokens in a row of an answer's line or expression that count as a quotation
STAGES = {"question": "a question", "direction": "a direction", "shape": "the shape of the answer"}


@dataclass(frozen=True)
class Hints:
    """The hints of one exercise, in the order in which a student opens them."""

    exercise: str
    question: str
    direction: str
    shape: str
    answers: tuple[str, ...]  # the named bugs that they are written against

    @property
    def texts(self) -> tuple[str, str, str]:
        return self.question, self.direction, self.shape

    @property
    def cell_id(self) -> str:
        """What follows the assignment in the cell's id; other cells keep the ids they had."""
        return f"hints-{self.exercise.replace('.', '-')}"

    @property
    def cell(self) -> str:
        """Markdown: every hint folded by itself. Blank lines, so that Markdown inside is read."""
        opening = f"**Stuck on {self.exercise}?** Open one hint, try again, then open the next."
        folded = [
            f"<details><summary>Hint {number}: {stage}</summary>\n\n{text}\n\n</details>"
            for number, (stage, text) in enumerate(
                zip(STAGES.values(), self.texts, strict=True), start=1
            )
        ]
        return "\n\n".join([opening, *folded])


def path(assignment: Assignment) -> Path:
    """Where an assignment's hints stand."""
    source = Path(assignment.source)
    return assignment.root / source.with_name(f"{source.stem}_hints.toml")


def load(assignment: Assignment) -> dict[str, Hints]:
    """The hints of an assignment, by exercise; none if the file is not there.

    Raises BuildError, with file and line, for a file that cannot be read or a wrong entry.
    """
    return dict(_read(str(path(assignment))))


@lru_cache(maxsize=8)
def _read(file: str) -> tuple[tuple[str, Hints], ...]:
    place = Path(file)
    if not place.exists():
        return ()
    text = place.read_text(encoding="utf-8")
    try:
        entries = toml.loads(text)["hints"]
    except toml.TOMLDecodeError as error:
        raise BuildError(f"{shown(place)}: not valid TOML: {error}") from None
    except KeyError:
        raise BuildError(f"{shown(place)}: begin each exercise's hints with [[hints]]") from None
    found: dict[str, Hints] = {}
    for number, entry in enumerate(entries):
        one = _checked(entry, f"{shown(place)}, line {line_of(text, ('hints', number))}")
        if one.exercise in found:
            line = line_of(text, ("hints", number))
            raise BuildError(f"{shown(place)}, line {line}: {one.exercise} has hints already")
        found[one.exercise] = one
    return tuple(found.items())


def _checked(entry: dict[str, Any], where: str) -> Hints:
    """One entry, its lines joined. Raises BuildError for a wrong key or too many words."""
    wanted = [field.name for field in fields(Hints)]
    if wrong := sorted(set(wanted) ^ entry.keys()):
        does = "is missing" if wrong[0] in wanted else "is unknown"
        raise BuildError(f"{where}: the key {wrong[0]!r} {does}; hints have {', '.join(wanted)}")
    texts = {stage: " ".join(entry[stage].split()) for stage in STAGES}
    for stage, text in texts.items():
        if not 0 < len(text.split()) <= WORDS:
            raise BuildError(f"{where}: `{stage}` has {len(text.split())} words: give 1 to {WORDS}")
    return Hints(exercise=entry["exercise"], answers=tuple(entry["answers"]), **texts)


def unfit(assignment: Assignment) -> Iterator[str]:
    """One sentence, with the file, for each thing that does not fit."""
    try:
        found = load(assignment)
    except BuildError as error:
        yield str(error)
        return
    file = shown(path(assignment))
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


def _unfit(one: Hints, assignment: Assignment, exercise: Exercise) -> Iterator[str]:
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
    shown = _tokens("\n".join([*_handout(exercise, assignment), *_stubs(exercise)]))
    words = _tokens(text)
    found = []
    for reference in exercise.components:
        for piece in no_leak.pieces(Component.parse(reference).source):
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

"""Named mistakes: wrong submissions that prove the grader, made from the right source.

Those of an exercise stand beside its hidden tests, in `mistakes.toml`: a table each, named by its
id. A `component` at the top of the file is that of every mistake without one of its own.
"""

from __future__ import annotations

import itertools
import json
from dataclasses import MISSING, dataclass, fields
from functools import lru_cache
from pathlib import Path
from typing import Any

from . import toml
from .assignment import Assignment
from .course import Course
from .course_file import line_of, shown
from .problem import Problem

FILE = "mistakes.toml"


class BugError(Problem):
    """A named mistake that does not fit the source it is about."""


@dataclass(frozen=True)
class Bug:
    """One realistic mistake in one component. Which tests catch it is found by asking it."""

    name: str  # its id
    exercise: str
    component: str  # "course_lib.numpy_forms.attention:softmax"
    sentence: str  # what students read; {…} varies
    find: str
    replace: str
    pins: tuple[str, ...] = ()  # sentences of the starter that fix this behavior
    why: str = ""  # no visible test can be of what is pinned

    def apply(self, source: str) -> str:
        """The source with the mistake made. Raises BugError unless `find` occurs once."""
        count = source.count(self.find)
        if count != 1:
            raise BugError(
                f"{self.name}: `find` occurs {count} times in {self.component}, not once"
            )
        return source.replace(self.find, self.replace)


OF_A_RECORD = {  # the keys of a mistake, and whether it must have them
    field.name: field.default is MISSING
    for field in fields(Bug)
    if field.name not in ("name", "exercise")
}


def path_of(assignment: Assignment, exercise: str) -> Path:
    """The file of an exercise's named mistakes."""
    return assignment.hidden_folder(exercise) / FILE


def load(assignment: Assignment) -> list[Bug]:
    """All named mistakes of an assignment, by id. Raises BugError for a wrong key or id."""
    found: list[Bug] = []
    for exercise in assignment.exercises:
        path = path_of(assignment, exercise.id)
        found += _read(path, exercise.id) if path.exists() else ()
    found.sort(key=lambda bug: bug.name)
    for one, other in itertools.pairwise(found):
        if one.name == other.name:
            path = path_of(assignment, other.exercise)
            line = line_of(path.read_text(encoding="utf-8"), (other.name,))
            raise BugError(
                f"{shown(path)}, line {line}: {one.exercise} has a mistake {one.name!r} too: "
                "rename one"
            )
    return found


def named(course: Course, reference: str) -> Bug:
    """The mistake "a2/layer_norm_unbiased". Raises BugError if there is none."""
    id, _, name = reference.partition("/")
    assignments = [assignment for assignment in course.graded if assignment.id == id]
    found = next((bug for a in assignments for bug in load(a) if bug.name == name), None)
    if found is None:
        raise BugError(f"there is no named bug {reference}")
    return found


def sentences(path: Path) -> dict[str, str]:
    """The sentence of each mistake of a file, by id. Raises BugError if it is no such file."""
    tables = _tables(path.read_text(encoding="utf-8"), path)
    return {id: keys.get("sentence", "") for id, keys in tables.items() if isinstance(keys, dict)}


def sentences_alone(path: Path) -> str:
    """The text of a file that has the sentences of another, and nothing of the mistakes."""
    lines = (
        f"{id}.sentence = {json.dumps(text, ensure_ascii=False)}\n"
        for id, text in sentences(path).items()
    )
    return "".join(lines)


@lru_cache(maxsize=128)  # a judge asks for them with every submission
def _read(path: Path, exercise: str) -> tuple[Bug, ...]:
    text = path.read_text(encoding="utf-8")
    tables = _tables(text, path)
    shared = {"component": tables.pop("component")} if "component" in tables else {}
    return tuple(
        Bug(name=id, exercise=exercise, **_checked(shared, keys, id, text, path))
        for id, keys in tables.items()
    )


def _tables(text: str, path: Path) -> dict[str, Any]:
    try:
        return toml.loads(text)
    except toml.TOMLDecodeError as error:
        raise BugError(f"{shown(path)}: not valid TOML: {error}") from None


def _checked(shared: dict[str, Any], keys: Any, id: str, text: str, path: Path) -> dict[str, Any]:
    """The fields of one mistake. Raises BugError for a wrong key."""
    if not isinstance(keys, dict):
        keys, id = {id: keys}, ""
    place = (id,) if id else ()
    if unknown := sorted(keys.keys() - OF_A_RECORD.keys()):
        line = line_of(text, (*place, unknown[0]))
        raise BugError(
            f"{shown(path)}, line {line}: unknown key {unknown[0]!r}: correct its spelling; "
            f"a mistake has {', '.join(OF_A_RECORD)}"
        )
    found = shared | keys
    if missing := [name for name, needed in OF_A_RECORD.items() if needed and name not in found]:
        line = line_of(text, place)
        raise BugError(f"{shown(path)}, line {line}: {id} has no key {missing[0]!r}: add it")
    return found | ({"pins": tuple(found["pins"])} if "pins" in found else {})

"""Named mistakes: wrong submissions that prove the grader, made from the right source."""

from __future__ import annotations

import sys
from dataclasses import dataclass, fields
from functools import lru_cache
from pathlib import Path

from .course import Assignment, Course, shown
from .problem import Problem
from .toml_lines import line_of

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib


class BugError(Problem):
    """A bug file that does not fit the source it is about."""


@dataclass(frozen=True)
class Bug:
    """One realistic mistake in one component, and the test and hint that catch it."""

    name: str
    component: str  # "course_lib.numpy_forms.attention:softmax"
    exercise: str
    title: str
    find: str
    replace: str
    test: str  # "test_1_1_softmax.py::test_large_values"
    hint: str

    def apply(self, source: str) -> str:
        """The source with the mistake made. Raises BugError unless `find` occurs once."""
        count = source.count(self.find)
        if count != 1:
            raise BugError(
                f"{self.name}: `find` occurs {count} times in {self.component}, not once"
            )
        return source.replace(self.find, self.replace)


def folder(assignment: Assignment) -> Path:
    """Where an assignment's named bugs stand, a file each."""
    return assignment.hidden / "bugs" / assignment.id


def load(assignment: Assignment) -> list[Bug]:
    """All named bugs of an assignment, by name. Raises BugError for a file with a wrong key."""
    return list(_read(folder(assignment)))


def named(course: Course, reference: str) -> Bug:
    """The bug "a2/layer_norm_unbiased". Raises BugError if there is none."""
    id, _, name = reference.partition("/")
    assignments = [assignment for assignment in course.graded if assignment.id == id]
    found = next((bug for a in assignments for bug in load(a) if bug.name == name), None)
    if found is None:
        raise BugError(f"there is no named bug {reference}")
    return found


@lru_cache(maxsize=16)  # a judge asks for them with every submission
def _read(folder: Path) -> tuple[Bug, ...]:
    found = []
    for path in sorted(folder.glob("*.toml")):
        text = path.read_text(encoding="utf-8")
        try:
            keys = tomllib.loads(text)
        except tomllib.TOMLDecodeError as error:
            raise BugError(f"{shown(path)}: not valid TOML: {error}") from None
        wanted = {field.name for field in fields(Bug)} - {"name"}
        if unknown := sorted(keys.keys() - wanted):
            line = line_of(text, (unknown[0],))
            raise BugError(
                f"{shown(path)}, line {line}: unknown key {unknown[0]!r}: correct its spelling; "
                f"a bug has {', '.join(sorted(wanted))}"
            )
        if missing := sorted(wanted - keys.keys()):
            raise BugError(f"{shown(path)}, line 1: the key {missing[0]!r} is missing: add it")
        found.append(Bug(name=path.stem, **keys))
    return tuple(found)

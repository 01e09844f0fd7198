"""Writes the library that students and workers see, with unreleased components as stubs.

Components of exercises that are not released yet are stubbed as in the starter. A module that
imports such a component without being an exercise itself (a fast form, say) is left out, because it
would show how the component is used. An assignment that builds on an earlier one whose answers are
not out yet gets stand-ins for them, backed by `torch.nn`.
"""

import ast
import datetime
import json
import shutil
from collections.abc import Collection, Iterable
from functools import cache
from pathlib import Path

from grader.course.assignment import Assignment
from grader.course.course import Course

from ..course.course_file import EXAM_FILE
from ..course.record.files import EXPORTED
from ..course.tree import FILE
from .components import Component, defined, module_text, stubbed

ENGINE = Path(__file__).resolve().parents[1]
GRADER = ("checking", "course", "notebook", "seam", "student")  # what students get of the grader


def unreleased(course: Course, released: Iterable[str] = ()) -> dict[str, str]:
    """Components whose answers are not out, each with its exercise, or "" for a reserved one.

    `released` are assignments whose last late day is over.
    """
    open_assignments = [a for a in course.assignments if a.id not in set(released)]
    return dict.fromkeys(course.facts.reserved, "") | {
        component: exercise.id
        for assignment in open_assignments
        for exercise in assignment.exercises
        for component in exercise.components
    }


def released_code(course: Course, released: Iterable[str]) -> str:
    """The source of the components of these assignments, which students may have."""
    assignments = [course.assignment(id) for id in released]
    references = [c for a in assignments for e in a.exercises for c in e.components]
    return "\n\n".join(Component.parse(reference).source for reference in references)


def released_before(course: Course, id: str) -> list[str]:
    """Assignments whose answers are out when assignment `id` is released, late days included.

    For the exam, none: it asks for some of them again.
    """
    if course.is_exam(id):
        return []
    begins = course.assignment(id).released
    return _released_by(course, begins)


def released_in_week(course: Course, week: int) -> list[str]:
    """Assignments whose answers are out when a week of the course begins, late days included."""
    begun = [a for a in course.assignments if a.week <= week] or course.assignments[:1]
    latest = max(begun, key=lambda assignment: assignment.week)
    begins = latest.released + datetime.timedelta(weeks=week - latest.week)
    return _released_by(course, begins)


def _released_by(course: Course, day: datetime.date) -> list[str]:
    return [
        assignment.id
        for assignment in course.assignments
        if assignment.due.date() + datetime.timedelta(days=assignment.late_days) < day
    ]


def write(course: Course, folder: Path, assignment: str = "", released: Iterable[str] = ()) -> Path:
    """Write the students' library for `assignment` into `folder` and return its path.

    `released` are assignments whose answers are out. Without `assignment`, or for the exam, no
    stand-ins.
    """
    hidden = unreleased(course, released)
    target = folder / course.facts.library
    target.mkdir(parents=True)
    for name in course.facts.shared:
        _copy(course.root / target.name / name, target / name)
    _write_engine(course, folder)
    stand_ins = _stand_ins(course, hidden, assignment)
    needed = course.assignment(assignment).needs if stand_ins else ()
    for name, text in _importable(course, modules(course, hidden, needed), stand_ins).items():
        path = folder.joinpath(*name.split(".")).with_suffix(".py")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    _copy_data(course, folder)
    exam = course.exam if course.is_exam(assignment) else None
    given = [*course.assignments, *course.labs, *([exam] if exam else [])]
    (folder / EXPORTED).write_text(exercises(given), encoding="utf-8")
    if (course.root / "data").is_dir():
        shutil.copytree(course.root / "data", folder / "data")
    if exam:
        shutil.copy(course.root / EXAM_FILE, folder)
    for other in [exam] if exam else [*course.assignments, *course.labs]:
        for path in other.public_tests:
            copy = folder / path.relative_to(course.root)
            copy.parent.mkdir(parents=True, exist_ok=True)
            for one in (path, path.with_suffix(".json")):
                if one.exists():
                    shutil.copy(one, copy.parent)
    return target


def write_whole(course: Course, folder: Path) -> None:
    """Write the library without a stub for workers that run only the course's own code."""
    for package in course.libraries:
        _copy(package, folder / package.name)
    _write_engine(course, folder)


def _write_engine(course: Course, folder: Path) -> None:
    """Write what students and workers get of the grader, and the course's facts."""
    for name in GRADER:
        _copy(ENGINE / name, folder / ENGINE.name / name)
    shutil.copy(ENGINE / "__init__.py", folder / ENGINE.name)
    shutil.copy(course.root / FILE, folder)


def _copy_data(course: Course, folder: Path) -> None:
    """Copy the tables, templates and styles beside and below the modules in `folder`."""
    for path in (path for package in course.libraries for path in package.rglob("*.*")):
        if path.suffix in (".py", ".pyc", ".md"):
            continue
        package = next(folder for folder in path.parents if any(folder.glob("*.py")))
        if (folder / package.relative_to(course.root)).is_dir():
            place = folder / path.relative_to(course.root)
            place.parent.mkdir(exist_ok=True)
            shutil.copy(path, place)


def exercises(assignments: Iterable[Assignment]) -> str:
    """The text of `exercises.json`: what students may know of the exercises of assignments."""
    facts = {one.id: [e.for_students() for e in one.exercises] for one in assignments}
    return json.dumps(facts, ensure_ascii=False, indent=1) + "\n"


def _copy(package: Path, to: Path) -> None:
    shutil.copytree(package, to, ignore=shutil.ignore_patterns("__pycache__"))


def _stand_ins(course: Course, hidden: dict[str, str], assignment: str) -> dict[str, str]:
    """The text of every stand-in, by its module's name, for what `assignment` builds on.

    There is one for a module with a component of an earlier assignment whose answer is not out, and
    for one that is out itself but uses such a component.
    """
    ids = [a.id for a in course.assignments]
    earlier = ids[: ids.index(assignment)] if assignment in ids else []
    there = modules(course, hidden) if earlier else {}
    closed: dict[str, dict[str, str]] = {}  # module → component → exercise, or ""
    for reference, exercise in hidden.items():
        component = Component.parse(reference)
        closed.setdefault(component.module, {})[component.name] = exercise
    found = {}
    for path in sorted((course.hidden / "stand_ins").rglob("[!_]*.py")) if earlier else ():
        inside = path.relative_to(course.hidden / "stand_ins").with_suffix("")
        name = ".".join([course.facts.library, *inside.parts])
        own = closed.get(name, {})
        if name not in there or any(
            e and course.assignment_of(e).id in earlier for e in own.values()
        ):
            found[name] = _completed(name, path.read_text(encoding="utf-8"), own)
    return found


def _completed(module: str, stand_in: str, components: Iterable[str]) -> str:
    """A stand-in with stubs of the components that it does not define, so that imports succeed."""
    stubs = [
        f"def {name}(*_, **__):\n"
        f'    raise NotImplementedError("{name} is not in this release yet: copy your own here")\n'
        for name in sorted({*components} - defined(module, stand_in))
    ]
    return "\n\n".join([stand_in, *stubs])


def sources(course: Course) -> dict[str, Path]:
    """The file of every module of the library and its extensions that is not shared, by name."""
    shared = [course.root / course.facts.library / name for name in course.facts.shared]
    return {
        ".".join(path.relative_to(course.root).with_suffix("").parts): path
        for package in course.libraries
        for path in sorted(package.rglob("*.py"))
        if not any(path.is_relative_to(folder) for folder in shared)
    }


def modules(course: Course, hidden: dict[str, str], needed: Collection[str] = ()) -> dict[str, str]:
    """The text of every module that students get, by its name.

    Those in `needed` they get although these call answers, in whose place there are stand-ins.
    """
    there = sources(course)
    closed = {Component.parse(reference).module for reference in hidden}
    closed &= there.keys()  # a copy may lack some
    absent = {reference.replace(":", ".") for reference in hidden}
    texts = {n: path.read_text(encoding="utf-8") for n, path in there.items() if n not in closed}
    while left_out := {
        name for name, text in texts.items() if name not in needed and _imports(name, text) & absent
    }:
        absent |= left_out
        texts = {name: text for name, text in texts.items() if name not in left_out}
    return texts | {name: stubbed(name, hidden) for name in closed}


def _importable(course: Course, texts: dict[str, str], stand_ins: dict[str, str]) -> dict[str, str]:
    """The modules and stand-ins, without commands of instructors.

    Nor is there a module that imports what is in none of them: a stub of an assignment that builds
    on answers which are not out, say.
    """
    texts = texts | stand_ins
    absent = {
        f"{name}.{lacking}"
        for name, text in stand_ins.items()
        for lacking in defined(name, module_text(name).text) - defined(name, text)
    }
    absent |= sources(course).keys() - texts.keys()
    absent |= {command.partition(":")[0] for command in course.facts.commands.values()}
    texts = {name: text for name, text in texts.items() if name not in absent}
    while left_out := {name for name, text in texts.items() if _imports(name, text) & absent}:
        absent |= left_out
        texts = {name: text for name, text in texts.items() if name not in left_out}
    return texts


@cache  # it is asked several times of each module, for each assignment
def _imports(name: str, text: str) -> frozenset[str]:
    """The imports of the module `name`: modules, and `module.thing`s."""
    found, nodes = set[str](), [*ast.parse(text).body]
    for node in nodes:
        if isinstance(node, ast.ImportFrom):
            above = name.split(".")[: -node.level] if node.level else []
            base = ".".join([*above, *filter(None, [node.module])])
            found |= {base, *(f"{base}.{alias.name}" for alias in node.names)}
        for part in ("body", "orelse", "finalbody", "handlers", "cases"):  # no import is elsewhere
            nodes += getattr(node, part, ())
    return frozenset(found)

"""The class of a played term: on time, late, twice, extended, broken, hostile, copied, missing.

Everything is generated, in nbgrader's layout with its `timestamp.txt`: the notebooks, a roster, and
the files that Canvas and Moodle would export for this class.
"""

import csv
import datetime
import io
from collections.abc import Sequence
from pathlib import Path

from autograder.demo.disguises import laid_out_anew, reordered
from grader.authoring.proof import cases
from grader.course import mistakes
from grader.course.assignment import Assignment
from grader.course.course import Course
from grader.library.components import Component

from .bundled_class import built

SITUATIONS = (
    "right", "mistaken", "late", "twice", "extended", "broken", "hostile", "copied", "waived",
    "variant", "untouched", "missing", "excused",
)  # fmt: skip
TERMS = {"extended": "+2", "waived": "waived", "excused": "excused"}
LATE = datetime.timedelta(hours=30)  # two days are counted
EARLY = datetime.timedelta(hours=-1)


def situation(number: int) -> str:
    """The situation of the student with this number, from 0 on."""
    return SITUATIONS[number % len(SITUATIONS)]


def student(number: int) -> str:
    return f"s{number + 1:02}-{situation(number)}"


def write(folder: Path, course: Course, ids: Sequence[str], size: int) -> None:
    """Write `submitted/`, `roster.csv`, `canvas.csv` and a `moodle-ID.csv` for each assignment."""
    for id in ids:
        _hand_in(folder / "submitted", course, course.assignment(id), size)
    people = [(student(n), f"Student {n + 1}", 1000 + n, 500 + n) for n in range(size)]
    rows = [[*row, *[TERMS.get(situation(n), "")] * len(ids)] for n, row in enumerate(people)]
    _csv(folder / "roster.csv", [["student", "name", "canvas", "moodle", *ids], *rows])
    titles = [f"{id.upper()} ({70 + n})" for n, id in enumerate(ids)]
    head = ["Student", "ID", "SIS User ID", "SIS Login ID", "Section", *titles]
    canvas = [[name, number, "", "", "", *[""] * len(ids)] for _, name, number, _ in people]
    points = ["Points Possible", "", "", "", "", *["100"] * len(ids)]
    _csv(folder / "canvas.csv", [head, points, *canvas])
    columns = ["Identifier", "Full name", "Email address", "Status", "Grade", "Maximum Grade"]
    columns += ["Grade can be changed", "Last modified (grade)", "Feedback comments"]
    for id in ids:
        lines = [
            [f"Participant {number}", name, "", "", "", "100.00", "Yes", "-", ""]
            for _, name, _, number in people
        ]
        _csv(folder / f"moodle-{id}.csv", [columns, *lines])


def _hand_in(folder: Path, course: Course, assignment: Assignment, size: int) -> None:
    for number in range(size):
        kind = situation(number)
        if kind in ("missing", "excused"):
            continue
        place = folder / student(number) / assignment.id
        place.mkdir(parents=True)
        data = _notebook(kind, course, assignment, number)
        place.joinpath(f"{assignment.id}.ipynb").write_bytes(data)
        if kind == "twice":
            older = place / "before"
            older.mkdir()
            starter = _notebook("untouched", course, assignment, number)
            older.joinpath(f"{assignment.id}.ipynb").write_bytes(starter)
        late = kind in ("late", "extended", "waived")
        received = assignment.due + (LATE if late else EARLY)
        utc = received.astimezone(datetime.timezone.utc)
        place.joinpath("timestamp.txt").write_text(f"{utc:%Y-%m-%d %H:%M:%S.%f} UTC")
        for name, content in cases.handed_in(assignment).items():
            place.joinpath(name).write_bytes(content)


def _notebook(kind: str, course: Course, assignment: Assignment, number: int) -> bytes:
    if kind == "broken":
        return b'{"cells": [{"cell_type": "code", "source'
    sources = {} if kind == "untouched" else _sources(kind, assignment, number)
    return built(course, assignment, sources, "18_searches_disk" if kind == "hostile" else "")


def _sources(kind: str, assignment: Assignment, number: int) -> dict[str, str]:
    """The reference; another right way; or one with a mistake, and the disguised copy of it."""
    found = {c: Component.parse(c).source for e in assignment.exercises for c in e.components}
    ways, wrong = cases.variants(assignment), mistakes.load(assignment)
    if kind == "variant":
        return found | ways[0].replace
    if kind in ("mistaken", "copied"):
        turn = number // len(SITUATIONS)
        bug = wrong[turn % len(wrong)]
        mistaken = bug.apply(found[bug.component])
        found |= ways[1 + turn % (len(ways) - 1)].replace | {bug.component: mistaken}
    return laid_out_anew(reordered(found)) if kind == "copied" else found


def copies(size: int) -> list[set[str]]:
    """In a class of this size, each student who copied, with the one whose work it was."""
    first, second = SITUATIONS.index("mistaken"), SITUATIONS.index("copied")
    rounds = range(0, size - second, len(SITUATIONS))
    return [{student(start + first), student(start + second)} for start in rounds]


def _csv(path: Path, rows: Sequence[Sequence[object]]) -> None:
    text = io.StringIO(newline="")
    csv.writer(text, lineterminator="\r\n").writerows(rows)
    path.write_text(text.getvalue(), encoding="utf-8", newline="")

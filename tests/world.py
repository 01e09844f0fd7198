"""One world for the grader's tests: a course, its class in a folder, its grades, commands on them.

Every test that asks for the fixture `world` gets a folder of its own; a file of tests that grades
once makes its `World` in a module's fixture. `sample_results.sample` makes the results, the
functions here change them.
"""

import csv
import io
import json
import os
import zipfile
from pathlib import Path

import in_process
from checkout import EMPTY, place
from sample_results import COURSE, sample

from grader.classroom.roster import Roster
from grader.cli import main
from grader.cli.output import code_and_message
from grader.gradebook.lateness import moment
from grader.gradebook.manual import ManualMark, ManualMarks
from grader.gradebook.store import Store
from grader.grading import class_run

A1 = COURSE.assignment("a1")
OUT_COMES_FIRST = ("report",)  # `course report OUT`, where others have `--out OUT`


class World:
    """A folder with what students handed in (`class`), and the results (`out`)."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.submitted, self.out = folder, folder / "class", folder / "out"

    # What is there before a command runs.

    def file(self, name: str, content: str | bytes = "") -> Path:
        """A file of the instructor's: a roster, marks, a table of a platform."""
        return place(self.folder / name, content)

    def hand_in(self, name: str, content: str | bytes = EMPTY, saved: str = "") -> Path:
        """A file of the class's folder; `saved` is its date."""
        path = place(self.submitted / name, content)
        if saved:
            os.utime(path, (moment(saved).timestamp(),) * 2)
        return path

    def roster(self, text: str, course=COURSE) -> Roster:
        """What the grader reads in a roster of these lines, which is `roster.csv` from now on."""
        return Roster.read(self.file("roster.csv", text), course)

    # The results.

    def store(self) -> Store:
        return Store(self.out / "results.db")

    def add(self, *results) -> "World":
        """Store results; a text is the name of a student with all points."""
        with self.store() as store:
            for result in results:
                store.add(sample(result) if isinstance(result, str) else result)
        return self

    def mark(self, *rows, marker: str = "") -> "World":
        with self.store() as store:
            store.keep(marks(*rows), marker)
        return self

    # Commands, in this process, on those results.

    def run(self, *words, code: int = 0):
        """A command of the course, which ends with this code; its output, as of a process."""
        done = in_process.run(main, *self._on_the_results(*words))
        assert done.returncode == code, (done.stdout[-800:], done.stderr[-2000:])
        return done

    def json(self, *words):
        return json.loads(self.run(*words, "--json").stdout)

    def refused(self, *words, code: int = 2) -> str:
        """The one sentence with which a command ends."""
        ended = in_process.course(*self._on_the_results(*words))
        found, text = code_and_message(ended.exception)
        assert (found, "\n" in text) == (code, False), (found, text)
        return text

    def _on_the_results(self, command, *words):
        out = (self.out,) if command in OUT_COMES_FIRST else ()
        return (command, *out, *words, *(() if out else ("--out", self.out)))

    def read(self, name: str) -> str:
        """A file that a command wrote."""
        return (self.out / name).read_text(encoding="utf-8")

    def rows(self, name: str = "grades.csv") -> dict[str, dict[str, str]]:
        """A table that a command wrote, by student."""
        return {row["student"]: row for row in table(self.read(name))}

    def results(self) -> dict[str, dict]:
        """The file `results.json`, by student; of one assignment."""
        return {result["student"]: result for result in json.loads(self.read("results.json"))}


def table(text: str, delimiter: str = ",") -> list[dict[str, str]]:
    """The rows of a CSV, each by its columns."""
    return list(csv.DictReader(io.StringIO(text), delimiter=delimiter))


def lines(*rows: str) -> str:
    """A file with these lines."""
    return "".join(f"{row}\n" for row in rows)


def notebook(*sources: str, **facts) -> str:
    """A notebook of these code cells."""
    cells = [{"cell_type": "code", "metadata": {}, "source": source} for source in sources]
    return json.dumps({"cells": cells, "metadata": {}, "nbformat": 4} | facts, indent=1)


def packed(files: dict[str, str | bytes], method: int = zipfile.ZIP_DEFLATED) -> bytes:
    """A zip file."""
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w", method) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return data.getvalue()


# Results that differ from `sample` in one respect.


def handed_in(student="ada", result=None, **facts):
    """A result whose submission has another file, hash, time or clock."""
    result = result or sample(student)
    changed = result.submission.model_copy(update=facts)
    return result.changed(COURSE.assignment(result.assignment), submission=changed)


def with_parts(result, change, **facts):
    """A result whose written parts are changed: `change` is a dict, or makes one for a part."""
    of = change if callable(change) else lambda part: change
    exercises = [
        e.model_copy(update={"parts": [p.model_copy(update=of(p)) for p in e.parts]})
        if e.parts
        else e
        for e in result.exercises
    ]
    return result.changed(COURSE.assignment(result.assignment), exercises=exercises, **facts)


def marks(*rows) -> ManualMarks:
    """Marks by hand, each (student, item, points, comment); the comment may be left out."""
    return ManualMarks(
        COURSE,
        {(student, f"a{item[0]}", item): ManualMark(*of) for student, item, *of in rows},
    )


def judge(monkeypatch, make):
    """Let `course grade` store what `make` returns for each submission; none of them is run."""

    def grade_class(submissions, course, store, settings):
        for submission in submissions:
            result = make(submission)
            store.add(result)
            yield result

    monkeypatch.setattr(class_run, "grade_class", grade_class)

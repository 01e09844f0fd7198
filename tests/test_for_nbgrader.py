"""A course run with nbgrader: made for it, graded in our sandbox, shown by its own commands."""

import csv
import json
import shutil

import pytest
from typer.testing import CliRunner

from autograder import bugs
from autograder.cli.app import app
from autograder.for_nbgrader import command, course_folder, gradebook
from autograder.gradebook.store import Store
from autograder.notebook import grade_ids, placeholders
from autograder.release import no_leak, notebooks
from autograder.release.components import Component

BUG = "attention_mask_ignored"
ANSWER = "Without the factor, the softmax saturates."


class CourseFolder:
    """An nbgrader course folder, and nbgrader's own commands in it."""

    def __init__(self, path):
        self.path = path
        self.book_of = gradebook.configured

    def nbgrader(self, *arguments):
        home = str(self.path.parent / "home")
        variables = {"HOME": home, "JUPYTER_CONFIG_DIR": home, "COURSE_PROFILE": "tiny"}
        return command.run(list(arguments), self.path, **variables)

    def book(self):
        return gradebook.opened(gradebook.configured(self.path))

    def notebook(self, step, id="a1"):
        return json.loads((self.path / step / id / f"{id}.ipynb").read_text(encoding="utf-8"))

    def graded(self, *options):
        command = ["nbgrader", str(self.path), "--assignment", "a1", "--jobs", "1", *options]
        done = CliRunner().invoke(app, command)
        assert done.exit_code == 0, (done.output, done.exception)
        return done

    def export(self):
        self.nbgrader("export", "--CsvExportPlugin.to=grades.csv")
        with (self.path / "grades.csv").open(encoding="utf-8") as file:
            return {row["student_id"]: row for row in csv.DictReader(file)}


def cells(notebook):
    named = ((c["metadata"].get("nbgrader", {}).get("grade_id"), c) for c in notebook["cells"])
    return {name: cell for name, cell in named if name}


def text(cell):
    return "".join(cell["source"])


def components(assignment):
    named = [reference for e in assignment.exercises for reference in e.components]
    return [Component.parse(reference) for reference in named]


def filled(release, sources, answers=()):
    """A released notebook with code in the cells that students fill in, and written answers."""
    copy = json.loads(json.dumps(release))
    for name, source in sources.items():
        cells(copy)[grade_ids.component("a1", name)]["source"] = source
    for part in answers:
        cell = cells(copy)[grade_ids.written(part)]
        cell["source"] = text(cell).replace(placeholders.WRITTEN, ANSWER)
    return copy


@pytest.fixture(scope="module")
def made(course, tmp_path_factory):
    folder = tmp_path_factory.mktemp("nbgrader") / "course"
    course_folder.write(course, folder, ["a1"])
    made = CourseFolder(folder)
    made.nbgrader("generate_assignment", "a1")
    return made


@pytest.fixture(scope="module")
def submitted(made, course):
    """The reference, the starter, a named bug, and a file that is no notebook."""
    release = made.notebook("release")
    right = {c.name: c.source for c in components(course.assignment("a1"))}
    bug = next(bug for bug in bugs.load("a1") if bug.name == BUG)
    name = Component.parse(bug.component).name
    wrong = right | {name: bug.apply(right[name])}
    handed_in = {
        "ada": json.dumps(filled(release, right, ["1.11.a", "1.11.b"])),
        "ben": json.dumps(release),
        "cleo": json.dumps(filled(release, wrong, ["1.11.a"])),
        "dan": "no notebook",
    }
    for student, data in handed_in.items():
        place = made.path / "submitted" / student / "a1"
        shutil.copytree(made.path / "release" / "a1", place)
        (place / "a1.ipynb").write_text(data, encoding="utf-8")
    return made


@pytest.fixture(scope="module")
def first(submitted):
    """What `course nbgrader` printed when it graded this class for the first time."""
    return submitted.graded()


def test_x(submitted, first):
    print(first.output)
    print(submitted.export())
    assert 0

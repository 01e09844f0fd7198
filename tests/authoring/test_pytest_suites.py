"""`pytest autograder/a1 --submission …`: item by item what `course grade` gives."""

import subprocess
import sys
from xml.etree import ElementTree

import proofs
import pytest

from grader.authoring.proof import cases
from grader.judge.grade import once
from grader.judge.suite_run import Submitted

HOSTILE = """
import os
def softmax(x, axis=-1):
    os._exit(0)
"""


def suites(folder, *arguments):
    """How pytest ends on suites of the course, and each item's outcome and points."""
    report = folder / "report.xml"
    command = [sys.executable, "-m", "pytest", "-q", *arguments, f"--junitxml={report}"]
    done = subprocess.run(command, cwd=proofs.COURSE.root, capture_output=True, text=True)
    found = ElementTree.parse(report).iter("testcase") if report.exists() else ()
    return done, {
        f"{one.get('classname').rpartition('.')[2]}.py::{one.get('name')}": one.find("failure")
        is None
        for one in found
        if one.get("classname")
    }


def notebook(kind):
    """A right submission of assignment 1, one with a mistake, and one that ends its process."""
    if kind == "good":
        return cases.notebook("a1", "solution")
    if kind == "hostile":
        wrong = {"course_lib.numpy_forms.attention:softmax": HOSTILE}
        return cases.notebook("a1", "solution", wrong)
    given = cases.of(proofs.COURSE.assignment("a1"))
    return next(case for case in given if case.name == "attention_mask_inverted").notebook


@pytest.mark.parametrize(
    "kind", ["broken", *(pytest.param(k, marks=pytest.mark.long) for k in ("good", "hostile"))]
)
@pytest.mark.xdist_group("a1")
def test_an_item_passes_where_a_provisional_grade_gives_its_points(kind, tmp_path, sandbox):
    (tmp_path / "mine.ipynb").write_bytes(notebook(kind))
    done, items = suites(tmp_path, "autograder/a1", f"--submission={tmp_path}")
    submitted = Submitted(proofs.COURSE.assignment("a1"), notebook(kind))
    graded = once(submitted, proofs.COURSE, sandbox("a1")).result
    hidden = [test for test in graded.tests if not test.public]
    assert items == {test.id: test.points == test.max_points for test in hidden}
    assert done.returncode == (kind != "good")
    assert ("the mask is inverted" in done.stdout) is (kind == "broken")


def test_visible_checks_and_markers(tmp_path):
    done, items = suites(tmp_path, "assignments/a1", "-m", "exercise_1_2")
    assert (done.returncode, set(items.values())) == (0, {True}), done.stdout


def test_a_submission_that_is_not_there(tmp_path):
    done, _ = suites(tmp_path, "autograder/a1", f"--submission={tmp_path / 'none.ipynb'}")
    assert done.returncode == pytest.ExitCode.USAGE_ERROR
    assert done.stdout.count("there is no such file: name a notebook") == 1

"""The Gradescope autograder: unpacked and run as Gradescope does, results.json read back."""

import functools
import io
import json
import os
import re
import shutil
import subprocess
import sys
import zipfile
from decimal import Decimal
from unittest import mock

import proofs
import pytest
from checkout import place
from in_process import printed
from sample_results import sample
from world import A1, COURSE

from grader.exchange import course_files, gradescope, gradescope_run

pytestmark = [pytest.mark.xdist_group("gradescope"), pytest.mark.long]  # its class is graded once

KEYS = {
    *("score", "execution_time", "output", "output_format", "test_output_format"),
    *("test_name_format", "visibility", "stdout_visibility", "extra_data", "tests", "leaderboard"),
}
TEST_KEYS = {
    *("score", "max_score", "status", "name", "name_format", "number", "output"),
    *("output_format", "tags", "visibility", "extra_data"),
}
VISIBILITIES = {"hidden", "after_due_date", "after_published", "visible"}
FORMATS = {"text", "html", "simple_format", "md", "ansi"}


def check_rules(report):
    """Gradescope's rules for results.json."""
    assert set(report) <= KEYS
    assert {report[key] for key in report if key.endswith("_format")} <= FORMATS
    assert report["stdout_visibility"] in VISIBILITIES
    assert isinstance(report["output"], str)
    assert isinstance(report.get("execution_time", 0), int)
    for test in report.get("tests", []):
        assert set(test) <= TEST_KEYS
        assert test["visibility"] in VISIBILITIES
        assert test.get("status", "passed") in ("passed", "failed")
        assert isinstance(test["name"], str)
        assert isinstance(test["output"], str)
        assert ("score" in test) == ("max_score" in test)
        assert all(isinstance(test.get(key, 0), (int, float)) for key in ("score", "max_score"))


@functools.cache
def zipped(id="a1", min_tier="C"):
    return gradescope.autograder_zip(COURSE.assignment(id), min_tier)


@pytest.fixture(scope="module", autouse=True)
def packages_read_once():
    """What is installed is looked through once and not for each zip."""
    found = functools.cache(course_files.packages_distributions)
    with mock.patch.object(course_files, "packages_distributions", found):
        yield


class Container:
    """A folder laid out as Gradescope lays out /autograder."""

    def __init__(self, root):
        self.root = root
        with zipfile.ZipFile(io.BytesIO(zipped())) as archive:
            archive.extractall(root / "source")
        (root / "results").mkdir()
        script = root / "run_autograder"
        script.write_bytes((root / "source" / "run_autograder").read_bytes())
        script.chmod(0o755)

    def submit(self, name="my work.ipynb", data=b"", **variables):
        """Hand in one file; the exit code and results.json."""
        folder = self.root / "submission"
        folder.mkdir(exist_ok=True)
        for old in folder.iterdir():
            old.unlink()
        (folder / name).write_bytes(data)
        return self.run(**variables)

    def run(self, **variables):
        given = {"AUTOGRADER_ROOT": str(self.root), "AUTOGRADER_PYTHON": sys.executable}
        left = {k: v for k, v in os.environ.items() if k != "PYTHONPATH"}
        done = subprocess.run(
            [self.root / "run_autograder"],
            env={**left, **given, **variables},
            cwd=self.root,
            capture_output=True,
            text=True,
            timeout=300,
        )
        self.printed = done.stdout + done.stderr
        report = json.loads((self.root / "results" / "results.json").read_text())
        check_rules(report)
        return done.returncode, report


@pytest.fixture(scope="module")
def container(tmp_path_factory):
    return Container(tmp_path_factory.mktemp("autograder"))


def only_required(container):
    """An interpreter, of judge and sandbox, without the packages that the zip does not require."""
    wanted = (container.root / "source" / "requirements.txt").read_text().splitlines()
    others = [line for line in course_files.packages() if line not in wanted]
    assert len(wanted) < 12 < len(others)
    hidden = container.root / "hidden"
    for line in others:
        found = re.split(r"[<>=;]", line)[0]
        name = {"scikit-learn": "sklearn", "pyyaml": "yaml"}.get(found, found).replace("-", "_")
        place(hidden / name / "__init__.py", f"raise ModuleNotFoundError({line!r})")
    python = container.root / "python"
    python.write_text(f'#!/bin/sh\nPYTHONPATH="$PYTHONPATH:{hidden}" exec {sys.executable} "$@"\n')
    python.chmod(0o755)
    return str(python)


def test_a_submission_gets_the_points_that_course_grade_gives(container):
    """In the container, no other package than those of the zip's requirements is there."""
    data = proofs.notebook("a1", "solution")
    code, report = container.submit(data=data, AUTOGRADER_PYTHON=only_required(container))
    assert code == 0, container.printed[-3000:]
    ours = proofs.graded(data, "a1")
    assert report["score"] == ours.totals.automatic + ours.totals.bonus
    tests = [test for test in report["tests"] if "score" in test]
    assert [test["score"] for test in tests] == [test.points for test in ours.tests]
    assert sum(test["score"] for test in tests) == pytest.approx(report["score"], abs=0.05)
    most = sum(Decimal(str(test["max_score"])) for test in tests)
    assert most == sum(e.points for e in A1.exercises if gradescope.is_scored(e)) == 98
    assert "1.11.a" in report["output"]
    [for_instructors] = [test for test in report["tests"] if test["name"] == "For instructors"]
    assert for_instructors["visibility"] == "hidden"
    assert f"seed {A1.seed}" in for_instructors["output"]


def test_what_is_no_notebook_of_this_assignment_is_told_so(tmp_path):
    folder = tmp_path / "submission"
    for name, data, told in [
        ("a1.txt", b"x", "no notebook, only a1.txt"),
        ("a2.ipynb", proofs.notebook("a2", "starter"), "is named as one of a1"),
    ]:
        place(folder / name, data)
        found = gradescope_run.received(tmp_path, COURSE, A1)
        assert told in found.problem
        report = gradescope_run.results_json(sample(outcome="INVALID", reason="no", exercises=[]))
        check_rules(report)
        assert report["score"] == 0
        assert "What happened: no" in report["output"]
        shutil.rmtree(folder)


def test_an_upload_is_one_students_whatever_its_files_are_called(tmp_path):
    for name in ("a_1_2_a1.ipynb", "b_3_4_x.ipynb", "a1-old/a1.ipynb", "a1-new/a1.ipynb"):
        place(tmp_path / gradescope_run.STUDENT / name)
    assert gradescope_run.received(tmp_path, COURSE, A1).problem == ""


def test_a_failed_grading_has_no_score_and_says_so(container):
    course = container.root / "source" / "course.toml"
    before = course.read_bytes()
    try:
        course.write_text("broken = ")
        code, report = container.submit("a1.ipynb", proofs.notebook("a1", "starter"))
    finally:
        course.write_bytes(before)
    assert code == 1
    assert "score" not in report
    assert "tests" not in report
    assert "not been graded" in report["output"]
    assert "Error" not in report["output"], "what failed is for the instructor"
    assert "CourseError" in container.printed
    code, report = container.run(AUTOGRADER_PYTHON="/bin/false")
    assert (code, "score" in report) == (1, False)
    assert "could not start" in report["output"]


def test_hidden_tests_come_with_what_they_take_from_earlier_assignments():
    files = course_files.hidden_tests(COURSE.assignment("a4"))
    taken = "autograder/a2/reference.py", "autograder/a2/exercise_2_3/exercise.toml"
    assert {*taken, "autograder/a3/reference.py"} <= files.keys()
    assert not [name for name in files if name.startswith(("autograder/a5", "autograder/exam"))]


def test_the_zip_holds_one_assignment_and_nothing_of_a_class():
    data = zipped()
    assert data == gradescope.autograder_zip(A1, "C"), "the same checkout makes the same zip"
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        names = archive.namelist()
        modes = {i.filename: i.external_attr >> 16 for i in archive.infolist()}
        for script in ("setup.sh", "run_autograder"):
            text = archive.read(script)
            assert text.startswith(b"#!/usr/bin/env bash\n")
            assert modes[script] & 0o111
            checked = subprocess.run(["bash", "-n"], input=text, capture_output=True)
            assert checked.returncode == 0, checked.stderr
        wanted = archive.read("requirements.txt").decode().split("\n")
    assert any(line.startswith("numpy>=") for line in wanted)
    assert not any(line.startswith(("torch", "datasets", "optuna", "jupyter")) for line in wanted)
    tops = {name.split("/")[0] for name in names if "/" in name}
    tops_of_answers = {".course", "solutions"}
    tops_of_code = {"autograder", "course_lib", "course_study", "grader"}
    assert tops == {"assignments", "data"} | tops_of_code | tops_of_answers
    assert {n.split("/")[1] for n in names if re.match(r"autograder/a\d/", n)} == {"a1"}
    assert [name for name in names if name.startswith("data/")] == [
        "data/README.md",
        "data/registry.toml",
    ]
    assert not [name for name in names if name.endswith((".db", ".pyc")) or "/." in name]
    a3 = COURSE.assignment("a3")
    with zipfile.ZipFile(io.BytesIO(zipped("a3", "D"))) as archive:
        assert "results/sst2_six_layers.json" in archive.namelist(), "the threshold"
        assert json.loads(archive.read("gradescope.json"))["min_tier"] == "D"
    assert gradescope.left_to_course_grade(a3)[0].endswith("(the trained model)")


def test_the_settings_are_told_and_torch_is_the_build_for_cpus(tmp_path):
    told = printed("export", "gradescope", "a1", "--to", tmp_path / "a1.zip")
    assert "points to enter in Gradescope: 88 (a score may have 10 bonus points more)" in told
    assert "container to choose there: 1.5 GB or more (grading takes 240 MiB" in told
    assert "whl/cpu" not in setup("a1", "C")
    assert "--index-url https://download.pytorch.org/whl/cpu torch==" in setup("a3", "D")


def setup(*of):
    with zipfile.ZipFile(io.BytesIO(zipped(*of))) as archive:
        return archive.read("setup.sh").decode()


def test_students_read_what_our_report_shows_and_never_the_names_of_hidden_tests():
    message = {"expected": "[1. 2.]", "got": "[2. 4.]", "cause": "no scaling", "read": "§3.2.1"}
    failed = {"1.3": [{"message": message, "bug": "a1/secret_bug", "bug_title": "Scores too big"}]}
    result = sample("ada", failed=failed)
    report = gradescope_run.results_json(result)
    check_rules(report)
    [lost] = [test for test in report["tests"] if test.get("status") == "failed"]
    assert lost["visibility"] == "after_published"
    for said in ("[1. 2.]", "[2. 4.]", "no scaling", "Scores too big", "§3.2.1"):
        assert said in lost["output"]
    shown = [test for test in report["tests"] if test["visibility"] != "hidden"]
    text = json.dumps([shown, report["output"]])
    assert "test_1_3" not in text
    assert "secret_bug" not in text
    public = {test.title for test in result.tests if test.public}
    visible = [t for t in shown if "score" in t and t["visibility"] == "visible"]
    assert len(visible) == len(public)

"""A change in one exercise's tests grades that exercise again, and gives what a new run gives."""

import json
import os
import shutil
import subprocess
import sys

import proofs
import pytest
from checkout import ROOT, place
from sample_results import COURSE, sample

from grader.gradebook.result import key_of
from grader.grading import by_exercise

pytestmark = pytest.mark.xdist_group("by_exercise")  # its course is copied once

A1 = COURSE.assignment("a1")
PARTS = {"": "shared"} | {exercise.id: f"tests of {exercise.id}" for exercise in A1.exercises}
UNSCALED = {
    "course_lib.numpy_forms.attention:scaled_scores": "def scaled_scores(query, key):\n"
    "    return query @ np.swapaxes(key, -1, -2)\n"
}
BUT_FOR_SEVEN = {
    "course_lib.numpy_forms.attention:scaled_scores": "def scaled_scores(query, key):\n"
    "    scores = query @ np.swapaxes(key, -1, -2) / np.sqrt(query.shape[-1])\n"
    "    return scores * (query.shape != (7, 7))\n"
}
OF_SEVEN = '''

@question("1.3", weight=2)
def test_of_seven(its, rng):
    """Seven by seven, which no other test asks for."""
    ones = 0 * rng.normal(size=(7, 7)) + 1
    return {"a score is above 1": bool(its.scaled_scores(ones, ones).max() > 1)}
'''


def stored(**facts):
    return sample(suite_parts=PARTS, suite_sha256="old", **facts)


def again(result, parts, **key):
    """The exercises that run again if the tests are now those of `parts`; None if all do."""
    now = key_of(sample())._replace(**{"suite_sha256": "new", **key})
    found = by_exercise.known(result, now, parts, A1)
    return found and found.again


def test_what_changed_runs_again_with_what_depends_on_it_and_what_it_depends_on():
    found = again(stored(), PARTS | {"1.4": "new"})
    exercise = A1.exercise("1.4")
    assert {"1.4", *A1.upstream(exercise), *A1.downstream("1.4")} <= {*found}
    for id in found:
        assert {*A1.upstream(A1.exercise(id))} <= {*found}, f"{id} needs its earlier exercises"
    assert len(found) < len(A1.exercises)
    assert again(stored(), PARTS | {"1.10": "new"}) == ("1.10",)


@pytest.mark.parametrize(
    ("result", "parts", "key"),
    [
        (None, {"1.4": "new"}, {}),
        (stored(), {"": "new"}, {}),
        (stored(), {"": "new", "1.4": "new"}, {}),
        (stored(), {"1.99": "new"}, {}),
        (stored(), {"1.11": "new"}, {}),  # a written one
        (stored(), {"1.4": "new"}, {"submission_sha256": "new"}),
        (stored(), {"1.4": "new"}, {"environment_sha256": "new"}),
        (stored(), {"1.4": "new"}, {"seed": 7}),
        (stored(), {"1.4": "new"}, {"tier": "C"}),
        (stored(outcome="TIMEOUT"), {"1.4": "new"}, {}),
        (stored(outcome="UNGRADED"), {"1.4": "new"}, {}),
        (stored(notices=["the notebook printed while being graded: `hi`"]), {"1.4": "new"}, {}),
        (sample(), {"1.4": "new"}, {}),  # stored before results knew what their tests were
    ],
)
def test_in_doubt_all_runs_again(result, parts, key):
    assert again(result, PARTS | parts, **key) is None


@pytest.fixture(scope="module")
def checkout(tmp_path_factory):
    """A copy of the course to change a hidden test in, and a small class."""
    root = tmp_path_factory.mktemp("course")
    for name in "course_lib course_study autograder assignments results data solutions".split():
        shutil.copytree(ROOT / name, root / name, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(ROOT / "course.toml", root)
    for student, changes in (("ada", BUT_FOR_SEVEN), ("ben", UNSCALED)):
        data = proofs.notebook("a1", "solution", changes)
        place(root / "class" / student / "a1" / "a1.ipynb", data)
    return root


def ran(root, out, *options):
    code = "from grader.cli import main; main()"
    command = [sys.executable, "-c", code, "grade", root / "class", "--out", out, "--json"]
    return subprocess.run(
        [*map(str, command), *options],
        capture_output=True,
        text=True,
        cwd=root,
        env={**os.environ, "PYTHONPATH": str(root)},
    )


def graded(root, out, *options):
    done = ran(root, out, *options)
    assert done.returncode == 0, done.stderr[-2000:]
    return json.loads(done.stdout)


@pytest.fixture(scope="module")
def first(checkout, tmp_path_factory):
    """The grades of the unchanged course, and where they are kept."""
    kept = tmp_path_factory.mktemp("first")
    return graded(checkout, kept), kept


@pytest.fixture
def before(first, tmp_path):
    """The same; the folder is a test's own."""
    results, kept = first
    return results, shutil.copytree(kept, tmp_path / "kept")


def contents(folder):
    return {path.name: path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def lasting(results):
    return [{k: v for k, v in r.items() if k not in ("seconds", "graded_at")} for r in results]


@pytest.mark.long
def test_a_changed_hidden_test_gives_what_a_new_run_gives_without_running_all(
    checkout, before, tmp_path
):
    before, kept = before
    files = contents(kept)
    suite = checkout / "autograder/a1/exercise_1_3/test_1_3_scores.py"
    text = suite.read_text(encoding="utf-8")
    suite.write_text(text + OF_SEVEN, encoding="utf-8")
    look = graded(checkout, kept, "--preview")
    assert contents(kept) == files, "a preview writes nothing"
    in_part = graded(checkout, kept)
    in_full = graded(checkout, tmp_path / "new")
    suite.write_text(text, encoding="utf-8")
    assert lasting(in_part) == lasting(in_full)
    assert [r["seconds"] for r in in_part] == [r["seconds"] for r in before], "merged, all of them"
    by_id = {e["id"]: e for e in in_part[0]["exercises"]}
    assert [t["outcome"] for t in by_id["1.3"]["tests"]].count("FAILED") == 1
    assert by_id["1.3"]["points"] < 8
    assert look["summary"] == {"up": 1, "down": 1, "same": 0, "new": 0, "ungraded": 0}
    changes = {change["student"]: change for change in look["changes"]}
    moved = changes["ada"]
    assert changes["ben"]["points"] > 0, "the only test of 1.3 that an unscaled score passes"
    assert moved["exercises"] == {"1.3": round(by_id["1.3"]["points"] - 8, 2)}
    assert ("no such test", "FAILED") in [(t["before"], t["now"]) for t in moved["tests"]]


@pytest.mark.long
def test_moved_points_give_what_a_new_run_gives_without_running_all(checkout, before, tmp_path):
    before, kept = before
    texts = {}
    for id, more in (("1.3", 1), ("1.10", -1)):
        record = checkout / A1.record(id).relative_to(ROOT)
        texts[record] = text = record.read_text(encoding="utf-8")
        old, new = (f"\npoints = {A1.exercise(id).points + added:g}\n" for added in (0, more))
        assert old in text
        record.write_text(text.replace(old, new, 1), encoding="utf-8")
    in_part, in_full = graded(checkout, kept), graded(checkout, tmp_path / "new")
    for record, text in texts.items():
        record.write_text(text, encoding="utf-8")
    assert lasting(in_part) == lasting(in_full)
    assert [r["seconds"] for r in in_part] == [r["seconds"] for r in before], "merged, all of them"
    most = {e["id"]: e["max_points"] for e in in_part[0]["exercises"]}
    assert most["1.3"] == A1.exercise("1.3").points + 1


@pytest.mark.slow
def test_a_suite_that_cannot_grade_anybody_grades_nobody_and_says_where_it_is_wrong(
    checkout, before
):
    _, kept = before
    files = contents(kept)
    name = "autograder/a1/exercise_1_3/test_1_3_scores.py"
    suite = checkout / name
    text = suite.read_text(encoding="utf-8")
    end = text.count("\n") + 1
    for broken, told in (
        ("import nothere\n", "ModuleNotFoundError: No module named 'nothere'"),
        ("def (\n", "SyntaxError: invalid syntax"),
        ("def f():\n    return rgn\n", "the name 'rgn' is not defined"),
    ):
        suite.write_text(text + broken, encoding="utf-8")
        done = ran(checkout, kept)
        line = end + broken.count("\n") - 1
        assert done.returncode == 2, done.stderr
        assert f"{name}, line {line}: {told}: correct this line" in done.stderr.splitlines()
        assert "Traceback" not in done.stderr
        assert contents(kept) == files
    of_its_own = '''
@exercise("1.3")
def test_of_its_own(student):
    """It reads a variable before it has a value."""
    expect.equal(student.scaled_scores(*[np.ones((2, 2))] * 2), want)
    want = 1
'''
    suite.write_text(text + of_its_own, encoding="utf-8")
    done = ran(checkout, kept)
    assert done.returncode == 5, done.stderr
    assert f"the grader failed on ada a1, ben a1: {name}, line {end + 4}: the test" in done.stderr
    assert "the earlier grade of the same files still counts: ada a1, ben a1" in done.stderr
    assert [r["outcome"] for r in json.loads(done.stdout)] == ["GRADED"] * 2
    assert contents(kept)["grades.csv"] == files["grades.csv"]
    suite.write_text(text, encoding="utf-8")

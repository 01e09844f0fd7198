"""A hidden test that is wrong itself: its exercise waits for a better one, all else counts."""

import json

import numpy as np
import proofs
import pytest
from checkout import place
from typer.testing import CliRunner

from grader.checking import expect, suite
from grader.checking.faults import SuiteError
from grader.checking.findings import right_form
from grader.cli.app import app
from grader.gradebook.store import Store
from grader.grading import class_run, fingerprints
from grader.intake.submissions import Submission
from grader.judge import grade as judge
from grader.judge import mistaken
from grader.judge.suite_run import Submitted
from grader.report import sentences

SOLUTION = proofs.notebook("a1", "solution")
SAID = "autograder/a1/exercise_1_4/x.py, line 3: the test itself fails"


def with_attention(returned):
    """A solution whose attention returns something else."""
    wrong = f"def attention(query, key, value, mask=None):\n    return {returned}\n"
    return proofs.notebook("a1", "solution", {"course_lib.numpy_forms.attention:attention": wrong})


def of_itself(student):
    raise SuiteError(SAID)


def of_a_key(student):
    {"weights": 0}["wieghts"]


def of_a_wrong_value(student):
    expect.equal(student.softmax(np.zeros(2)), np.ones(2))


def over_an_answer(student):
    output, _ = student.attention(*np.ones((3, 1, 1)))
    return list(output.shape)  # a number has none


@pytest.fixture
def breaks(monkeypatch):
    """Exercise 1.4's last hidden test does something else instead."""
    honest = suite.Test.call
    paths = proofs.COURSE.assignment("a1").hidden_tests()
    last = [t for p in paths for t in suite.read_tests(p) if t.mark.exercise == "1.4"][-1].id

    def does(body):
        def call(test, student, *given):
            return body(student) if test.id == last else honest(test, student, *given)

        monkeypatch.setattr(suite.Test, "call", call)
        # what is answered to it must not be kept for others
        monkeypatch.setattr(right_form, "_answers", {})
        monkeypatch.setattr(mistaken, "_told", {})
        monkeypatch.setattr(mistaken.kept_answers, "read", lambda path: {})
        monkeypatch.setattr(mistaken.kept_answers, "write", lambda path, told: None)
        return last

    return does


@pytest.fixture(params=[of_itself, of_a_key, of_a_wrong_value])
def broken(request, breaks):
    """It fails by a mistake that no student can help."""
    return breaks(request.param)


@pytest.fixture
def result(broken):
    assignment = proofs.COURSE.assignment("a1")
    parts = fingerprints.parts(proofs.COURSE, assignment)
    handed_in = Submission("s1", "a1", "s1/a1.ipynb", SOLUTION)
    return class_run.complete(proofs.graded(SOLUTION, "a1", asked={}), handed_in, assignment, parts)


def test_only_its_exercise_is_pending(result):
    entries = {entry.id: entry for entry in result.exercises if entry.kind == "code"}
    assert result.outcome == "GRADED"
    assert result.untested == ["1.4"]
    assert entries["1.4"].status == "pending"
    others = [entry for id, entry in entries.items() if id != "1.4"]
    assert all(entry.points == entry.max_points for entry in others)
    lost = result.totals.automatic_max - result.totals.automatic
    assert lost == entries["1.4"].max_points


def test_a_test_that_is_wrong_says_nothing_about_what_builds_on_its_exercise(broken):
    result = proofs.graded(with_attention("value, query"), "a1", asked={})
    assert result.untested == ["1.4"]
    assert any(entry.carried_through for entry in result.exercises)


def test_what_only_a_wrong_answer_makes_a_test_raise_is_charged(breaks):
    last = breaks(over_an_answer)
    data = with_attention("1.0, 1.0")
    result = proofs.graded(data, "a1", only=["1.4"], asked={})
    [test] = [test for test in result.tests if test.id == last]
    assert (test.outcome, test.points, result.untested) == ("FAILED", 0.0, [])
    assert test.message.got.startswith("a value that the test cannot handle (AttributeError")
    right = proofs.graded(SOLUTION, "a1", only=["1.4"])
    assert next(test for test in right.tests if test.id == last).outcome == "PASSED"


@pytest.mark.parametrize("body", [of_a_key, over_an_answer, of_a_wrong_value])
def test_a_class_asks_the_model_answer_once(breaks, body):
    """Whether it clears the test or blames it; the second submission opens one worker only."""
    breaks(body)
    data = with_attention("1.0, 1.0")
    opened, asked = [], {}

    def worker(load):
        opened.append(load)
        return proofs.local_worker(load)

    submitted = Submitted(proofs.COURSE.assignment("a1"), data, only=["1.4"])
    tries = [judge.once(submitted, proofs.COURSE, worker, asked=asked) for _ in range(2)]
    assert len(opened) == 3
    told = [[(test.id, test.outcome, test.message) for test in one.run.tests] for one in tries]
    assert told[0] == told[1]


def test_the_report_says_that_it_is_no_fault_of_the_student(result):
    said = sentences.outcome_sentence(result)
    assert "Exercise 1.4 will be graded again" in said
    assert "no fault of yours" in said
    assert sentences.main_cause(result) == ""
    assert [n for n in result.notices if n.startswith("exercise 1.4 is not graded yet")]


def test_the_command_names_the_test_and_has_the_exit_code_of_a_failed_grader(
    result, tmp_path, monkeypatch
):
    def grade_class(_submissions, _course, store, _settings):
        store.add(result)
        yield result

    monkeypatch.setattr(class_run, "grade_class", grade_class)
    place(tmp_path / "class" / "s1" / "a1" / "a1.ipynb", SOLUTION)
    given = ["grade", str(tmp_path / "class"), "--out", str(tmp_path / "out"), "--json"]
    done = CliRunner().invoke(app, given, catch_exceptions=False)
    assert done.exit_code == 5
    [told] = [line for line in done.stderr.splitlines() if "is pending" in line]
    assert told.startswith("exercise 1.4 of s1 a1 is pending: autograder/a1/exercise_1_4/")
    assert ": the test itself fails" in told or ": the course's own answer fails" in told
    [stored] = json.loads(done.stdout)
    assert stored["outcome"] == "GRADED"
    with Store(tmp_path / "out" / "results.db") as store:
        assert store.newest("s1", "a1").untested == ["1.4"]

"""A hidden test that is wrong itself: its exercise waits for a better one, all else counts."""

import functools
import json

import numpy as np
import proofs
import pytest
from world import A1, COURSE, judge

from grader.checking import expect, suite
from grader.checking.faults import SuiteError
from grader.checking.findings import right_form
from grader.grading import class_run, fingerprints
from grader.intake.submissions import Submission
from grader.judge import grade, mistaken
from grader.judge.suite_run import Submitted
from grader.report import sentences

pytestmark = pytest.mark.xdist_group("broken test")  # the solution is graded once a mistake
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


def break_test(monkeypatch, body):
    """Exercise 1.4's last hidden test does something else instead; the test's id."""
    honest = suite.Test.call
    tests = [test for path in A1.hidden_tests() for test in suite.read_tests(path)]
    last = [test.id for test in tests if test.mark.exercise == "1.4"][-1]

    def call(test, student, *given):
        return body(student) if test.id == last else honest(test, student, *given)

    monkeypatch.setattr(suite.Test, "call", call)
    # what is answered to it must not be kept for others
    monkeypatch.setattr(right_form, "_answers", {})
    monkeypatch.setattr(mistaken, "_told", {})
    monkeypatch.setattr(mistaken, "read_kept", lambda path: {})
    monkeypatch.setattr(mistaken, "write_kept", lambda path, told: None)
    return last


@pytest.fixture
def breaks(monkeypatch):
    return functools.partial(break_test, monkeypatch)


MISTAKEN = [of_itself, of_a_key, of_a_wrong_value]  # no student can help it


@functools.cache
def graded(body):
    """The solution, graded by a test that fails by a mistake of its own."""
    with pytest.MonkeyPatch.context() as monkeypatch:
        break_test(monkeypatch, body)
        found = proofs.graded(SOLUTION, "a1", only=["1.1", "1.4"], asked={})
        handed_in = Submission("s1", "a1", "s1/a1.ipynb", SOLUTION)
        return class_run.complete(found, handed_in, A1, fingerprints.parts(COURSE, A1))


@pytest.fixture(params=MISTAKEN)
def result(request):
    return graded(request.param)


def test_only_its_exercise_is_pending(result):
    entries = {entry.id: entry for entry in result.exercises if entry.kind == "code"}
    assert result.outcome == "GRADED"
    assert result.untested == ["1.4"]
    assert entries["1.4"].status == "pending"
    others = [entry for id, entry in entries.items() if id != "1.4"]
    assert all(entry.points == entry.max_points for entry in others)
    lost = result.totals.automatic_max - result.totals.automatic
    assert lost == entries["1.4"].max_points


@pytest.mark.parametrize("body", MISTAKEN)
def test_a_test_that_is_wrong_says_nothing_about_what_builds_on_its_exercise(breaks, body):
    breaks(body)
    data = with_attention("value, query")
    result = proofs.graded(data, "a1", only=["1.4", "1.5"], asked={})
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

    submitted = Submitted(A1, data, only=["1.4"])
    tries = [grade.once(submitted, COURSE, worker, asked=asked) for _ in range(2)]
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
    result, world, monkeypatch
):
    judge(monkeypatch, lambda found: result)
    world.hand_in("s1/a1/a1.ipynb", SOLUTION)
    done = world.run("grade", world.submitted, "--json", code=5)
    [told] = [line for line in done.stderr.splitlines() if "is pending" in line]
    assert told.startswith("exercise 1.4 of s1 a1 is pending: autograder/a1/exercise_1_4/")
    assert ": the test itself fails" in told or ": the course's own answer fails" in told
    [stored] = json.loads(done.stdout)
    assert stored["outcome"] == "GRADED"
    with world.store() as store:
        assert store.newest("s1", "a1").untested == ["1.4"]

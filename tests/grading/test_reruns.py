"""What a right form tells a submission comes too late to count, even with a way to pass it on."""

import ast
import random
import sys
from concurrent.futures import Future

import proofs
import pytest
from world_tables import texts

from grader.checking.session import TestResult
from grader.checking.suite import read_tests
from grader.grading import judge_process, retries
from grader.intake.submissions import Submission
from grader.judge import reruns, substitutes
from grader.judge.suite_run import suite_files
from grader.judge.workers.local import local_worker
from grader.library.components import Component
from grader.notebook.collect import Collected
from grader.report.sentences import cause_sentence
from grader.seam import loading

FORMS = ("softmax", "attention")
# Keeps what the loader is given in place of the student's code, where every later worker finds it;
# fails on purpose, as if the machine were at fault, until there is something to use.
KEEPER = texts("keeper")


def keeper(student, *names):
    replaced = {
        f"course_lib.numpy_forms.attention:{name}": KEEPER.format(name=name, forms=FORMS)
        for name in names
    }
    data = proofs.notebook("a1", "solution", replaced)
    return Submission(student, "a1", f"{student}/a1.ipynb", data)


class OneProcess:
    """Judges and all workers in this process: nothing at all keeps a worker from another."""

    def __init__(self):
        self.asked, self.ended = [], ["a1"]

    def ask(self, work, *question):
        self.asked.append((work.__name__, question[0].student))
        answer = Future()
        answer.set_result(work(*question))
        return answer

    def each(self, work, questions):
        return [(question, self.ask(work, *question).result()) for question in questions]

    def grade(self, *submissions):
        given = (None, {}, proofs.COURSE, self, self.each, self.ended)
        found = retries.grade_all(submissions, *given)
        return {submission.student: tried.result for submission, tried in found}


@pytest.fixture
def one_process(monkeypatch):
    monkeypatch.setattr(loading, "_execute", loading._execute)
    monkeypatch.setattr(judge_process, "opener", lambda *_: local_worker)
    judge_process.use(proofs.COURSE, {"a1": None}, {})
    yield OneProcess()
    sys.modules.pop("kept_forms", None)


def points(result):
    return {entry.id: entry.points for entry in result.exercises if entry.kind == "code"}


def test_a_right_form_that_is_kept_and_passed_on_earns_nothing(one_process):
    class_ = [keeper("alone", "softmax"), keeper("both", *FORMS), keeper("friend", "attention")]
    found = one_process.grade(*class_)
    softmax, attention = "1.1", "1.4"
    assert [points(found[s])[softmax] for s in ("alone", "both")] == [0, 0]
    assert [points(found[s])[attention] for s in ("both", "friend")] == [0, 0]
    assert points(found["alone"])[attention] > 0, "the rerun was there, with a right form"
    assert set(FORMS) <= set(sys.modules["kept_forms"]), "and it was kept"
    later = one_process.grade(keeper("alone", "softmax"))
    assert points(later["alone"])[softmax] > 0, "which would help whoever is tried afterwards"


def test_before_the_last_late_day_no_right_form_runs_and_a_result_says_what_it_may_gain(
    one_process,
):
    one_process.ended = []
    result = one_process.grade(keeper("alone", "softmax"))["alone"]
    assert not set(FORMS) & set(sys.modules["kept_forms"])
    assert {work for work, _ in one_process.asked} == {"first_try", "second_try"}
    attention = next(entry for entry in result.exercises if entry.id == "1.4")
    assert result.provisional
    assert attention.points == 0 < attention.may_gain
    assert attention.caused_by == ["1.1"]
    assert not any(entry.may_gain for entry in result.exercises if entry.id == "1.1")
    assert cause_sentence(attention, result) == (
        f"1.1 fails: repair it first. Up to {attention.may_gain:g} points more after the last late "
        "day, if a mistake in 1.1 explains these failures."
    )
    one_process.ended = ["a1"]
    final = one_process.grade(keeper("alone", "softmax"))["alone"]
    assert not final.provisional
    gained = points(final)["1.4"]
    assert 0 < gained <= attention.may_gain
    assert not any(entry.may_gain for entry in final.exercises)


def test_every_try_of_a_class_ends_before_the_first_rerun(one_process):
    one_process.grade(keeper("a", "softmax"), keeper("b", "attention"), keeper("c", *FORMS))
    order = [work for work, _ in one_process.asked]
    assert order == ["first_try"] * 3 + ["second_try"] * 3 + ["rerun"] * (len(order) - 6)
    assert len(order) > 6


@pytest.mark.parametrize("assignment", proofs.COURSE.graded, ids=lambda one: one.id)
def test_no_rerun_knows_a_form_of_what_it_or_a_later_one_is_graded_for(assignment):
    tests = [test for path in suite_files(assignment) for test in read_tests(path)]
    rng, plans = random.Random(24), []
    for share in [1.0] + [rng.random() for _ in range(60)]:
        results = [
            TestResult(t.id, t.mark, False, outcome, None, 0, answered=True)
            for t in tests
            for outcome in ["FAILED" if rng.random() < share else "PASSED"]
        ]
        plans += reruns.planned(assignment, Collected(), results, {})
    assert plans or not substitutes.names(assignment)
    marks, known = {test.id: test.mark for test in tests}, set()
    for place in sorted({rerun.place for rerun in plans}):
        now = [rerun for rerun in plans if rerun.place == place]
        known |= {name for rerun in now for name in told(assignment, rerun.replaced)}
        graded = {name for r in now for id in r.tests for name in about(assignment, marks[id])}
        assert not known & graded, (place, known & graded)


def told(assignment, replaced):
    """The names that right forms define, and those of all exercises that their names rest on."""
    sources = substitutes.sources(assignment, replaced)
    names = {getattr(node, "name", "") for s in sources for node in ast.parse(s).body}
    of = [e for e in assignment.exercises if names & set(e.names)]
    below = [assignment.exercise(id) for e in of for id in assignment.upstream(e)]
    return names | {name for exercise in below for name in exercise.names}


def about(assignment, mark):
    """The names that a test is about: those of its exercise but for what it only builds on."""
    return set(assignment.exercise(mark.exercise).names) - set(mark.builds_on)


NUMPY_FORMS = "course_lib.numpy_forms.attention"
ISQRT = (f"{NUMPY_FORMS}:scaled_scores", "math.sqrt(d_k)", "math.isqrt(d_k)")
KEPT = ("course_lib.encoder:Encoder", "weights = []", "weights = self.__dict__.setdefault('k', [])")
CHOICE = ("course_lib.decoding.search:greedy", "(log_probabilities)", "(log_probabilities.exp())")
# What no test of their own asks about, and others cannot work with.
SCORES = "query @ np.swapaxes(key, -1, -2) / math.sqrt(d_k)"
LIST = (ISQRT[0], SCORES, f"({SCORES}).tolist()")
LISTS = (f"{NUMPY_FORMS}:project_qkv", "x @ w_q,", "(x @ w_q).tolist(),")
WIDE_HEADS = ("course_lib.attention:split_heads", "transpose(1, 2)", "transpose(1, 2).double()")
ROLLED = (WIDE_HEADS[0], WIDE_HEADS[1], "transpose(1, 2).roll(int(n_heads == 16), 1)")
WIDE = ("course_lib.feed_forward:FeedForward", ".relu())", ".relu()).double()")
WIDE_STACK = ("course_lib.decoder:Decoder", "self.norm(x),", "self.norm(x).double(),")
UNCHECKED = ("course_lib.attention:attention", "_check_shapes(query, key, value, mask)", "pass")


def graded(assignment, only, *mistakes):
    sources = {component: Component.parse(component).source for component, _, _ in mistakes}
    assert all(old in sources[component] for component, old, _ in mistakes)
    wrong = {component: sources[component].replace(old, new) for component, old, new in mistakes}
    return proofs.graded(proofs.notebook(assignment, "solution", wrong), assignment, only=only)


@pytest.mark.long
@pytest.mark.parametrize(
    ("assignment", "mistake", "wrong", "right"),
    [
        ("a1", ISQRT, "1.3", "1.4"),
        ("a1", ISQRT, "1.3", "1.5"),
        ("a3", KEPT, "3.5", "3.7"),
        ("a4", CHOICE, "4.10", "4.21"),
        ("a1", LIST, "1.3", "1.4"),
        ("a1", LISTS, "1.2", "1.5"),
        ("a2", WIDE_HEADS, "2.2", "2.3"),
        ("a2", ROLLED, "2.2", "2.3"),  # in a test that also asks for an exception
        ("a3", WIDE, "3.4", "3.5"),
        ("a4", WIDE_STACK, "4.3", "4.5"),
    ],
)
def test_a_right_exercise_does_not_pay_for_a_wrong_one_that_keeps_its_points(
    assignment, mistake, wrong, right
):
    result = graded(assignment, [right], mistake)
    (entry,) = result.exercises
    assert entry.points == entry.max_points
    carried = [test for test in entry.tests if test.carried_through]
    assert carried
    for test in carried:
        assert test.caused_by == [wrong]
        assert (test.bug, test.message.cause) == (None, "")
    kept = f"Tests that pass with a correct {wrong} keep their points."
    assert cause_sentence(entry, result) == f"{kept} Look at it again, although its own tests pass."


def test_who_fails_for_something_else_is_not_accused():
    result = graded("a2", ["2.1", "2.2", "2.3"], UNCHECKED, WIDE_HEADS)
    first, second, third = result.exercises
    assert first.points < first.max_points
    assert (second.points, third.points) == (second.max_points, third.max_points)
    assert third.caused_by == ["2.2"]
    assert "2.1" not in cause_sentence(third, result)


def test_a_test_that_waits_counts_where_its_other_one_is_carried_through():
    halved = (f"{NUMPY_FORMS}:softmax", "return ", "return 0.5 * ")
    (entry,) = graded("a1", ["1.4"], halved).exercises
    waiting = [test for test in entry.tests if test.outcome == "WAITING"]
    assert waiting
    assert all(test.carried_through and test.points == test.max_points for test in waiting)
    assert entry.points == entry.max_points


def test_what_should_refuse_is_not_excused_by_how_a_right_form_fails():
    """Its own form ends in an exception, too, and may say by chance what was asked for."""
    unchecked = (f"{NUMPY_FORMS}:attention", "_check_shapes(query, key, value)", "pass")
    (entry,) = graded("a1", ["1.4"], unchecked).exercises
    assert entry.points < entry.max_points
    assert not entry.carried_through


def test_a_mistake_of_its_own_is_not_carried_through():
    doubled = (f"{NUMPY_FORMS}:attention", "weights @", "2 * weights @")
    (entry,) = graded("a1", ["1.4"], doubled).exercises
    assert entry.points < entry.max_points
    assert not entry.caused_by

"""The grader is proven by wrong answers, through both backends of the seam.

The reference gets everything, the starter nothing; every named bug fails the test that names it,
with its hint, and nothing that does not depend on it; every correct variant gets everything.
"""

import proofs
import pytest

from autograder import bugs, variants
from autograder.release.components import Component
from course_lib import syllabus

IDS = ("a1", "a2", "a3", "a4")
BUGS = [(id, bug) for id in IDS for bug in bugs.load(id)]
# A whole suite for every bug takes minutes: usually one bug an exercise has it, `-m slow` all.
FIRST = {(id, bug.exercise): bug.name for id, bug in reversed(BUGS)}
WHOLE = [
    pytest.param(id, bug, id=f"{id}-{bug.name}", marks=[] if first else [pytest.mark.slow])
    for id, bug in BUGS
    for first in [FIRST[id, bug.exercise] == bug.name]
]
VARIANTS = [(id, variant) for id in IDS for variant in variants.load(proofs.COURSE.assignment(id))]
BACKENDS = ("local", "sandbox")


@pytest.fixture
def proven(record_property):
    """Counts a proof in the table that ends a test run; pytest-xdist carries it across."""

    def count(id, what, held):
        record_property("proven", [id, what, bool(held)])

    return count


def rests_on(id, exercise):
    """The exercise, and those that may fail with it."""
    return {exercise, *proofs.COURSE.assignment(id).downstream(exercise)}


def named(pairs):
    return [f"{id}-{thing.name}" for id, thing in pairs]


@pytest.fixture(params=BACKENDS)
def graded(request, sandbox):
    """Grade bytes through one backend."""

    def run(data, id, only=None):
        opened = proofs.local_worker if request.param == "local" else sandbox(id)
        return proofs.graded(data, id, opened, only)

    run.backend = request.param
    return run


@pytest.mark.parametrize("id", IDS)
def test_the_reference_gets_every_automatic_point(graded, proven, id):
    result = graded(proofs.notebook(id, "solution"), id)
    # a trained model is proven in test_model_part.py and in the demonstration
    code = [entry for entry in result["exercises"] if entry["kind"] == "code"]
    full = all(e["points"] == e["max_points"] for e in code) and not proofs.failing(result)
    proven(id, f"reference at 100 % ({graded.backend})", full)
    assert full, proofs.failing(result)
    assert result["totals"]["bonus"] == sum(e["max_points"] for e in code if e["bonus"])
    assert result["outcome"] == "GRADED"


@pytest.mark.parametrize("id", IDS)
def test_the_starter_gets_nothing(graded, proven, id):
    result = graded(proofs.notebook(id, "starter"), id)
    nothing = result["totals"]["total"] == 0
    proven(id, f"starter at 0 % ({graded.backend})", nothing)
    assert nothing
    assert {e["status"] for e in result["exercises"]} == {"not written", "pending"}
    assert any("nothing is written" in notice for notice in result["notices"])


@pytest.mark.parametrize(("id", "bug"), BUGS, ids=named(BUGS))
def test_a_named_bug_fails_the_test_that_names_it(graded, proven, id, bug):
    result = graded(proofs.wrong(id, bug), id, rests_on(id, bug.exercise))
    failed = proofs.failing(result)
    own = [t for test, t in failed.items() if proofs.exercise_of(result, test) == bug.exercise]
    told = any(bug.hint in test["message"]["cause"] for test in own)
    proven(id, f"named bugs caught with their hint ({graded.backend})", bug.test in failed and told)
    assert bug.test in failed, f"not caught; failed instead: {list(failed)}"
    assert told, [test["message"] for test in own]
    others = {test["bug"] for test in own} - {None, bug.name}
    assert not others, f"accused of another mistake: {others}"


@pytest.mark.parametrize(("id", "bug"), WHOLE)
def test_a_named_bug_fails_nothing_unrelated(id, bug):
    result = proofs.graded(proofs.wrong(id, bug), id)
    allowed = rests_on(id, bug.exercise)
    failed = proofs.failing(result)
    strays = [test for test in failed if proofs.exercise_of(result, test) not in allowed]
    assert not strays, f"fails what does not depend on it: {strays}"


@pytest.mark.parametrize(("id", "variant"), VARIANTS, ids=named(VARIANTS))
def test_a_correct_variant_gets_every_point(graded, proven, id, variant):
    result = graded(proofs.notebook(id, "solution", variant.replace), id)
    full = not proofs.failing(result)
    proven(id, f"correct variants at 100 % ({graded.backend})", full)
    assert full, {k: v["message"] for k, v in proofs.failing(result).items()}


@pytest.mark.parametrize("id", IDS)
def test_there_are_enough_bugs_and_variants(id):
    assert len(bugs.load(id)) >= 30
    assert len(variants.load(proofs.COURSE.assignment(id))) >= 8


@pytest.mark.parametrize("id", IDS)
def test_every_exercise_has_bugs_and_they_belong_to_it(id):
    assignment = proofs.COURSE.assignment(id)
    owners = {c: e.id for e in assignment.exercises for c in e.components}
    assert {bug.exercise for bug in bugs.load(id)} == set(owners.values())
    for bug in bugs.load(id):
        assert owners[bug.component] == bug.exercise, bug.name
        assert bug.test.startswith(f"test_{bug.exercise.replace('.', '_')}_") or (
            bug.test.partition("::")[0] in {path.name for path in syllabus.public_tests(id)}
        ), bug.name


def test_a_mistake_upstream_is_counted_once(graded):
    """Softmax without its axis spoils attention; attention's own points are carried through."""
    wrong = "def softmax(x, axis=-1):\n    e = np.exp(x - np.max(x))\n    return e / np.sum(e)\n"
    replace = {"course_lib.numpy_attention:softmax": wrong}
    result = graded(proofs.notebook("a1", "solution", replace), "a1")
    entries = {entry["id"]: entry for entry in result["exercises"]}
    assert entries["1.1"]["points"] < entries["1.1"]["max_points"]
    assert entries["1.4"]["points"] == entries["1.4"]["max_points"]
    assert entries["1.4"]["carried_through"]
    assert entries["1.4"]["caused_by"] == ["1.1"]


def test_an_unwritten_upstream_exercise_costs_only_itself(graded):
    stub = Component.parse("course_lib.numpy_attention:softmax").stub("A1.1: not written")
    replace = {"course_lib.numpy_attention:softmax": stub}
    result = graded(proofs.notebook("a1", "solution", replace), "a1")
    lost = {e["id"] for e in result["exercises"] if e["status"] not in ("full", "pending")}
    assert lost == {"1.1"}


def test_a_grade_is_the_same_twice(graded):
    data = proofs.notebook("a1", "solution")
    first, second = (graded(data, "a1") for _ in range(2))
    assert {**first, "seconds": 0} == {**second, "seconds": 0}

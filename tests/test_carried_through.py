"""A mistake in one function of an exercise costs nothing where the next one builds on it."""

import proofs
import pytest

from autograder import bugs
from autograder.judge import substitutes
from autograder.judge.suite_files import proofread, suite_files
from autograder.release.components import Component
from course_lib.checking.faults import SuiteError
from course_lib.checking.suite import read_tests


@pytest.mark.parametrize("assignment", proofs.COURSE.assignments, ids=lambda one: one.id)
def test_what_a_test_builds_on_is_of_its_exercise_and_has_a_substitute(assignment):
    for path in suite_files(assignment):
        for test in read_tests(path):
            own = assignment.exercise(test.mark.exercise).names
            assert set(test.mark.after) < set(own) or not test.mark.after, test.id
            assert set(test.mark.after) <= substitutes.names(assignment), test.id


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("def softmax(x):\n    return x +\n", "line 2: SyntaxError: invalid syntax"),
        ("def softmax(x):\n    return scpy(x)\n", "line 2: the name 'scpy' is not defined"),
    ],
)
def test_a_substitute_that_cannot_run_is_told_before_anything_is_graded(
    text, told, tmp_path, monkeypatch
):
    path = tmp_path / "autograder" / "suites" / "a1" / "substitutes.py"
    path.parent.mkdir(parents=True)
    path.write_text(text, encoding="utf-8")
    monkeypatch.setattr(substitutes, "ROOT", tmp_path)
    substitutes._file.cache_clear()
    with pytest.raises(SuiteError) as caught:
        proofread(proofs.COURSE.assignment("a1"))
    substitutes._file.cache_clear()
    assert str(caught.value) == f"{path}, {told}: correct this line"


def test_a_mistake_in_the_layer_costs_nothing_in_the_stack():
    (bug,) = (b for b in bugs.load("a3") if b.name == "layer_mask_not_passed_on")
    wrong = {bug.component: bug.apply(Component.parse(bug.component).source)}
    data = proofs.notebook("a3", "solution", wrong)
    result = proofs.graded(data, "a3", only=["3.5"])
    (entry,) = (e for e in result.exercises if e.id == "3.5")
    of_stack = [t for t in entry.tests if "stack" in t.id and t.outcome != "PASSED"]
    assert of_stack
    for test in of_stack:
        assert test.carried_through
        assert test.caused_by == ["EncoderLayer"]
        assert test.points == test.max_points
    lost = [t for t in entry.tests if not t.points]
    assert lost
    assert not any("stack" in t.id for t in lost)
    assert entry.caused_by == []  # the mistake is in this exercise itself


def test_a_mistake_in_the_stack_is_not_carried_through():
    (bug,) = (b for b in bugs.load("a3") if b.name == "stack_mask_not_passed_on")
    wrong = {bug.component: bug.apply(Component.parse(bug.component).source)}
    data = proofs.notebook("a3", "solution", wrong)
    result = proofs.graded(data, "a3", only=["3.5"])
    (entry,) = (e for e in result.exercises if e.id == "3.5")
    assert not entry.carried_through
    assert any(not t.points for t in entry.tests)

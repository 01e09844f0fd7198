"""A mistake in one function of an exercise costs nothing where the next one builds on it."""

import ast

import proofs
import pytest
from checkout import elsewhere, place
from world_tables import cases, texts

from grader.checking.faults import SuiteError
from grader.checking.suite import read_tests
from grader.course import mistakes
from grader.judge import substitutes
from grader.judge.suite_run import proofread, suite_files
from grader.library.components import Component
from grader.notebook.statements import global_names


@pytest.mark.parametrize("assignment", proofs.COURSE.assignments, ids=lambda one: one.id)
def test_what_a_test_builds_on_is_of_its_exercise_and_has_a_substitute(assignment):
    for path in suite_files(assignment):
        for test in read_tests(path):
            own = assignment.exercise(test.mark.exercise).names
            assert set(test.mark.builds_on) < set(own) or not test.mark.builds_on, test.id
            assert set(test.mark.builds_on) <= substitutes.names(assignment), test.id


@pytest.mark.parametrize("assignment", proofs.COURSE.graded, ids=lambda one: one.id)
def test_every_step_that_an_exercise_builds_on_is_carried_through(assignment):
    after = {"hidden": dict[str, set[str]](), "public": dict[str, set[str]]()}
    for path in suite_files(assignment):
        kind = "public" if path.parent.name == "public_tests" else "hidden"
        for test in read_tests(path):
            after[kind].setdefault(test.mark.exercise, set()).update(test.mark.builds_on)
    for exercise in assignment.exercises:
        for component in map(Component.parse, exercise.components):
            steps = global_names(component.source) & set(exercise.names) - {component.name}
            for kind, of in after.items():
                assert steps <= of.get(exercise.id, set()), (kind, component)


@cases("broken_substitutes")
def test_a_substitute_that_cannot_run_is_told_before_anything_is_graded(text, told, tmp_path):
    path = place(tmp_path / "autograder" / "a1" / "reference.py", text)
    substitutes.read.cache_clear()
    with pytest.raises(SuiteError) as caught:
        proofread(elsewhere(proofs.COURSE.assignment("a1"), tmp_path))
    substitutes.read.cache_clear()
    assert str(caught.value) == f"{path}, {told}: correct this line"


def graded(assignment, exercise, name):
    """The exercise's entry for a solution with this named bug in it."""
    bug = mistakes.named(proofs.COURSE, f"{assignment}/{name}")
    wrong = {bug.component: bug.apply(Component.parse(bug.component).source)}
    data = proofs.notebook(assignment, "solution", wrong)
    result = proofs.graded(data, assignment, only=[exercise])
    (entry,) = (e for e in result.exercises if e.id == exercise)
    return entry


@cases("mistakes_in_a_step", slow=lambda id, exercise, *_: exercise in ("4.3", "4.11", "4.19"))
def test_a_mistake_in_a_step_costs_nothing_in_what_builds_on_it(
    assignment, exercise, name, step, on_it
):
    entry = graded(assignment, exercise, name)
    later = [t for t in entry.tests if any(part in t.id for part in on_it)]
    failed = [t for t in later if t.outcome != "PASSED"]
    assert failed
    for test in failed:
        assert test.carried_through
        assert step in test.caused_by
        assert test.points == test.max_points
    lost = [t for t in entry.tests if not t.points]
    assert lost
    assert not any(t in later for t in lost)
    assert entry.caused_by == []  # the mistake is in this exercise itself


@pytest.mark.long
@pytest.mark.parametrize(
    ("assignment", "exercise", "name"),
    [("a3", "3.5", "stack_mask_not_passed_on"), ("a4", "4.11", "beam_unsorted")],
)
def test_a_mistake_in_what_builds_on_it_is_not_carried_through(assignment, exercise, name):
    entry = graded(assignment, exercise, name)
    assert not entry.carried_through
    assert any(not t.points for t in entry.tests)


# What a test passes in behaves like what the handout names: a module, an optimizer, a schedule.


# what a careful student does before the work: none of it may fail, or change a result
HELPERS = texts("use_as_a_careful_student_does")
USES = texts("uses_of_what_is_passed_in")


def using(component, use):
    """The component's source, whose last definition begins with the use of what it is given."""
    tree = ast.parse(component.source)
    last = tree.body[-1]
    found = [one for one in getattr(last, "body", ()) if getattr(one, "name", "") == "__init__"]
    function = found[0] if isinstance(last, ast.ClassDef) else last
    function.body[1 if ast.get_docstring(function) else 0 : 0] = ast.parse(use).body
    return f"{HELPERS}\n{ast.unparse(tree)}"


@pytest.mark.parametrize(("assignment", "id", "component", "use"), USES)
def test_what_is_passed_in_can_be_used_as_what_the_handout_names(assignment, id, component, use):
    source = using(Component.parse(component), use)
    data = proofs.notebook(assignment, "solution", {component: source})
    result = proofs.graded(data, assignment, only=[id])
    assert [(test.id, test.message) for test in result.tests if not test.points] == []

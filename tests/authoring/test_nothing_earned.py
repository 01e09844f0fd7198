"""Whoever writes nothing earns nothing, also where a test asks only what must not happen."""

import ast

import proofs
import pytest

from grader.checking.session import ALONE
from grader.checking.suite import read_tests
from grader.library.components import Component

NOTHING = {
    "returns None": "def {name}(*args, **kwargs):\n    return None\n",
    "returns its argument": "def {name}(*args, **kw):\n    return [*args, *kw.values()][0]\n",
    "refuses everything": "def {name}(*args, **kwargs):\n    raise ValueError(args, kwargs)\n",
    "an empty module": """
from torch import nn

class {name}(nn.Module):
    def __init__(self, *args, **kwargs):
        super().__init__()

    def forward(self, x, *args, **kwargs):
        return x
""",
}
EXERCISES = [
    (assignment, exercise)
    for assignment in proofs.COURSE.graded
    for exercise in assignment.exercises
    if exercise.components
]
SPLIT_HEADS = "course_lib.attention:split_heads"


def written(component, way):
    name = component.rpartition(":")[2]
    is_class = isinstance(ast.parse(Component.parse(component).source).body[-1], ast.ClassDef)
    return NOTHING["an empty module" if is_class else way].format(name=name)


def graded(assignment, exercise, replaced):
    data = proofs.notebook(assignment.id, "solution", replaced)
    result = proofs.graded(data, assignment.id, only=[exercise.id])
    return next(entry for entry in result.exercises if entry.id == exercise.id)


@pytest.mark.slow
@pytest.mark.parametrize("way", [way for way in NOTHING if "module" not in way])
@pytest.mark.parametrize(
    ("assignment", "exercise"), EXERCISES, ids=[exercise.id for _, exercise in EXERCISES]
)
def test_an_exercise_in_which_nothing_is_computed_earns_nothing(assignment, exercise, way):
    replaced = {component: written(component, way) for component in exercise.components}
    entry = graded(assignment, exercise, replaced)
    assert {test.id: test.points for test in entry.tests if test.points} == {}


def test_a_refusal_counts_beside_a_value_and_says_so():
    assignment = proofs.COURSE.assignment("a2")
    exercise = assignment.exercise("2.2")
    entry = graded(assignment, exercise, {SPLIT_HEADS: written(SPLIT_HEADS, "refuses everything")})
    refusals = [test for test in entry.tests if "indivisible" in test.id]
    assert len(refusals) == 2
    assert {test.points for test in refusals} == {0}
    assert {test.message for test in refusals} == {ALONE}


@pytest.mark.parametrize(
    ("assignment", "exercise"), EXERCISES, ids=[exercise.id for _, exercise in EXERCISES]
)
def test_what_counts_beside_a_test_names_one_that_counts_alone(assignment, exercise):
    marks = {
        test.id.rpartition("::")[2]: test.mark
        for path in [*assignment.public_tests, *assignment.hidden_tests()]
        for test in read_tests(path)
        if test.mark.exercise == exercise.id
    }
    named = {name for mark in marks.values() for name in mark.beside}
    assert named <= marks.keys()
    assert not [name for name in named if marks[name].beside]

"""Answers that are right on a CPU and mix devices on a GPU fail their exercise's tests."""

import importlib
import inspect

import in_process
import pytest
from world_tables import texts

from grader.checking import session
from grader.checking.findings import right_form
from grader.judge.suite_run import suite_files
from grader.library.components import Component

WRONG = texts("mixed_devices")


@pytest.mark.parametrize("name", WRONG)
def test_an_answer_that_mixes_devices_fails(course, name):
    id, place, right, wrong = WRONG[name]
    component = Component.parse(place)
    module = importlib.import_module(component.module)
    source = inspect.getsource(module)
    assert source.count(right) == 1
    namespace = {"__name__": module.__name__, "__package__": module.__package__}
    exec(source.replace(right, wrong), namespace)
    assignment = course.assignment_of(id)
    for exercise in assignment.exercises:  # its other answers are the library's
        for other in map(Component.parse, exercise.components):
            namespace.setdefault(
                other.name, getattr(importlib.import_module(other.module), other.name)
            )
    results = session.run(
        assignment,
        in_process.student(namespace),
        files=suite_files(assignment),
        exercises=[id],
        right=right_form.answers(assignment),
    )
    failed = [str(result.message) for result in results if result.message]
    assert failed, name
    assert any("device" in message for message in failed), failed

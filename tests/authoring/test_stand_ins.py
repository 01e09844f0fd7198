"""Stand-ins give what the library gives, so that the next assignment need not wait."""

import importlib
import json
import subprocess
import sys
from functools import cache

import in_process
import proofs
import pytest
from checkout import ROOT
from world_tables import texts

from autograder.stand_ins import encoder
from course_lib.encoder import Encoder
from grader.authoring import likeness
from grader.checking import session
from grader.checking.findings import right_form
from grader.course.assignment import Assignment
from grader.judge.suite_run import suite_files
from grader.library import student_tree
from grader.library.components import Component

DIFFERENT = {  # torch's own functions refuse other shapes
    "exercise_2_1.py::test_leading_axes",
    "test_2_1_attention.py::test_shapes_and_dtypes",
}


def stand_ins(exercise):
    """Those for components of an exercise, by name."""
    components = map(Component.parse, exercise.components)
    places = {c.name: c.module.replace("course_lib", "autograder.stand_ins", 1) for c in components}
    there = {n: p for n, p in places.items() if (ROOT / f"{p.replace('.', '/')}.py").is_file()}
    found = {name: vars(importlib.import_module(place)) for name, place in there.items()}
    return {name: module[name] for name, module in found.items() if name in module}


@pytest.mark.filterwarnings("ignore:enable_nested_tensor")
@pytest.mark.parametrize(("id", "names"), [("a2", 4), ("a3", 10)])
def test_stand_ins_pass_the_tests_of_what_they_stand_in_for(course, id, names, monkeypatch):
    """But that they use what students may not: they are no answer."""
    monkeypatch.setattr(Assignment, "forbidden_in", lambda *_: [])
    assignment = course.assignment(id)
    own = {e.id: found for e in assignment.exercises if (found := stand_ins(e))}
    whole = {name: made for found in own.values() for name, made in found.items()}
    assert len(whole) == names
    results = session.run(
        assignment,
        in_process.student(whole),
        files=suite_files(assignment),
        exercises=own,
        right=right_form.answers(assignment),  # without them, questions would only be asked
    )
    passed = [one for one in results if one.outcome == session.PASSED]
    failed = {one.id: one for one in results if one.outcome not in (session.PASSED, "MISSING")}
    assert len(passed) > 25
    assert failed.keys() == {one for one in DIFFERENT if one in {r.id for r in results}}, failed


def test_weights_of_a_stand_in_fit_the_library():
    for norm_first in (False, True):
        sizes = (2, 8, 2, 12, 0.3, norm_first)
        assert encoder.Encoder(*sizes).state_dict().keys() == Encoder(*sizes).state_dict().keys()


@pytest.mark.parametrize("assignment", ["a3", "a4", "a5"])
def test_an_assignment_sees_stand_ins_for_earlier_ones_and_no_answer(course, tmp_path, assignment):
    student_tree.write(course, tmp_path, assignment)
    hidden = student_tree.unreleased(course)
    assert likeness.find_leaks(proofs.code_of_tree(tmp_path), hidden) == []
    text = (tmp_path / "course_lib" / "attention.py").read_text(encoding="utf-8")
    assert "multi_head_attention_forward" in text
    assert "class MultiHeadAttention" in text


TRIAL = texts("trial")


@cache
def losses(tree):
    """The validation losses of a trial of assignment 5 with the library of a tree."""
    answer = Component.parse("course_study.trial:run_trial").source
    command = [sys.executable, "-c", TRIAL.format(answer=answer)]
    ran = subprocess.run(command, cwd=tree, capture_output=True, text=True, timeout=300, check=True)
    return json.loads(ran.stdout.splitlines()[-1])


@pytest.mark.long
@pytest.mark.parametrize(
    "out", [(), *(pytest.param((id,), marks=pytest.mark.long) for id in ("a2", "a3"))], ids="-".join
)
def test_a_trial_is_the_same_with_stand_ins(course, tmp_path, out):
    """So that the grader, which has the answers, can train a row of a study again."""
    student_tree.write(course, tmp_path, "a5", out)
    assert losses(tmp_path) == pytest.approx(losses(ROOT), abs=1e-4)


def test_no_assignment_sees_stand_ins_for_its_own_exercises(course, tmp_path):
    student_tree.write(course, tmp_path, "a2")
    text = (tmp_path / "course_lib" / "attention.py").read_text(encoding="utf-8")
    assert "multi_head_attention_forward" not in text
    assert "raise NotImplementedError" in text

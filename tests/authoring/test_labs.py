"""Optional labs: built and checked as assignments are, without points, and proven by mistakes."""

import json
import re
import sys

import pytest
from checkout import ROOT
from proofs import COURSE, local_worker

from course_lib.families.cached_attention import KeysAndValues
from grader.authoring import course_build
from grader.authoring.proof import cases
from grader.authoring.release import contents
from grader.authoring.views import notebooks
from grader.checking import session
from grader.checking.findings import shown_answers
from grader.checking.notebook import check
from grader.cli import lookup
from grader.cli.output import UsageProblem
from grader.judge.workers.load import Load
from grader.library.components import BuildError
from grader.notebook import notebook_file
from grader.notebook.collect import collect
from grader.seam import Student
from grader.student import program

LABS = {lab.id: lab for lab in COURSE.labs}
CASES = {f"{lab.id} {case.name}": case for lab in COURSE.labs for case in cases.of(lab)}
OUT = ["a1", "a2", "a3", "a4"]


def failing(case):
    """The messages of the visible checks that a known notebook fails, by test."""
    lab = LABS[case.assignment]
    names = [name for exercise in lab.exercises for name in exercise.names]
    collected = collect(notebook_file.read(case.notebook), names)
    only = [case.bug.exercise] if case.bug else None
    with local_worker(Load(collected.statements, collected.unavailable)) as worker:
        tests = session.run(
            lab,
            Student(worker),
            files=lab.public_tests,
            exercises=only,
            right=shown_answers.right_answer,
            causes=shown_answers.causes_of(lab.public_tests),
        )
    return {test.id: test.message for test in tests if test.message}


@pytest.mark.parametrize("name", CASES)
def test_visible_checks_pass_right_answers_and_catch_each_mistake(name):
    case = CASES[name]
    found = failing(case)
    if case.kind == "starter":
        assert {message.got for message in found.values()} == {"not written yet"}
    elif case.bug is None:
        assert found == {}
    else:
        assert any(case.bug.sentence in m.cause for m in found.values() if m.seen)


def test_a_lab_is_in_no_grade_and_in_no_list_of_what_is_graded():
    assert LABS
    ids = {assignment.id for assignment in COURSE.graded}
    assert not ids & {*LABS} | {*COURSE.weights} & {*LABS}
    assert COURSE.assignment_of("L1.3") is COURSE.assignment("lab1")
    assert COURSE.assignment_of("1.3") is COURSE.assignment("a1")
    for lab in LABS.values():
        assert not any(exercise.points for exercise in lab.exercises)
        assert not lab.hidden_tests()
        assert lab.label in notebooks.dump(notebooks.build(COURSE, lab, "starter"))


def test_a_lab_comes_with_its_answers_once_those_that_it_builds_on_are_out():
    assert contents.in_week(COURSE, 6, OUT) == COURSE.assignments
    assert contents.in_week(COURSE, 7, OUT[:3]) == COURSE.assignments
    assert contents.in_week(COURSE, 7, OUT) == [*COURSE.assignments, *COURSE.labs]
    files = contents.of_week(COURSE, 7, OUT)
    for id in LABS:
        starter = files[f"assignments/labs/{id}/{id}.ipynb"]
        assert starter == files[f"assignments/labs/{id}/starter/{id}.ipynb"]
        assert b"NotImplementedError" in starter
        assert b"hand_in" not in starter
        assert f"solutions/{id}.ipynb" in files
        assert f"assignments/labs/{id}/README.md" in files["README.md"].decode()
    assert "## Optional labs" in files["README.md"].decode()
    given = {name for id in LABS for name in _imported(files[f"solutions/{id}.ipynb"])}
    lacking = {name for name in given if f"{name.replace('.', '/')}.py" not in files}
    assert lacking - {"course_lib"} == set(), "a lab imports what students do not have"


def _imported(data):
    """The modules of the library that a notebook imports."""
    text = "".join(cell.source + "\n" for cell in notebook_file.read(data))
    return set(re.findall(r"^from (course_lib[\w.]*) import", text, re.MULTILINE))


def test_lab_3_draws_the_accuracy_that_was_measured_for_assignment_3():
    measured = json.loads((ROOT / "results" / "sst2_cpu.json").read_text(encoding="utf-8"))
    reached = measured["measures"]["validation_accuracy"]["mean"]
    text = (ROOT / LABS["lab3"].source).read_text(encoding="utf-8")
    assert f'axvline({reached:.1f}, color="black", linestyle=":", label="assignment 3' in text


def test_a_starter_with_its_own_answer_is_refused():
    lab = COURSE.labs[0]
    leaky = notebooks.build(COURSE, lab, "solution")
    with pytest.raises(BuildError, match="rotate"):
        course_build._prove_no_leak(COURSE, lab, leaky)


def test_a_check_in_a_lab_has_no_points(monkeypatch, capsys):
    monkeypatch.setattr(sys.modules["__main__"], "KeysAndValues", KeysAndValues, raising=False)
    assert check("L1.3") is None
    assert "L1.3 What has been read: 2 of 2 visible checks pass" in capsys.readouterr().out
    monkeypatch.setattr(KeysAndValues, "keep", lambda self, rows: None)
    check("L1.3")
    told = capsys.readouterr().out
    assert "1 of 2 visible checks pass" in told
    assert "choose the same rows of both tensors" in told


def test_a_lab_is_no_assignment_to_commands_that_grade():
    assert lookup.notebook(COURSE, "lab1") is LABS["lab1"]
    for refused in (
        lambda: lookup.assignment(COURSE, "lab1"),
        lambda: lookup.owner(COURSE, "L1.3"),
    ):
        with pytest.raises(UsageProblem, match="lab1 is a lab, which is never handed in"):
            refused()


@pytest.mark.parametrize(
    ("command", "told"),
    [
        (["submit", "lab1"], "labs are not handed in"),
        (["check", "lab1", "--full"], "leave out --full"),
    ],
)
def test_nothing_is_handed_in_or_hidden(command, told, monkeypatch, capsys):
    monkeypatch.chdir(ROOT)
    with pytest.raises(SystemExit) as ended:
        program.main(command)
    assert ended.value.code == program.EXIT_USAGE
    assert told in capsys.readouterr().err

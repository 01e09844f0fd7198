"""The coding exam: written for the exam room, graded in the sandbox, and in no release."""

import json
import os
import re
import subprocess
import sys

import pytest
from checkout import ROOT
from proofs import COURSE, graded, notebook, with_cells
from world_tables import texts

from grader.authoring import course_build
from grader.authoring import nbgrader_folder as course_folder
from grader.authoring.proof import claims
from grader.authoring.release import contents
from grader.authoring.views import notebooks, text_notebook
from grader.cli.authoring import exam_command
from grader.course import mistakes
from grader.course.course import Course
from grader.grading import judge_process, warm_processes
from grader.library.components import BuildError, Component

pytestmark = pytest.mark.xdist_group("coding_exam")  # its workers are started once

EXAM = COURSE.assignment("exam")
BROKEN = {c.argument: c.bug for c in text_notebook.read(EXAM) if c.bug}
LONG = "autograder.exam.long_attention:long_attention"
HONEST_ONLY_WHEN_SHORT = texts("honest_only_when_short", "coding_exam.toml")
# Takes what it can find: the library's answers, the hidden tests, what a test expects.
HOSTILE = texts("hostile", "coding_exam.toml")


@pytest.fixture(scope="module")
def sandboxed():
    """Opens a sandboxed worker, as in grading."""
    with warm_processes.started(COURSE, ["exam"]) as workers:
        yield judge_process.opener(workers["exam"], EXAM)


def changed(replace) -> bytes:
    """The model answers with other sources for some components."""
    return notebook("exam", "solution", replace)


def test_the_model_answers_get_all_points(sandboxed):
    result = graded(changed({}), "exam", sandboxed)
    assert claims.everything(result) == ""
    assert result.totals.total == 100


def test_the_notebook_as_handed_out_gets_none(sandboxed):
    result = graded(notebook("exam", "starter"), "exam", sandboxed)
    assert result.outcome == "GRADED"
    assert [(e.id, e.points) for e in result.exercises if e.points] == []
    assert len([e for e in result.exercises if e.status == "zero"]) == len(BROKEN) == 5


@pytest.mark.parametrize(
    "component",
    [pytest.param(c, marks=pytest.mark.slow if n else ()) for n, c in enumerate(BROKEN)],
)
def test_a_part_left_broken_loses_its_points_alone(component, sandboxed):
    bug = mistakes.named(Course.here(), BROKEN[component])
    source = bug.apply(Component.parse(component).source)
    result = graded(changed({component: source}), "exam", sandboxed)
    own = next(e for e in EXAM.exercises if component in e.components)
    assert {e.id: e.points for e in result.exercises if e.points != e.max_points} == {own.id: 0}


def test_the_table_of_all_weights_is_seen_though_it_is_made_for_long_sequences_only(sandboxed):
    result = graded(changed({LONG: HONEST_ONLY_WHEN_SHORT}), "exam", sandboxed, ["0.9"])
    failed = {id: test.outcome for id, test in claims.failing(result).items()}
    assert failed == {"test_0_1_to_0_9.py::test_never_holds_all_weights": "FAILED"}


def test_a_hostile_notebook_gets_nothing_and_harms_nobody(sandboxed, tmp_path):
    data = notebook("exam", "starter", HOSTILE)
    result = graded(data, "exam", sandboxed)
    assert {e.id: e.points for e in result.exercises if e.points} == {}
    assert not os.path.exists("/tmp/was_here")
    again = graded(changed({}), "exam", sandboxed, ["0.1", "0.2"])
    assert [e.points for e in again.exercises] == [16, 8]


def test_who_deletes_a_stub_does_not_get_the_librarys_answer(sandboxed):
    built = json.loads(notebook("exam", "starter"))
    cells = [c for c in built["cells"] if "class MultiHeadAttention" not in "".join(c["source"])]
    imported = "from course_lib.attention import MultiHeadAttention, attention\n"
    data = with_cells(json.dumps(built | {"cells": cells}).encode(), imported)
    result = graded(data, "exam", sandboxed, ["0.1", "0.3"])
    assert [e.points for e in result.exercises] == [0, 0]


def test_the_exam_room_has_the_checks_and_no_answer(tmp_path):
    path = exam_command.write_exam(COURSE, tmp_path / "room")
    room = tmp_path / "room"
    assert path == room / "assignments" / "exam" / "exam.ipynb"
    texts = {p: p.read_text(encoding="utf-8") for p in room.rglob("*.py")}
    names = {p.relative_to(room).as_posix() for p in texts}
    assert "assignments/exam/public_tests/exercise_0_1_to_0_9.py" in names
    assert not [name for name in names if name.startswith(("autograder", "solutions"))]
    assert "x.transpose(1, 2).reshape" not in "".join(texts.values())
    code = (
        f"cells = __import__('json').load(open({str(path)!r}))['cells']\n"
        "for c in cells:\n"
        "    text = ''.join(c['source'])\n"
        "    if c['cell_type'] == 'code' and 'hand_in' not in text: exec(text, globals())\n"
    )
    environment = {k: v for k, v in os.environ.items() if k != "PYTHONPATH"}
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=path.parent,
        env=environment,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    assert "0.4 Repair the layer normalization: 0 of 1 visible checks pass" in done.stdout
    assert "0.9 Attention for long sequences: not written yet" in done.stdout
    with pytest.raises(BuildError, match="not empty"):
        exam_command.write_exam(COURSE, room)


def test_the_answers_are_the_solution(tmp_path):
    path = exam_command.write_answers(COURSE, tmp_path)
    solution = notebooks.dump(notebooks.build(COURSE, EXAM, "solution"))
    assert path.read_text(encoding="utf-8") == solution


def test_an_answer_in_the_notebook_of_the_room_stops_the_build():
    starter = notebooks.build(COURSE, EXAM, "solution")
    with pytest.raises(BuildError, match="long_attention"):
        course_build._prove_no_leak(COURSE, EXAM, starter)


@pytest.mark.long
@pytest.mark.parametrize("week", [COURSE.weeks[0].number, COURSE.weeks[-1].number])
def test_a_release_contains_nothing_of_the_exam(week):
    ids = [assignment.id for assignment in COURSE.assignments]
    check_without_exam(contents.of_week(COURSE, week, ids if week == 7 else []))


@pytest.mark.long
def test_the_tree_for_self_study_contains_nothing_of_the_exam():
    check_without_exam(contents.opened(COURSE))


def check_without_exam(files):
    assert not [name for name in files if re.search(r"\bexam\b", name)]
    for name, data in files.items():
        assert b"long_attention" not in data, name


def test_the_paper_has_the_points_and_minutes_of_the_exam():
    paper = (ROOT / "lectures" / "teach" / "coding_exam.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| (0\.\d) ([^|]+) \| (\d+) \|$", paper, re.M)
    assert rows == [(e.id, e.title, f"{e.points:g}") for e in EXAM.exercises]
    of_tasks = re.findall(r"\((\d+) points, (\d+) minutes\)", paper)
    tasks = [EXAM.exercises[:3], EXAM.exercises[3:8], EXAM.exercises[8:]]
    wanted = [(f"{sum(e.points for e in t):g}", str(sum(e.minutes for e in t))) for t in tasks]
    assert of_tasks == wanted
    source = (ROOT / EXAM.source).read_text(encoding="utf-8")
    assert re.findall(r"\((\d+) points, (\d+) minutes\)", source) == wanted
    assert EXAM.minutes == 90


def test_the_exam_is_not_written_for_nbgrader(tmp_path):
    with pytest.raises(BuildError, match="`course exam` writes it"):
        course_folder.write(COURSE, tmp_path, ["exam"])

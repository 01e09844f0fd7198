"""Exams, rubrics and workshops: points add up, numbers are computed, bugs exist."""

import contextlib
import io
import math
import re
import textwrap

import in_process
import numpy as np
import pytest
import torch
from checkout import ROOT, syllabus
from proofs import COURSE, local_worker
from sample_results import sample

from course_lib.analysis.attention_properties import operation_counts
from course_lib.attention import MultiHeadAttention
from course_lib.masks import target_mask
from course_lib.numpy_forms.attention import attention, softmax
from grader.authoring.proof import cases, challenge
from grader.checking.session import PASSED
from grader.classroom.roster import Roster
from grader.course import mistakes
from grader.course.course import Course
from grader.gradebook.course_grades import course_grades
from grader.judge.grade import grade
from grader.judge.suite_run import Submitted

TEACH = ROOT / "lectures" / "teach"


def text(name: str) -> str:
    return (TEACH / f"{name}.md").read_text(encoding="utf-8")


def sections(name: str) -> dict[str, str]:
    """The text below each heading of the second level."""
    parts = re.split(r"^## (.+)$", text(name), flags=re.MULTILINE)
    return dict(zip(parts[1::2], parts[2::2], strict=True))


def column(section: str, number: int) -> list[int]:
    """The numbers in a column of a section's table."""
    rows = [line.split("|")[1:-1] for line in section.splitlines() if line.startswith("|")]
    return [int(row[number]) for row in rows[2:]]


def test_the_points_of_the_theory_exam_add_up():
    paper, solutions = sections("theory_exam"), sections("theory_exam_solutions")
    assert len(paper) == len(solutions) == 7
    total = 0
    for (title, asked), (solved, scheme) in zip(paper.items(), solutions.items(), strict=True):
        points = int(re.search(r"\((\d+) points\)", title)[1])
        assert re.search(r"\((\d+) points\)", solved)[1] == str(points)
        of_parts = [int(n) for n in re.findall(r"\((\d+) points\)", asked)]
        assert sum(of_parts) == points
        steps = [line for line in scheme.splitlines() if re.match(r"\| \d\.\d ", line)]
        assert sum(column(scheme, 1)) == points
        for part, wanted in enumerate(of_parts, 1):
            if steps:
                own = [s for s in steps if s.startswith(f"| {title[9]}.{part} ")]
                assert sum(int(s.split("|")[2]) for s in own) == wanted
        total += points
    assert total == 60


def test_the_numbers_of_the_theory_exam_are_computed():
    solutions = text("theory_exam_solutions")
    keys = np.array([[1.0, 1, 1, 1], [1, 1, -1, -1]])
    output, weights = attention(np.ones((1, 4)), keys, np.array([[8.0, 0], [0, 4]]))
    assert f"= {weights[0, 0]:.4f}$ and ${weights[0, 1]:.4f}$" in solutions
    assert f"{weights[0, 0]:.2f} and {weights[0, 1]:.2f}" in solutions
    assert f"({output[0, 0]:.2f}, {output[0, 1]:.2f})" in solutions
    sizes = {
        sum(p.numel() for p in MultiHeadAttention(256, heads, bias=False).parameters())
        for heads in (4, 16)
    }
    assert sizes == {262144}
    assert "262,144 parameters" in solutions
    counts = operation_counts(4096, 512)
    ratio = counts["self-attention"]["operations"] / counts["recurrent"]["operations"]
    assert f"= {ratio:g}$ times" in solutions
    taken = 8 * 4096**2 * torch.finfo(torch.float32).bits // 8
    shown = f"{taken:,}".replace(",", "{,}")
    assert f"= {shown}$ bytes $= {taken // 2**20}$ MiB" in solutions
    mask = target_mask(torch.tensor([[7, 8, 9, 0]]))[0, 0].int().tolist()
    assert "\n".join("    " + " ".join(map(str, row)) for row in mask) in solutions


def test_what_the_code_of_the_theory_exam_prints_is_what_the_solutions_say():
    blocks = re.findall(r"```python\n(.*?)```", text("theory_exam"), re.DOTALL)
    shapes, masked, _ = (textwrap.dedent(block) for block in blocks)
    with contextlib.redirect_stdout(io.StringIO()) as printed:
        exec(shapes, {"torch": torch})
    lines = printed.getvalue().splitlines()
    assert ", ".join(f"`{line}`" for line in lines) in text("theory_exam_solutions")
    names = {"np": np, "softmax": softmax}
    with contextlib.redirect_stdout(io.StringIO()) as printed:
        exec(masked, names)
    weights, _, total = printed.getvalue().strip().rpartition(" ")
    solved = " ".join(text("theory_exam_solutions").split())
    assert " ".join(f"`{weights}` and `{total}`".split()) in solved
    right = softmax(np.where(names["allowed"], names["scores"], -1e30))[0]
    assert "$({:.3f}, {:.3f}, {:.0f})$".format(*right) in solved


def test_the_map_of_the_time_encoding_depends_on_the_difference_alone():
    omega, t, delta = 0.3, 5.0, 2.5
    turn = np.array(
        [
            [math.cos(omega * delta), math.sin(omega * delta)],
            [-math.sin(omega * delta), math.cos(omega * delta)],
        ]
    )
    before = [math.sin(omega * t), math.cos(omega * t)]
    after = [math.sin(omega * (t + delta)), math.cos(omega * (t + delta))]
    np.testing.assert_allclose(turn @ before, after)


def test_every_rubric_adds_up_to_a_hundred():
    rubrics = sections("rubrics")
    assert len(rubrics) >= 5
    assert {title: sum(column(of, 1)) for title, of in rubrics.items()} == dict.fromkeys(
        rubrics, 100
    )


@pytest.fixture
def proposed(tmp_path):
    """The course with the weights that the page proposes."""
    table = re.search(r"```toml\n(.*?)```", text("grade_weights"), re.DOTALL)[1]
    assert "[grading]" not in (ROOT / "course.toml").read_text(encoding="utf-8")
    return Course.load(syllabus(tmp_path, lambda given: f"{given}\n{table}"))


def test_the_proposed_weights_are_accepted(proposed):
    alone = proposed.grading.standing_alone(proposed.weights)
    assert sum(alone.values()) == 100
    assert sorted(alone.values()) == sorted(column(text("grade_weights"), 1))


def test_the_theory_exam_and_the_coding_exam_both_count(proposed):
    """Two thirds of the 30 for 50 of 100 points in code, one third for 60 of 60 on paper."""
    coding = sample("ada", "exam")
    totals = coding.totals.model_copy(update={"total": coding.totals.max / 2})
    coding = coding.model_copy(update={"totals": totals})
    marks = {("ada", "theory"): (60.0, 60.0)}
    (grade,) = course_grades([coding], proposed, Roster(), marks, so_far=False)
    assert (grade.marks["exam"].percent, grade.marks["theory"].percent) == (50, 100)
    assert grade.total == 20 * 0.5 + 10


def red_at_the_start(bug: mistakes.Bug, id: str) -> bool:
    """Whether the grader's own run of the visible tests finds this bug."""
    data = cases.Case(id, "bug", bug=bug).notebook
    result = grade(
        Submitted(COURSE.assignment(id), data, {}, [bug.exercise], True), COURSE, local_worker
    )
    (found,) = (e for e in result.exercises if e.id == bug.exercise)
    return any(test.outcome != PASSED for test in found.tests)


@pytest.mark.parametrize("seed", [0, 3])  # they once drew bugs that only hidden tests catch
def test_every_drawn_bug_makes_a_visible_check_fail(course, seed):
    found = challenge.chosen(course, course.assignment("a1"), [], 3, seed)
    assert len(found) == 3
    assert [bug.name for bug in found if not red_at_the_start(bug, "a1")] == []


def test_a_bug_that_no_visible_check_catches_is_told(tmp_path):
    asked = ("--bug", "gap_close_is_zero", "--bug", "softmax_no_max_shift", "--to", tmp_path)
    done = in_process.course("challenge", "a1", *asked)
    assert "! gap_close_is_zero: no visible check of 1.8 catches it" in done.output
    assert "! softmax" not in done.output


def test_the_commands_of_the_workshop_name_bugs_that_exist(course):
    handed = text("bugs_workshop").replace("\\\n", " ")  # a command on two lines
    commands = re.findall(r"course challenge (a\d)(.*)", handed)
    assert len(commands) >= 4
    for id, options in commands:
        names = re.findall(r"--bug (\w+)", options)
        found = challenge.chosen(course, course.assignment(id), names, 3, 1)
        for bug in found:
            assert red_at_the_start(bug, id), f"{bug.name}: the pairs see nothing but green"
    assert {file for _, file in re.findall(r"student check (a\d) (\S+\.ipynb)", handed)} == {
        f"{id}_broken.ipynb" for id, _ in commands
    }


def test_a_challenge_with_one_bug_is_the_submission_that_the_grader_is_proven_to_catch(course):
    assignment = course.assignment("a1")
    (bug,) = challenge.chosen(course, assignment, ["attention_not_scaled"], 0, 0)
    made = challenge.notebook(course, assignment, [bug])
    assert made.encode() == cases.Case("a1", "bug", bug=bug).notebook


def test_the_command_makes_a_notebook_and_its_key(tmp_path, course):
    in_process.printed("challenge", "a1", "--seed", "4", "--to", tmp_path)
    found = challenge.chosen(course, course.assignment("a1"), [], 3, 4)
    assert len({bug.component for bug in found}) == 3
    notebook = (tmp_path / "a1_broken.ipynb").read_text(encoding="utf-8")
    sheet = (tmp_path / "a1_key.md").read_text(encoding="utf-8")
    for bug in found:
        assert bug.sentence in sheet
        assert bug.sentence not in notebook


@pytest.mark.parametrize(
    ("names", "number", "said"),
    [
        (["nothing"], 3, "has no bug 'nothing'"),
        (["attention_not_scaled", "attention_mask_ignored"], 3, "two of the bugs are in"),
        ([], 99, "99 bugs in different components"),
    ],
)
def test_what_cannot_be_made_is_said_in_a_sentence(course, names, number, said):
    with pytest.raises(mistakes.BugError, match=said):
        challenge.chosen(course, course.assignment("a1"), names, number, 0)


def test_a_draw_among_bugs_that_nothing_catches_is_refused(course, monkeypatch):
    monkeypatch.setattr(challenge, "is_visible", lambda *_: False)
    with pytest.raises(mistakes.BugError, match="only 0 of the components of a1 have one"):
        challenge.chosen(course, course.assignment("a1"), [], 1, 0)

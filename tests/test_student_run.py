"""An assignment from beginning to end as a student has it: stand-ins, made-up data, no network.

Assignment 4 goes all the way: data, training, beam search, BLEU, the folder, and, among the slow
tests, its grade.
"""

import json

import pytest

from autograder.judge.grade import grade
from autograder.judge.models import hidden_labels
from autograder.release import course_build, notebooks, student_tree

TOLD = {"a3": "your own model: healthy", "a4": "beam 5 against greedy", "a5": "34 trials in"}


@pytest.fixture
def without_data(monkeypatch):
    monkeypatch.setenv("COURSE_PROFILE", "tiny")
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    monkeypatch.delenv("COURSE_DATA", raising=False)


def shortened(notebook, tree):
    """Assignment 4 with a twentieth of its trainings: every cell runs, and nothing is learned."""
    for path, long, short in (
        ("course_lib/recipes/translation_profiles.py", "train_limit=12_000", "train_limit=600"),
        (None, "64_000", "3_200"),  # the pairs of the toy that copies and reverses
        (None, "v[:200]", "v[:20]"),  # the sentences of the study of beam widths
    ):
        text = (tree / path).read_text(encoding="utf-8") if path else notebooks.dump(notebook)
        assert text.count(long) == 1, long
        text = text.replace(long, short)
        if path:
            (tree / path).write_text(text, encoding="utf-8")
        else:
            notebook = json.loads(text)
    return notebook


@pytest.mark.parametrize(
    ("id", "short"),
    [
        ("a3", False),
        ("a4", True),
        pytest.param("a4", False, marks=pytest.mark.slow),
        pytest.param("a5", False, marks=pytest.mark.slow),
    ],
)
def test_a_solved_notebook_runs_in_the_students_tree(
    course, tmp_path, without_data, id, short, sandbox
):
    assignment = course.assignment(id)
    student_tree.write(course, tmp_path, id, student_tree.released_before(course, id))
    solved = notebooks.build(course, assignment, "solution")
    if short:
        solved = shortened(solved, tmp_path)
    executed = course_build.run(solved, tmp_path)
    outputs = [output for cell in executed["cells"] for output in cell.get("outputs", [])]
    printed = "".join("".join(output.get("text", [])) for output in outputs)
    assert not [o for o in outputs if o["output_type"] == "error"]
    assert not [o for o in outputs if o.get("name") == "stderr"]
    assert "visible checks pass" in printed
    assert "✗" not in printed
    assert TOLD[id] in printed
    assert assignment.model is None or "Hand in this folder beside the notebook." in printed
    folder = tmp_path / "submission"
    files = {path.name: path.read_bytes() for path in folder.iterdir()}
    assert set(files) == set(assignment.files)
    if id == "a4" and not short:
        hidden = hidden_labels.load(assignment, ["generated"])
        data = notebooks.dump(executed).encode()
        result = grade(data, course, assignment, sandbox(id), files=files, hidden=hidden)
        assert result.model.bleu > 80, result.model
        assert result.model.agreement > 0.95
        assert result.totals.automatic == result.totals.automatic_max
    if id == "a5":
        result = grade(
            notebooks.dump(executed).encode(), course, assignment, sandbox(id), files=files
        )
        assert result.totals.automatic == result.totals.automatic_max == 90

"""An assignment from beginning to end as a student has it: stand-ins, made-up data, no network.

Assignment 4 goes all the way: data, training, beam search, BLEU, the folder, and its grade.
"""

import pytest

from autograder.judge import hidden_labels
from autograder.judge.grade import Model, grade
from autograder.release import course_build, notebooks, student_tree

TOLD = {"a3": "your own model: healthy", "a4": "beam 5 against greedy"}


@pytest.fixture
def without_data(monkeypatch):
    monkeypatch.setenv("COURSE_PROFILE", "tiny")
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    monkeypatch.delenv("COURSE_DATA", raising=False)


@pytest.mark.slow
@pytest.mark.parametrize("id", ["a3", "a4"])
def test_a_solved_notebook_runs_in_the_students_tree(course, tmp_path, without_data, id, sandbox):
    assignment = course.assignment(id)
    student_tree.write(course, tmp_path, id)
    solved = notebooks.build(course, assignment, "solution")
    executed = course_build.run(solved, tmp_path)
    outputs = [output for cell in executed["cells"] for output in cell.get("outputs", [])]
    printed = "".join("".join(output.get("text", [])) for output in outputs)
    assert not [o for o in outputs if o["output_type"] == "error" or o.get("name") == "stderr"]
    assert "visible checks pass" in printed
    assert "✗" not in printed
    assert TOLD[id] in printed
    assert "Hand in this folder beside the notebook." in printed
    folder = tmp_path / "submission"
    files = {path.name: path.read_bytes() for path in folder.iterdir()}
    assert set(files) == set(assignment.model.files)
    if id == "a4":
        model = Model(files, hidden_labels.load(assignment, ["generated"]))
        result = grade(
            notebooks.dump(executed).encode(), course, assignment, sandbox(id), model=model
        )
        assert result["model"]["bleu"] > 80, result["model"]
        assert result["model"]["agreement"] > 0.95
        assert result["totals"]["automatic"] == result["totals"]["automatic_max"]

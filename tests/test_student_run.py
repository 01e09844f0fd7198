"""Assignment 3 from beginning to end as a student has it: stand-ins, made-up data, no network."""

import pytest

from autograder.release import course_build, notebooks, student_tree


@pytest.fixture
def without_data(monkeypatch):
    monkeypatch.setenv("COURSE_PROFILE", "tiny")
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    monkeypatch.delenv("COURSE_DATA", raising=False)


def test_a_solved_notebook_runs_in_the_students_tree(course, tmp_path, without_data):
    student_tree.write(course, tmp_path, "a3")
    solved = notebooks.build(course, course.assignment("a3"), "solution")
    executed = course_build.run(solved, tmp_path)
    outputs = [output for cell in executed["cells"] for output in cell.get("outputs", [])]
    printed = "".join("".join(output.get("text", [])) for output in outputs)
    assert not [o for o in outputs if o["output_type"] == "error" or o.get("name") == "stderr"]
    assert "visible checks pass" in printed
    assert "✗" not in printed
    assert "your own model: healthy" in printed
    assert "Hand in this folder beside the notebook." in printed
    assert {p.name for p in (tmp_path / "submission").iterdir()} == set(
        course.assignment("a3").model.files
    )

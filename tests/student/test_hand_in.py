"""The last cell of a notebook says what `student submit` says, and brings the archive home."""

import json
import zipfile

import proofs
import pytest

from grader.intake import submissions
from grader.student.hand_in import hand_in

SCALED = "course_lib.numpy_forms.attention:scaled_scores"
UNSCALED = "def scaled_scores(query, key):\n    return query @ np.swapaxes(key, -1, -2)\n"


@pytest.fixture(autouse=True)
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("COURSE_RUNS", raising=False)
    monkeypatch.delenv("KAGGLE_KERNEL_RUN_TYPE", raising=False)
    return tmp_path


def names(path):
    with zipfile.ZipFile(path) as archive:
        return archive.namelist()


def files_of(assignment, folder):
    (folder / "submission").mkdir()
    for name in assignment.files:
        (folder / "submission" / name).write_text("x", encoding="utf-8")
    return [f"submission/{name}" for name in assignment.files]


def test_it_says_what_the_grader_will_see_and_where_the_archive_is(here, capsys):
    (here / "a1.ipynb").write_bytes(proofs.notebook("a1", "solution", {SCALED: UNSCALED}))
    path = hand_in("a1")
    said = capsys.readouterr().out
    assert names(path) == ["a1.ipynb"]
    assert "  1.3   scaled_scores: cell " in said
    assert "visible checks fail: 1.3" in said
    assert said.endswith(f"The archive: {path.resolve()}\n")
    [found] = submissions.find(here_as_class(here, path), ["a1"])
    assert found.data == (here / "a1.ipynb").read_bytes()


def here_as_class(folder, path):
    (folder / "class").mkdir()
    (folder / "class" / "ada.zip").write_bytes(path.read_bytes())
    return folder / "class"


def test_on_colab_the_open_notebook_is_packed_and_downloaded(
    course, here, google_colab, monkeypatch, capsys
):
    monkeypatch.setenv("COURSE_RUNS", "runs")
    (here / "a1.ipynb").write_text("an earlier one", encoding="utf-8")
    path = hand_in("a1")
    with zipfile.ZipFile(path) as archive:
        assert json.loads(archive.read("a1.ipynb")) == {"cells": []}
    said = capsys.readouterr().out
    assert "  1.1   softmax: not found in the notebook" in said
    assert "A copy is in runs/a1-submission.zip" in said
    assert said.endswith("downloaded submission.zip\n")
    assert (here / "runs" / "a1-submission.zip").read_bytes() == path.read_bytes()


def test_on_kaggle_the_files_are_packed_and_the_notebook_is_asked_for(
    course, here, monkeypatch, capsys
):
    monkeypatch.setenv("KAGGLE_KERNEL_RUN_TYPE", "Interactive")
    files = files_of(course.assignment("a3"), here)
    (here / files[0]).unlink()
    assert names(hand_in("a3")) == files[1:]
    said = capsys.readouterr().out
    assert "missing: a3.ipynb: save it here under this name, or download it" in said
    assert f"missing: {files[0]} (run the cells that write it)" in said
    assert "submission.zip" in said.splitlines()[-1]
    assert "The archive: " not in said


def test_what_cannot_be_submitted_is_one_sentence(course, here, capsys):
    assert hand_in("a1") is None
    assert capsys.readouterr().out.startswith("Not packed: a1.ipynb is not in this folder, nor ")
    (here / "a1.ipynb").write_text("{", encoding="utf-8")
    assert hand_in("a1") is None
    said = capsys.readouterr().out.splitlines()
    assert len(said) == 2
    assert said[-1].startswith("Not packed: a1.ipynb: ")
    with (here / files_of(course.assignment("a3"), here)[0]).open("wb") as large:
        large.truncate(65 * 2**20)
    assert hand_in("a3") is None
    assert "65.0 MiB, more than 64.0 MiB: train a smaller model" in capsys.readouterr().out
    assert not (here / "submission.zip").exists()

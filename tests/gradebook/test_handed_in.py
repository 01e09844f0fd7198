"""Files handed in beside a notebook: found in every layout, bounded, and part of the hash."""

import dataclasses
import io
import os
import zipfile

import proofs
import pytest

from grader.grading import class_run
from grader.intake import submissions

NAMES = ["classifier.safetensors", "predictions.csv"]


def place(path, data=b"x"):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)


def found(folder):
    """The one submission in a folder, as it would be graded."""
    (submission,) = submissions.find(folder, ["a1", "a2", "a3", "a4"])
    return class_run.resolve(submission, proofs.COURSE)


@pytest.mark.parametrize("where", ["s1/a3/submission", "s1/a3", "s1/submission", "s1"])
def test_files_are_found_beside_the_notebook_and_in_the_folder(tmp_path, where):
    notebook = "s1/a3/a3.ipynb" if "a3" in where else "s1/a3.ipynb"
    place(tmp_path / notebook, b"{}")
    for name in (*NAMES, "notes.txt", "other.json"):
        place(tmp_path / where / name, name.encode())
    files, problem = found(tmp_path).files()
    assert files == {name: name.encode() for name in NAMES}
    assert problem == ""


def test_a_translators_files_are_those_of_its_assignment(tmp_path):
    place(tmp_path / "s1/a4/a4.ipynb", b"{}")
    for name in ("translations.txt", "notes.txt", "predictions.csv", "translation.safetensors"):
        place(tmp_path / "s1/a4/submission" / name, name.encode())
    files, _ = found(tmp_path).files()
    assert sorted(files) == ["translation.safetensors", "translations.txt"]


def test_files_are_found_in_a_zip_file_by_their_names_alone(tmp_path):
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("mine/week3/a3.ipynb", "{}")
        archive.writestr("mine/week3/submission/classifier.safetensors", "weights")
        archive.writestr("__MACOSX/predictions.csv", "not this one")
    place(tmp_path / "s1_a3.zip", packed.getvalue())
    files, _ = found(tmp_path).files()
    assert files == {"classifier.safetensors": b"weights"}


def test_an_assignment_without_a_model_takes_no_files(tmp_path):
    place(tmp_path / "s1/a1/a1.ipynb", b"{}")
    place(tmp_path / "s1/a1/submission/classifier.safetensors")
    assert found(tmp_path).files() == ({}, "")


def test_links_are_not_followed(tmp_path):
    place(tmp_path / "secret", b"labels")
    place(tmp_path / "class/s1/a3/a3.ipynb", b"{}")
    os.symlink(tmp_path / "secret", tmp_path / "class/s1/a3/predictions.csv")
    assert found(tmp_path / "class").files() == ({}, "")


def test_a_notebook_that_lies_too_deep_keeps_the_files_of_the_folders_above(tmp_path):
    place(tmp_path / "s1/week3/a3/a3.ipynb", b"{}")
    place(tmp_path / "s1/week3/submission/classifier.safetensors", b"near")
    place(tmp_path / "s1/submission/classifier.safetensors", b"far")
    place(tmp_path / "s1/submission/predictions.csv", b"far")
    assert found(tmp_path).files()[0] == {
        "classifier.safetensors": b"near",
        "predictions.csv": b"far",
    }


def test_too_much_is_one_sentence_and_nothing_is_read(tmp_path):
    place(tmp_path / "s1/a3/a3.ipynb", b"{}")
    place(tmp_path / "s1/a3/classifier.safetensors", bytes(2**20 + 1))
    one = found(tmp_path)
    beside = one.beside.only(["classifier.safetensors"], 2**20)
    files, problem = dataclasses.replace(one, beside=beside).files()
    assert files == {}
    assert problem == ("the files beside the notebook exceed 1 MiB: hand in a smaller model")


def test_every_byte_of_every_file_is_in_the_hash(tmp_path):
    place(tmp_path / "s1/a3/a3.ipynb", b"{}")
    hashes = [found(tmp_path).sha256]
    for name, data in (("predictions.csv", b"1"), ("predictions.csv", b"2"), ("config.json", b"1")):
        place(tmp_path / "s1/a3" / name, data)
        hashes.append(found(tmp_path).sha256)
    assert len(set(hashes)) == 4


@pytest.mark.parametrize("damaged", ["a3.ipynb", "submission/classifier.safetensors"])
def test_a_damaged_zip_file_is_one_students_problem(tmp_path, damaged):
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("a3.ipynb", '{"cells": []}' * 500)
        archive.writestr("submission/classifier.safetensors", b"weights" * 500)
        start = archive.getinfo(damaged).header_offset + 30 + len(damaged)
    data = bytearray(packed.getvalue())
    data[start : start + 8] = b"\xff" * 8
    place(tmp_path / "s1_a3.zip", bytes(data))
    place(tmp_path / "s2_a3.ipynb", b"{}")
    first, second = submissions.find(tmp_path, ["a3"])
    assert first.problem or first.files()[1]
    assert not second.problem


def test_a_folder_that_is_a_link_is_refused(tmp_path):
    place(tmp_path / "class/s1/a3/a3.ipynb", b"{}")
    place(tmp_path / "class/s2/note.txt")
    os.symlink(tmp_path / "class/s1/a3", tmp_path / "class/s2/a3")
    linked = [s for s in submissions.find(tmp_path / "class", ["a3"]) if s.student == "s2"]
    assert [s.problem for s in linked] == ["is a symbolic link: submit the file itself"]

"""Finding and reading submissions: three layouts, and files that mean no good."""

import os
import zipfile

import pytest

from autograder import submissions
from autograder.judge import notebook_file
from autograder.judge.notebook_file import InvalidNotebook

NOTEBOOK = '{"cells": [{"cell_type": "code", "source": ["x = 1\\r\\n", "y = 2"]}], "nbformat": 4}'
IDS = ["a1", "a2"]


def place(path, text=NOTEBOOK):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


def zipped(path, entries):
    path.parent.mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in entries.items():
            archive.writestr(name, content)


def test_the_three_layouts(tmp_path):
    place(tmp_path / "s1" / "a1" / "a1.ipynb")
    place(tmp_path / "s2_a2.ipynb")
    place(tmp_path / "s3" / "a1.ipynb")
    zipped(tmp_path / "s4_a1.zip", {"work/a1.ipynb": NOTEBOOK})
    found = submissions.find(tmp_path, IDS)
    assert [(s.student, s.assignment, s.problem) for s in found] == [
        ("s1", "a1", ""),
        ("s2", "a2", ""),
        ("s3", "a1", ""),
        ("s4", "a1", ""),
    ]


def test_two_notebooks_or_none_are_said_plainly(tmp_path):
    place(tmp_path / "s1" / "a1" / "one.ipynb")
    place(tmp_path / "s1" / "a1" / "two.ipynb")
    (tmp_path / "s2" / "a1").mkdir(parents=True)
    problems = [s.problem for s in submissions.find(tmp_path, IDS)]
    assert "2 notebooks (one.ipynb, two.ipynb)" in problems[0]
    assert "no notebook" in problems[1]


@pytest.mark.parametrize("make", ["missing", "file", "empty"])
def test_a_folder_that_cannot_be_graded_is_one_sentence(tmp_path, make):
    folder = tmp_path / "folder"
    if make == "file":
        folder.write_text("x")
    if make == "empty":
        folder.mkdir()
    with pytest.raises(submissions.SubmissionsError) as caught:
        submissions.find(folder, IDS)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("entries", "told"),
    [
        ({"../../evil.ipynb": NOTEBOOK}, "outside itself"),
        ({"/etc/evil.ipynb": NOTEBOOK}, "outside itself"),
        ({"readme.txt": "x"}, "no notebook"),
        ({"bomb.ipynb": "0" * (notebook_file.MAX_BYTES + 10)}, "unpacks to more"),
    ],
)
def test_hostile_zip_files_are_invalid_with_the_reason(tmp_path, entries, told):
    zipped(tmp_path / "s1_a1.zip", entries)
    assert told in submissions.find(tmp_path, IDS)[0].problem


def test_a_symlink_in_a_zip_and_on_disk_is_refused(tmp_path):
    link = zipfile.ZipInfo("a1.ipynb")
    link.external_attr = 0o120777 << 16
    with zipfile.ZipFile(tmp_path / "s1_a1.zip", "w") as archive:
        archive.writestr(link, "/etc/passwd")
    (tmp_path / "s2" / "a1").mkdir(parents=True)
    os.symlink("/etc/passwd", tmp_path / "s2" / "a1" / "a1.ipynb")
    problems = [s.problem for s in submissions.find(tmp_path, IDS)]
    assert all("symbolic link" in problem for problem in problems)


def test_a_broken_zip_is_refused(tmp_path):
    (tmp_path / "s1_a1.zip").write_bytes(b"PK\x03\x04 nothing")
    assert "not a readable zip" in submissions.find(tmp_path, IDS)[0].problem


def test_files_that_would_change_grading_are_ignored_with_a_word(tmp_path):
    place(tmp_path / "s1" / "a1" / "a1.ipynb")
    for name in ("conftest.py", "pytest.ini", "sitecustomize.py", "numpy.py"):
        place(tmp_path / "s1" / "a1" / name, "raise SystemExit")
    found = submissions.find(tmp_path, IDS)[0]
    assert len(found.notices) == 4
    assert not found.problem


@pytest.mark.parametrize(
    ("data", "told"),
    [
        (b"", "empty"),
        (b"\xff\xfe{", "not UTF-8"),
        (b"{not json", "not JSON"),
        (b"[" * 100_000, "not JSON"),
        (b"[1, 2]", "no cells"),
        (b'{"worksheets": []}', "no cells"),
        (b'{"cells": [3]}', "cell 1 is not a cell"),
        (b'{"cells": [{"cell_type": "code", "source": 3}]}', "not text"),
        (b"x" * (notebook_file.MAX_BYTES + 1), "MiB"),
    ],
)
def test_what_is_no_notebook_is_invalid_with_the_reason(data, told):
    with pytest.raises(InvalidNotebook, match=told):
        notebook_file.read(data)


def test_crlf_and_a_byte_order_mark_are_fine():
    assert notebook_file.read(b"\xef\xbb\xbf" + NOTEBOOK.encode())[0].source == "x = 1\ny = 2"

"""Which of several notebooks counts, and files that are no plain `.ipynb`."""

import gzip
import io
import json
import os
import zipfile

import checkout
import proofs
import pytest
from checkout import place
from world import A1, COURSE, notebook
from world_tables import cases

from grader.classroom.roster import Roster, Student
from grader.cli.grading import class_grading
from grader.course.problem import Problem
from grader.exchange import gradescope_run
from grader.intake import choice
from grader.notebook import large_outputs, notebook_file
from grader.notebook.notebook_file import InvalidNotebook
from grader.student import submit, work

ROSTER = Roster({"ada": Student("ada", "Ada Lovelace", names={"canvas": "12345"})})
MIB = 2**20
DAY = 86_400
WORK = notebook("def softmax(x):\n    return x\n")
OTHER = notebook("def softmax(x):\n    return -x\n")
CONTENTS = {"work": WORK, "other": OTHER, "nothing": notebook("x = 1")}


def zipped(files, ages=None):
    """A zip file; the files' ages are in days."""
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w") as archive:
        for name, content in files.items():
            day = 8 - (ages or {}).get(name, 0)
            archive.writestr(zipfile.ZipInfo(name, (2027, 2, day, 0, 0, 0)), content)
    return made.getvalue()


def rows(folder):
    return class_grading.received(folder, COURSE, roster=ROSTER)


# --- the one that counts -------------------------------------------------------------------------

NAME = "because it has the required name"
UNWRITTEN = "because nothing is written in "


@cases("several")
def test_of_several_the_name_that_was_asked_for_counts(tmp_path, files, why):
    for path, days in files.items():
        place(tmp_path / path, WORK if path == next(iter(files)) else OTHER)
        os.utime(tmp_path / path, (1e9 - days * DAY, 1e9 - days * DAY))
    (row,) = rows(tmp_path)
    first, second = files
    assert row.data == WORK.encode(), row.notices
    (told,) = [notice for notice in row.notices if "more than once" in notice]
    assert f"`{first}` counts, {why or NAME}; ignored: `{second}`" in told
    assert choice.notices([row]) == [
        f"1 student handed in several notebooks for a1 ({row.student}); the report names the one "
        "that counts"
    ]


@cases("in_zip")
def test_the_dates_in_a_zip_file_decide_and_not_its_own(tmp_path, files, why):
    contents = {name: CONTENTS[content] for name, (content, _) in files.items()}
    data = zipped(contents, {name: days for name, (_, days) in files.items()})
    place(tmp_path / "ada_a1.zip", data)
    os.utime(tmp_path / "ada_a1.zip", (1e9, 1e9))
    (row,) = rows(tmp_path)
    assert row.data == WORK.encode()
    assert (why or NAME) in "".join(row.notices)
    assert row.received is not None
    assert row.received.timestamp() == 1e9  # a student can write any date into the zip file


UNTOUCHED = {  # the first has work in it; what is beside it, and the reason
    "a starter": ("a1 (1).ipynb", proofs.notebook("a1", "starter"), UNWRITTEN),
    "an empty notebook": ("work.ipynb", notebook(), UNWRITTEN),
    "an empty file": ("a1-Copy1.ipynb", b"", "because it can be read"),
    "half a file": ("a1-Copy1.ipynb", WORK[:-9].encode(), "because it can be read"),
    "a web page": ("a1.ipynb.txt", "<html>", "because it can be read"),
}


@pytest.mark.parametrize("case", UNTOUCHED)
def test_a_notebook_without_work_does_not_count_against_one_with_work(tmp_path, case):
    name, content, why = UNTOUCHED[case]
    place(tmp_path / "ada" / "a1" / name, WORK)
    place(tmp_path / "ada" / "a1" / "a1.ipynb", content)
    (row,) = rows(tmp_path)
    assert row.data == WORK.encode()
    assert f"`ada/a1/{name}` counts, {why}" in "".join(row.notices)
    told = choice.notices([row])
    expected = "ada: nothing is written in ada/a1/a1.ipynb, which has the required name"
    assert [expected in sentence for sentence in told[1:]] == [True] * (why == UNWRITTEN)


def test_a_new_notebook_of_jupyters_is_no_second_hand_in_that_nothing_names(tmp_path):
    place(tmp_path / "ada" / "mine.ipynb", WORK)
    for name in ("Untitled.ipynb", "Untitled1.ipynb"):
        place(tmp_path / "ada" / name, notebook(""))
    (row,) = rows(tmp_path)
    assert (row.assignment, row.data) == ("a1", WORK.encode())


def test_gradescope_chooses_as_a_class_does(tmp_path):
    place(tmp_path / "submission" / "a1.ipynb", WORK)
    place(tmp_path / "submission" / "a1-Copy1.ipynb", OTHER)
    chosen = gradescope_run.received(tmp_path, COURSE, A1)
    assert chosen.data == WORK.encode()


def test_the_terminal_counts_the_students_of_each_assignment(tmp_path):
    for student in ("ada", "ben", "cyd"):
        place(tmp_path / student / "a1" / "a1.ipynb", WORK)
        place(tmp_path / student / "a1" / "a1-Copy1.ipynb", OTHER)
    place(tmp_path / "dee" / "a1" / "a1.ipynb", WORK)
    assert choice.notices(rows(tmp_path)) == [
        "3 students handed in several notebooks for a1 (ada, ben, cyd); the report names the one "
        "that counts"
    ]


# --- whole notebooks under other names and in other bytes ----------------------------------------

LAYOUTS = {
    "flat": "ada_{}",
    "Canvas": "lovelaceada_12345_67890_{}",
    "Moodle": "Ada Lovelace_9_assignsubmission_file_/{}",
    "Moodle, flat": "Ada Lovelace_9_assignsubmission_file_{}",
    "folder": "ada/a1/{}",
    "zip": "ada.zip",
}
ENDINGS = [
    "a1.ipynb.json", "a1.ipynb.txt", "a1.json", "a1.txt", "a1", "a1.ipynb.download",
    "a1.ipynb.html", "a1.ipynb (1)", "a1.ipynb.bak", "a1.py", "a1.ipynb.zip", "A1.IPYNB",
]  # fmt: skip


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("name", ENDINGS)
def test_a_notebook_under_another_ending_is_read(tmp_path, layout, name):
    where = LAYOUTS[layout].format(name)
    place(tmp_path / where, zipped({name: WORK}) if layout == "zip" else WORK)
    (row,) = rows(tmp_path)
    assert (row.assignment, row.problem, row.data) == ("a1", "", WORK.encode())
    told = [notice for notice in row.notices if "its name should end in .ipynb" in notice]
    assert len(told) == (not name.lower().endswith(".ipynb"))


FORGIVEN = {
    "a byte order mark": lambda text: b"\xef\xbb\xbf" + text.encode(),
    "UTF-16": lambda text: text.encode("utf-16"),
    "UTF-16, the other way": lambda text: b"\xfe\xff" + text.encode("utf-16-be"),
    "UTF-16 without a mark": lambda text: text.encode("utf-16-le"),
    "UTF-16 without a mark, the other way": lambda text: text.encode("utf-16-be"),
    "UTF-32": lambda text: text.encode("utf-32"),
    "NULs behind it": lambda text: text.encode() + bytes(4096),
    "NULs behind UTF-16": lambda text: text.encode("utf-16") + bytes(4096),
    "a stray bracket": lambda text: text.encode() + b"\n}\n",
    "the end of a longer one": lambda text: text.encode() + b'"nbformat_minor": 5\n}\n',
    "CR only": lambda text: text.replace("\n", "\r").encode(),
    "CRLF": lambda text: text.replace("\n", "\r\n").encode(),
    "a line that ends within a text": lambda text: text.replace("\\n", "\n").encode(),
    "empty lines before it": lambda text: b"\n\n" + text.encode(),
    "a zip file": lambda text: zipped({"work/a1.ipynb": text}),
}


@pytest.mark.parametrize("case", FORGIVEN)
@pytest.mark.parametrize("name", ["ada/a1/a1.ipynb", "ada_a1.ipynb.txt"])
def test_what_editors_and_copying_do_to_a_whole_notebook_is_forgiven(tmp_path, case, name):
    place(tmp_path / name, FORGIVEN[case](WORK.replace("return x", "return x  # é😀")))
    (row,) = rows(tmp_path)
    assert row.problem == ""
    (cell,) = notebook_file.read(row.data)
    assert cell.source == "def softmax(x):\n    return x  # é😀\n"


# --- what is no notebook -------------------------------------------------------------------------

CONFLICT = WORK.replace(' "cells"', '<<<<<<< HEAD\n "cells"').replace("[\n", "[\n=======\n", 1)
R = {"kernelspec": {"name": "ir", "display_name": "R", "language": "R"}}
JULIA = {"language_info": {"name": "julia"}}
DRIVE = {"url": "https://docs.google.com/open?id=1", "doc_id": "1", "email": "ada@example.org"}
LFS = b"version https://git-lfs.github.com/spec/v1\noid sha256:4d7a\nsize 12345\n"
CELLS = b'{"cells": '
BROKEN = {  # the file, and what is said of it
    "empty": (b"", "the file is empty"),
    "NULs only": (bytes(999), "the file is empty"),
    "a git conflict": (CONFLICT.encode(), r"unresolved git conflict in line 2 \(<<<<<<<\)"),
    "half a git conflict": (b'{"cells": [],\n=======\n "nbformat": 4', r"in line 2 \(=======\)"),
    "RTF": (b"{\\rtf1\\ansi", "a text with formatting"),
    "YAML": (b"cells:\n- a", "plain text, not a notebook"),
    "a web page": (b"\n<!DOCTYPE html>\n<html>", "a web page.*Download raw file"),
    "a web page with a mark": (b"\xef\xbb\xbf<HTML lang=en>", "a web page"),
    "XML": (b"<?xml version='1.0'?>", "is XML"),
    "R": (notebook("f <- function(x) {\n x\n}", metadata=R).encode(), "kernel is R"),
    "Julia": (notebook("function f(x)\n x\nend", metadata=JULIA).encode(), "kernel is julia"),
    "a zip archive": (zipped({"notes.txt": "x"}), "a zip archive: unpack it"),
    "Word": (zipped({"[Content_Types].xml": "", "word/document.xml": ""}), "a Word document"),
    "Excel": (zipped({"[Content_Types].xml": "", "xl/workbook.xml": ""}), "an Excel workbook"),
    "LibreOffice": (
        zipped({"mimetype": "application/vnd.oasis.opendocument.text"}), "an OpenDocument file"
    ),
    "gzip": (gzip.compress(WORK.encode()), "a gzip archive"),
    "7z": (b"7z\xbc\xaf\x27\x1c\0\4", "a 7z archive"),
    "RAR": (b"Rar!\x1a\x07\1\0", "a RAR archive"),
    "PDF": (b"%PDF-1.7\n", "is a PDF"),
    "a picture": (b"\x89PNG\r\n\x1a\n", r"a picture \(PNG\)"),
    "Git LFS": (LFS, "a pointer of Git LFS.*git lfs pull"),
    "Google Drive": (json.dumps(DRIVE).encode(), "a shortcut of Google Drive"),
    "iCloud": (b"bplist00\xd4\1\2", "a placeholder of iCloud"),
    "not found": (b"404: Not Found", "an address that does not exist"),
    "jupytext, percent": (b"# %%\nimport numpy\n", "a Python script.*jupytext"),
    "jupytext, light": (b"# ---\n# jupyter:\n#   jupytext:\n", "a Python script"),
    "Python": (b"import numpy as np\n", "a Python script"),
    "Markdown": (b"# My answers\n", "plain text"),
    "cut off": (WORK[:-30].encode(), "is cut off at its end"),
    "cut off in a text": (WORK[:70].encode(), "is cut off at its end"),
    "cut off in a letter": ('{"cells": ["é'.encode()[:-1], "is cut off at its end"),
    "cut off behind a comma": (b'{"cells": [1,', "is cut off at its end"),
    "two notebooks": ((WORK + WORK).encode(), "another notebook after line 11"),
    "format 3": (b'{"worksheets": []}', "the old format 3"),
    "other JSON": (b'{"message": "Not Found"}', "JSON without cells.*it has message"),
    "a list": (b"[1, 2]", "JSON without cells"),
    "cells that are no list": (b'{"cells": {}}', "JSON without cells"),
    "a comma too many": (b'{"cells": [],, "nbformat": 4, "nbformat_minor": 5}', "is not JSON"),
    "another alphabet": ('{"cells": ["é"]}'.encode("cp1252"), "not UTF-8 text .byte 12"),
    "deep": (b"[" * 100_000, "not JSON|cut off"),
    "a cell": (b'{"cells": [3]}', "cell 1 is not a cell"),
    "a source": (b'{"cells": [{"cell_type": "code", "source": 3}]}', "not text"),
    "pictures in the text": (CELLS + b'["' + b"x" * 33 * MIB + b'"]}', "without its outputs"),
    "huge": (bytes(notebook_file.MAX_FILE + 1), "more than 256 MiB"),
}  # fmt: skip


@pytest.mark.parametrize("case", BROKEN)
def test_what_is_no_notebook_is_called_by_its_name(tmp_path, case):
    data, told = BROKEN[case]
    with pytest.raises(InvalidNotebook, match=told):
        notebook_file.read(data)
    with pytest.raises(Problem, match=told):  # `student check` and `submit` use the same words
        work.read(A1, place(tmp_path / "a1.ipynb", data))


@pytest.mark.parametrize(
    ("name", "content", "told"),
    [
        ("ada/.a1.ipynb.icloud", b"bplist00\xd4", "a placeholder of iCloud"),
        ("ada/a1/a1.gdoc", json.dumps(DRIVE), "a shortcut of Google Drive"),
        ("ada/a1.ipynb.txt", "<html>", "a web page"),
        ("ada_a1.ipynb.html", "<html>", "a web page"),
        ("ada_a1.ipynb", zipped({"word/document.xml": "", "[Content_Types].xml": ""}), "a Word"),
        ("lovelaceada_12345_67890_report.pdf", "%PDF-1.4", "a PDF"),
        ("lovelaceada_12345_67890_a1.ipynb.json", CONFLICT[:-9], ""),
        ("Ada Lovelace_9_assignsubmission_file_report.docx", "PK", "is not a notebook"),
        ("ada/a1/notes.txt", "x", "no notebook, only a1/notes.txt"),
    ],
)
def test_who_handed_in_something_else_has_a_row_that_names_it(tmp_path, name, content, told):
    place(tmp_path / name, content)
    place(tmp_path / "ben_a1.ipynb", WORK)
    row, _ = sorted(rows(tmp_path), key=lambda row: "ben" in row.student)
    assert row.assignment == "a1"
    assert told in row.problem


def test_an_r_kernel_over_python_is_no_fault():
    (cell,) = notebook_file.read(notebook("def f(x):\n    return x", metadata=R).encode())
    assert cell.source.startswith("def f")


# --- large outputs -------------------------------------------------------------------------------

PRINTED = {"output_type": "stream", "name": "stdout", "text": ['a "line"\\\n'] * 99_000}
DRAWN = {"output_type": "display_data", "data": {"image/png": "A" * 2 * MIB}}
TABLE = {"output_type": "execute_result", "data": {"text/html": '<td class="x">[]{}' * 99_000}}
SMALL = {"output_type": "display_data", "data": {"image/png": "iVBORw0KGgo="}}
WIDGETS = {"widgets": {"state": {"a": [{"b": "]}" * MIB}]}}}


@pytest.mark.parametrize(
    ("outputs", "more"),
    [([PRINTED], {}), ([DRAWN], {}), ([TABLE], {}), ([], {"metadata": WIDGETS})],
    ids=["printed", "drawn", "table", "widgets"],
)
def test_outputs_alone_never_make_a_notebook_too_large(tmp_path, monkeypatch, outputs, more):
    monkeypatch.setattr(notebook_file, "MAX_BYTES", MIB)
    document = json.loads(notebook("def softmax(x):\n    return x\n", "plot()", **more))
    document["cells"][0]["outputs"], document["cells"][1]["outputs"] = outputs, [SMALL]
    data = json.dumps(document, indent=1).encode()
    assert len(data) > notebook_file.MAX_BYTES
    place(tmp_path / "ada_a1.ipynb", data)
    (row,) = rows(tmp_path)
    assert row.problem == ""
    assert len(row.data) < 1_000
    first, second = notebook_file.read(row.data)
    assert (first.printed, first.drew) == (bool(outputs), outputs == [DRAWN])
    assert second.drew
    assert json.loads(row.data)["cells"][1] == document["cells"][1]  # the largest alone is emptied


def test_keys_named_outputs_elsewhere_are_left_alone():
    long = ["x" * 2 * MIB]
    cell = {"source": "x", "metadata": {"outputs": long}, "a_long_key_of_outputs": long}
    data = json.dumps({"outputs": long, "cells": [cell | {"outputs": long}]}).encode()
    left = json.loads(large_outputs.within(data, 7 * MIB))
    assert left["outputs"] == left["cells"][0]["metadata"]["outputs"] == long
    assert left["cells"][0]["a_long_key_of_outputs"] == long
    assert left["cells"][0]["outputs"] != long


@pytest.mark.parametrize(
    "start", [b"[" * 100, b'{"cells":[{"outputs":["', b'{"outputs":["\\', b"]"]
)
def test_what_is_no_whole_json_stays_as_it_is(start):
    assert large_outputs.within(start + b'\\"[' * 1000, 10) == start + b'\\"[' * 1000


# --- what a student reads ----------------------------------------------------------------------


def test_submit_mentions_a_solved_notebook_beside_the_untouched_one(tmp_path, capsys):
    path = place(tmp_path / "a1.ipynb", proofs.notebook("a1", "starter"))
    place(tmp_path / "a1 (1).ipynb", WORK)
    place(tmp_path / "broken.ipynb", b"{")
    submit.run(A1, path, tmp_path / "a1.zip")
    assert "a1 (1).ipynb beside it has 1; to submit that one" in capsys.readouterr().out


def test_a_notebook_under_another_ending_is_suggested(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    place(tmp_path / "a2.ipynb.txt", WORK)
    a2 = checkout.elsewhere(COURSE.assignment("a2"), tmp_path)
    with pytest.raises(Problem, match="after a2, such as 'a2.ipynb.txt'"):
        work.read(a2)

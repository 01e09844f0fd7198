"""Finding and reading submissions: every layout, files beside a notebook, hostile files."""

import dataclasses
import io
import os
import socket
import stat
import zipfile

import checkout
import proofs
import pytest
from sample_results import sample

from grader.cli.grading import class_grading
from grader.course.course import Course
from grader.grading import class_run
from grader.intake import notebook_paths, plain_files, submissions
from grader.notebook import notebook_file

NOTEBOOK = '{"cells": [{"cell_type": "code", "source": ["x = 1\\r\\n", "y = 2"]}], "nbformat": 4}'
IDS = ["a1", "a2"]


def place(path, content=NOTEBOOK):
    return checkout.place(path, content)


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


def rows(folder):
    """What the command grades: one submission a student and assignment."""
    return class_grading.received(folder, Course.here())


def aged(path, seconds):
    """Saved that many seconds ago."""
    now = path.stat().st_mtime - seconds
    os.utime(path, (now, now))


@pytest.mark.parametrize(
    "where",
    [
        "s1/A1/A1.ipynb",
        "s1/week1/a1.ipynb",
        "s1/hw1/a1.ipynb",
        "s1/a1/a1/work.IPYNB",
        "s1/A1.ipynb",
    ],
)
def test_a_notebook_is_found_where_it_does_not_belong(tmp_path, where):
    place(tmp_path / where)
    (row,) = rows(tmp_path)
    assert (row.student, row.assignment, row.problem) == ("s1", "a1", "")
    assert row.data == NOTEBOOK.encode()
    assert [where in notice for notice in row.notices] == [True] * (where.count("/") > 1)


def test_what_no_notebook_is_in_has_a_row_that_says_so(tmp_path):
    place(tmp_path / "s1" / "a2" / "a2.ipynb")
    place(tmp_path / "s2" / "answers.txt", "x")
    (tmp_path / "s3").mkdir()
    (tmp_path / "s4" / "a1").mkdir(parents=True)
    place(tmp_path / "s5" / "a1" / "a1.pdf", "x")
    place(tmp_path / "s6.rar", "x")
    place(tmp_path / "s7_a1.py", "x")
    found = {(row.student, row.assignment): row.problem for row in rows(tmp_path)}
    assert found.pop(("s1", "a2")) == ""
    # where nothing names the assignment, it is the one that the others handed in
    assert [key for key, _ in sorted(found.items())] == [
        ("s2", "a2"), ("s3", "a2"), ("s4", "a1"), ("s5", "a1"), ("s6", "a2"), ("s7", "a1"),
    ]  # fmt: skip
    assert "no notebook, only answers.txt: submit an .ipynb" in found["s2", "a2"]
    assert "a1/a1.pdf" in found["s5", "a1"]
    assert all("submit an .ipynb" in problem for problem in found.values())


def test_the_folder_of_results_among_the_submissions_is_nobodys(tmp_path):
    place(tmp_path / "s1" / "a1" / "a1.ipynb")
    place(tmp_path / "out" / "grades" / "grades.csv", "x")
    (tmp_path / "s2").symlink_to("/")
    found = class_grading.received(tmp_path, Course.here(), out=tmp_path / "out" / "grades")
    assert [row.student for row in found] == ["s1", "s2"]


def test_a_class_list_is_nobodys_submission_and_is_named(tmp_path):
    place(tmp_path / "roster.csv", "ada")
    with pytest.raises(submissions.SubmissionsError, match="no notebook"):
        rows(tmp_path)
    place(tmp_path / "s1_a1.ipynb")
    assert [row.student for row in rows(tmp_path)] == ["s1"]
    notices = []
    submissions.find(tmp_path, IDS, notice=notices.append)
    assert notices == ["roster.csv: skipped, as its name is not that of a submission"]


@pytest.mark.parametrize(
    ("handed_in", "reason"),
    [
        (["s1/a1/a1.ipynb", "s1_a1.ipynb"], "most clearly"),
        (["s1/a1/mine.ipynb", "s1/a1/first.ipynb"], "newest"),
        (["s1/a1/a1 (2).ipynb", "s1/a1/a1 (1).ipynb"], "newest"),
        (["s1/a1/a1.ipynb", "s1/a1/old/a1.ipynb"], "fewer folders"),
        (["s1/a1/mine.ipynb", "s1/mine_a1.ipynb"], "most clearly"),
        (["s1_a1.ipynb", "s1/week1/a1.ipynb"], "fewer folders"),
    ],
)
def test_of_several_notebooks_one_counts_and_is_named(tmp_path, handed_in, reason):
    for number, path in enumerate(handed_in):
        place(tmp_path / path, NOTEBOOK.replace("x = 1", f"x = {number}"))
        aged(tmp_path / path, 100 * number)
    (row,) = rows(tmp_path)
    assert not row.problem
    assert b"x = 0" in row.data
    (notice,) = [notice for notice in row.notices if "more than once" in notice]
    assert f"`{handed_in[0]}` counts" in notice
    assert reason in notice
    assert f"ignored: `{handed_in[1]}`" in notice


def test_several_layouts_and_notebooks_in_a_zip_file_are_one_row(tmp_path):
    place(tmp_path / "s1" / "a1" / "a1.ipynb")
    zipped(tmp_path / "s1.zip", {"a1/a1.ipynb": NOTEBOOK, "old/a1.ipynb": NOTEBOOK})
    zipped(tmp_path / "s2.zip", {"a1/a1.ipynb": NOTEBOOK, "a1/copy.ipynb": "{}"})
    first, second = rows(tmp_path)
    assert first.place.name == "s1/a1/a1.ipynb"
    assert "s1.zip:a1/a1.ipynb" in first.notices[0]
    assert second.data == NOTEBOOK.encode()
    assert "s2.zip:a1/copy.ipynb" in second.notices[0]


def test_what_only_its_code_says_is_one_row_with_what_a_name_says(tmp_path):
    place(tmp_path / "s1" / "a1.ipynb")
    place(tmp_path / "s1" / "mine.ipynb", NOTEBOOK.replace("x = 1", "def softmax(x): pass"))
    (row,) = rows(tmp_path)
    assert row.place.name == "s1/mine.ipynb"  # nothing is written in the other
    assert "because nothing is written in `s1/a1.ipynb`" in row.notices[0]


def test_several_notebooks_that_nothing_names_are_no_guess(tmp_path):
    place(tmp_path / "s1" / "one.ipynb")
    place(tmp_path / "s1" / "two.ipynb")
    (row,) = rows(tmp_path)
    assert "s1/one.ipynb, s1/two.ipynb" in row.problem
    assert "name it" in row.problem
    place(tmp_path / "s1" / "a2" / "a2.ipynb")
    (row,) = rows(tmp_path)
    assert (row.assignment, row.problem) == ("a2", "")
    assert "s1/one.ipynb" in row.notices[0]


def fifo(path):
    os.mkfifo(path)


def listening(path):
    here = os.getcwd()
    os.chdir(path.parent)  # the whole path would be too long for a socket
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(path.name)
    os.chdir(here)


def device(path):
    try:
        os.mknod(path, 0o600 | stat.S_IFCHR, os.makedev(1, 5))  # what /dev/zero is: no end
    except PermissionError:
        pytest.skip("making a device needs root")


@pytest.mark.parametrize("make", [fifo, listening, device])
def test_pipes_sockets_and_devices_are_never_opened(tmp_path, make):
    path = tmp_path / "s1" / "a1" / "a1.ipynb"
    path.parent.mkdir(parents=True)
    make(path)
    make(tmp_path / "s2_a1.zip")
    place(tmp_path / "s3" / "a1" / "a1.ipynb")
    (tmp_path / "s3" / "a1" / "submission").mkdir()
    make(tmp_path / "s3" / "a1" / "submission" / "predictions.csv")
    make(tmp_path / "s3" / "a1" / "other.ipynb")
    before = path.stat().st_atime_ns
    first, second, third = rows(tmp_path)
    assert all("not a file" in row.problem for row in (first, second))
    assert not third.problem
    assert third.files() == ({}, "")
    assert any("predictions.csv" in n and "not a file" in n for n in third.notices)
    assert any("other.ipynb" in n and "not a file" in n for n in third.notices)
    assert path.stat().st_atime_ns == before


def test_a_file_that_becomes_a_pipe_while_it_is_looked_at_is_not_waited_for(tmp_path, monkeypatch):
    os.mkfifo(tmp_path / "a1.ipynb")
    monkeypatch.setattr(plain_files, "refusal", lambda path: "")
    with pytest.raises(plain_files.RefusedError, match="named pipe"):
        plain_files.opened(tmp_path / "a1.ipynb")


def test_a_large_file_is_told_its_real_size(tmp_path):
    place(tmp_path / "s1_a1.ipynb")
    os.truncate(tmp_path / "s1_a1.ipynb", 300_000_000)
    place(tmp_path / "s2_a1.zip", "PK\3\4")
    os.truncate(tmp_path / "s2_a1.zip", 600_000_000)
    first, second = rows(tmp_path)
    assert "300,000,000 bytes (286.1 MiB), more than 256 MiB" in first.problem
    assert "600,000,000 bytes (572.2 MiB), more than 512 MiB" in second.problem


def test_a_folder_too_large_or_too_deep_to_be_a_submission_ends(tmp_path):
    place(tmp_path / "s1" / "a1.ipynb")
    for number in range(notebook_paths.MAX_FILES + 5):
        (tmp_path / "s1" / f"{number}.txt").touch()
    deep = tmp_path / "s2" / "/".join("abcdefgh")
    place(deep / "a1.ipynb")
    first, second = rows(tmp_path)
    assert not first.problem
    assert "no notebook" in second.problem


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
        ({"bomb.ipynb": bytes(notebook_file.MAX_FILE + 10)}, "unpacks to 268,435,466 bytes"),
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
    (tmp_path / "s3").mkdir()
    os.symlink(tmp_path / "s2" / "a1", tmp_path / "s3" / "a1")
    problems = [s.problem for s in submissions.find(tmp_path, IDS)]
    assert len(problems) == 3
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


def test_a_notice_about_a_place_goes_when_the_place_is_put_right(tmp_path):
    course = Course.here()
    place(tmp_path / "s1" / "week1" / "a1.ipynb")
    (wrong,) = rows(tmp_path)
    known = sample("s1", notices=["1 of 6 predictions are filled in"])
    assignment, suite = course.assignment("a1"), {"": "hash"}
    stored = class_run.complete(known, wrong, assignment, suite)
    assert len(stored.notices) == 2
    (tmp_path / "s1" / "week1").rename(tmp_path / "s1" / "a1")
    (right,) = rows(tmp_path)
    again = class_run.complete(stored, right, assignment, suite)
    assert again.notices == ["1 of 6 predictions are filled in"]


# Files handed in beside a notebook: found in every layout, bounded, and part of the hash.


NAMES = ["classifier.safetensors", "predictions.csv"]


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


def test_two_assignments_in_one_zip_file_have_their_own_files_of_the_same_names(tmp_path):
    names = ("{}/{}.ipynb", "./{}/submission/config.json", "{}/config.json", "{}/tokenizer.json")
    zipped(tmp_path / "s1.zip", {n.format(id, id): n.format(id, "") for id in IDS for n in names})
    for each in submissions.find(tmp_path, IDS):
        files, _ = each.files()
        assert files["config.json"].decode() == f"./{each.assignment}/submission/config.json"
        assert files["tokenizer.json"].decode() == f"{each.assignment}/tokenizer.json"


def test_a_zip_file_may_have_paths_as_windows_writes_them(tmp_path):
    entries = {f"work\\submission\\{name}": name for name in NAMES}
    zipped(tmp_path / "s1.zip", {"work\\a3.ipynb": "{}", **entries, "work\\numpy.py": ""})
    one = found(tmp_path)
    assert one.assignment == "a3"
    assert one.files() == ({name: name.encode() for name in NAMES}, "")
    assert one.notices == ["`numpy.py` was also submitted; it is not used"]


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

"""Finding and reading submissions: every layout, files beside a notebook, hostile files."""

import dataclasses
import functools
import io
import os
import socket
import stat
import zipfile

import pytest
from sample_results import sample
from world import A1, COURSE, packed

from grader.cli.grading import class_grading
from grader.grading import class_run
from grader.intake import notebook_paths, plain_files, submissions
from grader.notebook import notebook_file

NOTEBOOK = '{"cells": [{"cell_type": "code", "source": ["x = 1\\r\\n", "y = 2"]}], "nbformat": 4}'
IDS = ["a1", "a2"]


@pytest.fixture
def folder(world):
    world.submitted.mkdir()
    return world.submitted


@pytest.fixture
def place(world):
    """Puts files into the class's folder, notebooks if nothing else is said; or a zip of some."""

    def place(*names, content=NOTEBOOK, **zips):
        for name in names:
            world.hand_in(name, content)
        for name, entries in zips.items():
            world.hand_in(f"{name}.zip", packed(entries))

    return place


def rows(folder):
    """What the command grades: one submission a student and assignment."""
    return class_grading.received(folder, COURSE)


def test_the_three_layouts(folder, place):
    place("s1/a1/a1.ipynb", "s2_a2.ipynb", "s3/a1.ipynb", s4_a1={"work/a1.ipynb": NOTEBOOK})
    found = submissions.find(folder, IDS)
    handed_in = [(f"s{number}", id, "") for number, id in enumerate(("a1", "a2", "a1", "a1"), 1)]
    assert [(s.student, s.assignment, s.problem) for s in found] == handed_in


@pytest.mark.parametrize(
    "where",
    "s1/A1/A1.ipynb s1/week1/a1.ipynb s1/hw1/a1.ipynb s1/a1/a1/work.IPYNB s1/A1.ipynb".split(),
)
def test_a_notebook_is_found_where_it_does_not_belong(folder, place, where):
    place(where)
    (row,) = rows(folder)
    assert (row.student, row.assignment, row.problem) == ("s1", "a1", "")
    assert row.data == NOTEBOOK.encode()
    assert [where in notice for notice in row.notices] == [True] * (where.count("/") > 1)


def test_what_no_notebook_is_in_has_a_row_that_says_so(folder, place):
    place("s1/a2/a2.ipynb")
    place("s2/answers.txt", "s5/a1/a1.pdf", "s6.rar", "s7_a1.py", content="x")
    (folder / "s3").mkdir()
    (folder / "s4" / "a1").mkdir(parents=True)
    found = {(row.student, row.assignment): row.problem for row in rows(folder)}
    assert found.pop(("s1", "a2")) == ""
    # where nothing names the assignment, it is the one that the others handed in
    assert [key for key, _ in sorted(found.items())] == [
        ("s2", "a2"), ("s3", "a2"), ("s4", "a1"), ("s5", "a1"), ("s6", "a2"), ("s7", "a1"),
    ]  # fmt: skip
    assert "no notebook, only answers.txt: submit an .ipynb" in found["s2", "a2"]
    assert "a1/a1.pdf" in found["s5", "a1"]
    assert all("submit an .ipynb" in problem for problem in found.values())


def test_the_folder_of_results_among_the_submissions_is_nobodys(folder, place):
    place("s1/a1/a1.ipynb")
    place("out/grades/grades.csv", content="x")
    (folder / "s2").symlink_to("/")
    found = class_grading.received(folder, COURSE, out=folder / "out" / "grades")
    assert [row.student for row in found] == ["s1", "s2"]


def test_a_class_list_is_nobodys_submission_and_is_named(folder, place):
    place("roster.csv", content="ada")
    with pytest.raises(submissions.SubmissionsError, match="no notebook"):
        rows(folder)
    place("s1_a1.ipynb")
    assert [row.student for row in rows(folder)] == ["s1"]
    notices = []
    submissions.find(folder, IDS, notice=notices.append)
    assert notices == ["roster.csv: skipped, as its name is not that of a submission"]


def test_what_only_its_code_says_is_one_row_with_what_a_name_says(folder, place):
    place("s1/a1.ipynb")
    place("s1/mine.ipynb", content=NOTEBOOK.replace("x = 1", "def softmax(x): pass"))
    (row,) = rows(folder)
    assert row.place.name == "s1/mine.ipynb"  # nothing is written in the other
    assert "because nothing is written in `s1/a1.ipynb`" in row.notices[0]


def test_several_notebooks_that_nothing_names_are_no_guess(folder, place):
    place("s1/one.ipynb", "s1/two.ipynb")
    (row,) = rows(folder)
    assert "s1/one.ipynb, s1/two.ipynb" in row.problem
    assert "name it" in row.problem
    place("s1/a2/a2.ipynb")
    (row,) = rows(folder)
    assert (row.assignment, row.problem) == ("a2", "")
    assert "s1/one.ipynb" in row.notices[0]


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


@pytest.mark.parametrize("make", [os.mkfifo, listening, device])
def test_pipes_sockets_and_devices_are_never_opened(folder, place, make):
    path = folder / "s1" / "a1" / "a1.ipynb"
    path.parent.mkdir(parents=True)
    make(path)
    make(folder / "s2_a1.zip")
    place("s3/a1/a1.ipynb")
    (folder / "s3/a1/submission").mkdir()
    make(folder / "s3/a1/submission/predictions.csv")
    make(folder / "s3/a1/other.ipynb")
    before = path.stat().st_atime_ns
    first, second, third = rows(folder)
    assert all("not a file" in row.problem for row in (first, second))
    assert not third.problem
    assert third.files() == ({}, "")
    for name in ("predictions.csv", "other.ipynb"):
        assert any(name in notice and "not a file" in notice for notice in third.notices)
    assert path.stat().st_atime_ns == before


def test_a_file_that_becomes_a_pipe_while_it_is_looked_at_is_not_waited_for(tmp_path, monkeypatch):
    os.mkfifo(tmp_path / "a1.ipynb")
    monkeypatch.setattr(plain_files, "refusal", lambda path: "")
    with pytest.raises(plain_files.RefusedError, match="named pipe"):
        plain_files.opened(tmp_path / "a1.ipynb")


def test_a_large_file_is_told_its_real_size(folder, place):
    place("s1_a1.ipynb")
    place("s2_a1.zip", content="PK\3\4")
    os.truncate(folder / "s1_a1.ipynb", 300_000_000)
    os.truncate(folder / "s2_a1.zip", 600_000_000)
    first, second = rows(folder)
    assert "300,000,000 bytes (286.1 MiB), more than 256 MiB" in first.problem
    assert "600,000,000 bytes (572.2 MiB), more than 512 MiB" in second.problem


def test_a_folder_too_large_or_too_deep_to_be_a_submission_ends(folder, place):
    place("s1/a1.ipynb", f"s2/{'/'.join('abcdefgh')}/a1.ipynb")
    for number in range(notebook_paths.MAX_FILES + 5):
        (folder / "s1" / f"{number}.txt").touch()
    first, second = rows(folder)
    assert not first.problem
    assert "no notebook" in second.problem


@pytest.mark.parametrize(
    ("entries", "told"),
    [
        ({"../../evil.ipynb": NOTEBOOK}, "outside itself"),
        ({"/etc/evil.ipynb": NOTEBOOK}, "outside itself"),
        ({"readme.txt": "x"}, "no notebook"),
        ({"bomb.ipynb": bytes(notebook_file.MAX_FILE + 10)}, "unpacks to 268,435,466 bytes"),
    ],
)
def test_hostile_zip_files_are_invalid_with_the_reason(folder, place, entries, told):
    place(s1_a1=entries)
    assert told in submissions.find(folder, IDS)[0].problem


def test_a_symlink_in_a_zip_and_on_disk_is_refused(folder):
    link = zipfile.ZipInfo("a1.ipynb")
    link.external_attr = 0o120777 << 16
    with zipfile.ZipFile(folder / "s1_a1.zip", "w") as archive:
        archive.writestr(link, "/etc/passwd")
    (folder / "s2" / "a1").mkdir(parents=True)
    os.symlink("/etc/passwd", folder / "s2" / "a1" / "a1.ipynb")
    (folder / "s3").mkdir()
    os.symlink(folder / "s2" / "a1", folder / "s3" / "a1")
    problems = [s.problem for s in submissions.find(folder, IDS)]
    assert len(problems) == 3
    assert all("symbolic link" in problem for problem in problems)


def test_a_broken_zip_is_refused(folder, place):
    place("s1_a1.zip", content=b"PK\x03\x04 nothing")
    assert "not a readable zip" in submissions.find(folder, IDS)[0].problem


def test_files_that_would_change_grading_are_ignored_with_a_word(folder, place):
    place("s1/a1/a1.ipynb")
    names = ("conftest.py", "pytest.ini", "sitecustomize.py", "numpy.py")
    place(*(f"s1/a1/{name}" for name in names), content="raise SystemExit")
    found = submissions.find(folder, IDS)[0]
    assert len(found.notices) == 4
    assert not found.problem


def test_a_notice_about_a_place_goes_when_the_place_is_put_right(folder, place):
    place("s1/week1/a1.ipynb")
    (wrong,) = rows(folder)
    known = sample("s1", notices=["1 of 6 predictions are filled in"])
    complete = functools.partial(class_run.complete, assignment=A1, suite={"": "hash"})
    stored = complete(known, wrong)
    assert len(stored.notices) == 2
    (folder / "s1" / "week1").rename(folder / "s1" / "a1")
    (right,) = rows(folder)
    again = complete(stored, right)
    assert again.notices == ["1 of 6 predictions are filled in"]


# Files handed in beside a notebook: found in every layout, bounded, and part of the hash.


NAMES = ["classifier.safetensors", "predictions.csv"]


def found(folder):
    """The one submission in a folder, as it would be graded."""
    (submission,) = submissions.find(folder, ["a1", "a2", "a3", "a4"])
    return class_run.resolve(submission, COURSE)


@pytest.mark.parametrize("where", ["s1/a3/submission", "s1/a3", "s1/submission", "s1"])
def test_files_are_found_beside_the_notebook_and_in_the_folder(folder, place, where):
    place("s1/a3/a3.ipynb" if "a3" in where else "s1/a3.ipynb", content=b"{}")
    for name in (*NAMES, "notes.txt", "other.json"):
        place(f"{where}/{name}", content=name)
    files, problem = found(folder).files()
    assert files == {name: name.encode() for name in NAMES}
    assert problem == ""


def test_a_translators_files_are_those_of_its_assignment(folder, place):
    place("s1/a4/a4.ipynb", content=b"{}")
    for name in ("translations.txt", "notes.txt", "predictions.csv", "translation.safetensors"):
        place(f"s1/a4/submission/{name}", content=name)
    files, _ = found(folder).files()
    assert sorted(files) == ["translation.safetensors", "translations.txt"]


def test_files_are_found_in_a_zip_file_by_their_names_alone(folder, place):
    entries = {"a3.ipynb": "{}", "submission/classifier.safetensors": "weights"}
    entries = {f"mine/week3/{name}": content for name, content in entries.items()}
    place(s1_a3=entries | {"__MACOSX/predictions.csv": "not this one"})
    files, _ = found(folder).files()
    assert files == {"classifier.safetensors": b"weights"}


def test_two_assignments_in_one_zip_file_have_their_own_files_of_the_same_names(folder, place):
    names = ("{}/{}.ipynb", "./{}/submission/config.json", "{}/config.json", "{}/tokenizer.json")
    place(s1={n.format(id, id): n.format(id, "") for id in IDS for n in names})
    for each in submissions.find(folder, IDS):
        files, _ = each.files()
        assert files["config.json"].decode() == f"./{each.assignment}/submission/config.json"
        assert files["tokenizer.json"].decode() == f"{each.assignment}/tokenizer.json"


def test_a_zip_file_may_have_paths_as_windows_writes_them(folder, place):
    entries = {f"work\\submission\\{name}": name for name in NAMES}
    place(s1={"work\\a3.ipynb": "{}", **entries, "work\\numpy.py": ""})
    one = found(folder)
    assert one.assignment == "a3"
    assert one.files() == ({name: name.encode() for name in NAMES}, "")
    assert one.notices == ["`numpy.py` was also submitted; it is not used"]


def test_an_assignment_without_a_model_takes_no_files(folder, place):
    place("s1/a1/a1.ipynb", "s1/a1/submission/classifier.safetensors")
    assert found(folder).files() == ({}, "")


def test_links_are_not_followed(folder, place, tmp_path):
    (tmp_path / "secret").write_bytes(b"labels")
    place("s1/a3/a3.ipynb", content=b"{}")
    os.symlink(tmp_path / "secret", folder / "s1/a3/predictions.csv")
    assert found(folder).files() == ({}, "")


def test_a_notebook_that_lies_too_deep_keeps_the_files_of_the_folders_above(folder, place):
    place("s1/week3/a3/a3.ipynb", content=b"{}")
    place("s1/week3/submission/classifier.safetensors", content=b"near")
    place("s1/submission/classifier.safetensors", "s1/submission/predictions.csv", content=b"far")
    expected = {"classifier.safetensors": b"near", "predictions.csv": b"far"}
    assert found(folder).files()[0] == expected


def test_too_much_is_one_sentence_and_nothing_is_read(folder, place):
    place("s1/a3/a3.ipynb", content=b"{}")
    place("s1/a3/classifier.safetensors", content=bytes(2**20 + 1))
    one = found(folder)
    beside = one.beside.only(["classifier.safetensors"], 2**20)
    files, problem = dataclasses.replace(one, beside=beside).files()
    assert files == {}
    assert problem == ("the files beside the notebook exceed 1 MiB: hand in a smaller model")


def test_every_byte_of_every_file_is_in_the_hash(folder, place):
    place("s1/a3/a3.ipynb", content=b"{}")
    hashes = [found(folder).sha256]
    for name, data in (("predictions.csv", b"1"), ("predictions.csv", b"2"), ("config.json", b"1")):
        place(f"s1/a3/{name}", content=data)
        hashes.append(found(folder).sha256)
    assert len(set(hashes)) == 4


@pytest.mark.parametrize("damaged", ["a3.ipynb", "submission/classifier.safetensors"])
def test_a_damaged_zip_file_is_one_students_problem(folder, place, damaged):
    weights = b"weights" * 500
    data = packed({"a3.ipynb": '{"cells": []}' * 500, "submission/classifier.safetensors": weights})
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        start = archive.getinfo(damaged).header_offset + 30 + len(damaged)
    place("s1_a3.zip", content=data[:start] + b"\xff" * 8 + data[start + 8 :])
    place("s2_a3.ipynb", content=b"{}")
    first, second = submissions.find(folder, ["a3"])
    assert first.problem or first.files()[1]
    assert not second.problem

"""Regrade requests: what a folder of files from strangers brings, and what is not taken."""

from __future__ import annotations

import json
import os

import in_process
import pytest
from sample_results import COURSE, sample

from grader.classroom import regrade_file
from grader.classroom.roster import Roster
from grader.exchange.regrades import collected
from grader.gradebook import answers
from grader.gradebook.manual import ManualMark, ManualMarks
from grader.gradebook.store import Store
from grader.intake.class_folder import SubmissionsError
from grader.report import regrade_form

A1 = COURSE.assignment("a1")
ADA = sample("ada")
HASH = answers.beginning(ADA.submission.sha256)
NAME = "regrade-a1-1.4.txt"


def text(reason="See line 3.", **lines):
    """A request, with these lines in place of the form's."""
    facts = {"student": "ada", "assignment": "a1", "item": "1.4", "answer": HASH} | lines
    return regrade_file.head(**facts) + reason


def found(folder, roster=None):
    results = [ADA, sample("ben"), sample("eva", outcome="INVALID")]
    return collected(folder, COURSE, roster or Roster(), results)


def put(folder, name, content):
    file = folder / name
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(content if isinstance(content, bytes) else content.encode())


def test_the_form_fills_in_what_the_command_reads():
    form = regrade_form.form(ADA, A1)
    assert len(form["items"]) == sum(e.kind != "written" for e in A1.exercises)
    one = next(one for one in form["items"] if one["file"] == NAME)
    read = regrade_file.read(f"{one['head']}Why?\r\n\r\nSee.".encode())
    assert read == ("ada", "a1", "1.4", HASH, "Why?\n\nSee.")
    assert regrade_form.form(sample(outcome="INVALID"), A1) is None


@pytest.mark.parametrize(
    "content",
    [
        text().encode("utf-8-sig"),
        text().encode("utf-16"),  # as Notepad may save it
        text().replace("\n", "\r\n").encode(),
        text().replace("Item", "ITEM").replace("Regrade request", " regrade REQUEST ").encode(),
        (text() + "\n\n\n").encode(),
    ],
)
def test_a_request_survives_an_editor(content, tmp_path):
    put(tmp_path, f"ada/{NAME}", content)
    [one] = found(tmp_path)
    assert (one.item, one.reason, one.problem) == (("ada", "a1", "1.4"), "See line 3.", "")


@pytest.mark.parametrize(
    ("place", "student"),
    [
        (f"ada/{NAME}", "ada"),
        (f"ada/a1/{NAME}", "ada"),
        (f"Ada Lovelace_123_assignsubmission_file/{NAME}", "ada"),
        (f"Ada Lovelace_123_assignsubmission_file_{NAME}", "ada"),
        (f"lovelaceada_77_991_{NAME}", "ada"),
        (f"a1-ada-l/{NAME}", "ada"),
        (f"ada/{NAME[:-4]} (1).TXT", "ada"),
        (f"Somebody Else_124_assignsubmission_file/{NAME}", ""),
        (NAME, ""),
    ],
)
def test_whose_it_is_its_place_says(place, student, tmp_path):
    put(tmp_path, place, text())
    csv = tmp_path / "roster.csv"
    csv.write_text("student,name,canvas,github\nada,Ada Lovelace,77,ada-l\nben,Ben Bitdiddle,,\n")
    [one] = found(tmp_path, Roster.read(csv, COURSE))
    assert one.student == student
    assert bool(one.item) == bool(student)


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        (text(student="ben"), ""),  # whoever is named there: the folder counts
        (text(reason="  "), "gives no reason"),
        (text(reason="x" * 4_001), "more than 4,000 characters"),
        (text(reason="x" * 30_000), "at most 20,000"),
        (text(item="9.9"), "no item '9.9'"),
        (text(item="1.11"), "is marked part by part"),
        (text(item="1.11.a"), "has no points yet"),
        (text(assignment="a9"), "ada has no grade of 'a9'"),
        (text(answer="0123456789ab"), "another answer to 1.4 than the one graded now"),
        (text(answer="*"), "`Answer` is not as the feedback page has it"),
        (text(answer=""), "lacks Assignment, Item or Answer"),
        ("Please look again.", "does not begin with 'Regrade request'"),
        (b"\xff\x00\xff", "is not a text in UTF-8"),
        (b"", "does not begin with"),
    ],
)
def test_what_is_not_taken_is_listed_with_the_reason(content, problem, tmp_path):
    put(tmp_path, f"ada/{NAME}", content)
    [one] = found(tmp_path)
    assert problem in one.problem
    assert bool(one.item) is not bool(problem)


@pytest.mark.skipif(os.name != "posix", reason="no links or pipes here")
def test_links_and_pipes_are_not_followed(tmp_path):
    (tmp_path / "in" / "ada").mkdir(parents=True)
    (tmp_path / "secret").write_text(text())
    (tmp_path / "in" / "ada" / NAME).symlink_to(tmp_path / "secret")
    os.mkfifo(tmp_path / "in" / "ada" / "regrade.txt")
    assert [one.problem.partition(":")[0] for one in found(tmp_path / "in")] == [
        "is a symbolic link",
        "is a named pipe, not a file",
    ]


def test_a_second_request_about_the_same_and_other_peoples_answers_are_not_taken(tmp_path):
    for place in (f"ada/{NAME}", "ada/regrade-again.txt", f"ben/{NAME}", f"eva/{NAME}"):
        put(tmp_path, place, text())
    put(tmp_path, "ada/readme.txt", "no request")
    first, second, ben, eva = found(tmp_path)
    assert (first.item is None) is not (second.item is None)
    assert "another answer" in ben.problem
    assert eva.problem
    (tmp_path / "empty").mkdir()
    for folder in ("empty", "absent"):
        with pytest.raises(SubmissionsError):
            found(tmp_path / folder)


def test_the_command_stores_what_is_new_and_says_what_is_not(tmp_path):
    out, folder = tmp_path / "grades", tmp_path / "requests"
    out.mkdir()
    with Store(out / "results.db") as store:
        store.add(ADA)
    put(folder, f"ada/{NAME}", text(reason="=1+1 \x1b[31m\u202e long " + "word " * 40))
    put(folder, "ben/regrade.txt", text())
    for count in (1, 0):
        ran = in_process.course("regrade-requests", folder, "--out", out)
        assert ran.exit_code == 1, "one is not taken"
        assert f"{count} new, {1 - count} known, 1 not taken" in ran.stdout
        assert "not taken  ben/regrade.txt: ben has no grade of 'a1'" in ran.stdout
        assert not {"\x1b", "\u202e"} & {*ran.stdout}
    (folder / "ben" / "regrade.txt").unlink()
    ran = in_process.course("regrade-requests", folder, "--out", out, "--json")
    assert ran.exit_code == 0
    assert [one["new"] for one in json.loads(ran.stdout)] == [False]
    in_process.course("report", out)
    asked = next(line for line in (out / "to_mark.csv").read_text().splitlines() if ",1.4," in line)
    assert "the student asks: =1+1" in asked
    with Store(out / "results.db") as store:
        store.keep(ManualMarks(COURSE, {("ada", "a1", "1.4"): ManualMark(17.0, "No.")}), "tutor")
    in_process.course("report", out)
    assert ",1.4," not in (out / "to_mark.csv").read_text()

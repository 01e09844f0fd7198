"""Regrade requests: what a folder of files from strangers brings, and what is not taken."""

import os

import pytest
from checkout import place
from sample_results import sample
from world import A1, COURSE
from world_tables import cases

from grader.classroom import regrade_file
from grader.classroom.roster import Roster
from grader.exchange.regrades import collected
from grader.gradebook import answers
from grader.intake.class_folder import SubmissionsError
from grader.report import regrade_form

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
    place(tmp_path / f"ada/{NAME}", content)
    [one] = found(tmp_path)
    assert (one.item, one.reason, one.problem) == (("ada", "a1", "1.4"), "See line 3.", "")


@cases("regrade_places")
def test_whose_it_is_its_place_says(where, student, world):
    world.hand_in(where, text())
    people = "student,name,canvas,github\nada,Ada Lovelace,77,ada-l\nben,Ben Bitdiddle,,\n"
    [one] = found(world.submitted, world.roster(people))
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
    place(tmp_path / f"ada/{NAME}", content)
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
    for where in (f"ada/{NAME}", "ada/regrade-again.txt", f"ben/{NAME}", f"eva/{NAME}"):
        place(tmp_path / where, text())
    place(tmp_path / "ada/readme.txt", "no request")
    first, second, ben, eva = found(tmp_path)
    assert (first.item is None) is not (second.item is None)
    assert "another answer" in ben.problem
    assert eva.problem
    (tmp_path / "empty").mkdir()
    for folder in ("empty", "absent"):
        with pytest.raises(SubmissionsError):
            found(tmp_path / folder)


def test_the_command_stores_what_is_new_and_says_what_is_not(world):
    world.add(ADA)
    world.hand_in(f"ada/{NAME}", text(reason="=1+1 \x1b[31m\u202e long " + "word " * 40))
    other = world.hand_in("ben/regrade.txt", text())
    for count in (1, 0):
        said = world.run("regrade-requests", world.submitted, code=1).stdout  # one is not taken
        assert f"{count} new, {1 - count} known, 1 not taken" in said
        assert "not taken  ben/regrade.txt: ben has no grade of 'a1'" in said
        assert not {"\x1b", "\u202e"} & {*said}
    other.unlink()
    assert [one["new"] for one in world.json("regrade-requests", world.submitted)] == [False]
    world.run("report")
    [asked] = [line for line in world.read("to_mark.csv").splitlines() if ",1.4," in line]
    assert "the student asks: =1+1" in asked
    world.mark(("ada", "1.4", 17.0, "No."), marker="tutor").run("report")
    assert ",1.4," not in world.read("to_mark.csv")

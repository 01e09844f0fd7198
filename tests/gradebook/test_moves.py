"""Nothing moves unseen: a class of eight, and what used to move its grades without a trace.

Each step is played with the real commands on stored results. After each, seven places have the same
totals: results.json, grades.csv, the students' pages, the long CSV, Moodle's feedback,
`course history` and `course why`.
"""

import datetime
import json
import re
from dataclasses import replace

import pytest
from sample_results import sample
from world import A1, COURSE, World, handed_in, lines, table
from world_tables import cases

from grader.classroom import component_marks
from grader.classroom.csv_file import CsvError
from grader.classroom.terms import Terms
from grader.cli.records import class_list
from grader.course.course import Course
from grader.exchange import moodle
from grader.gradebook.result import Result
from grader.intake.submissions import Submission
from grader.report.page import page_of

DAY = datetime.timedelta(days=1)
NAMES = [f"s{number:02}" for number in range(1, 9)]
LATE = NAMES[:4]
GRADED = "2026-02-09T08:00:00+00:00"
PLAYED = "s01"  # whose history and account are asked for after each step
MARKS = "student,assignment,item,points"


class Class(World):
    """A stored class: four handed in a day late, the last one nothing."""

    def __init__(self, folder, names=NAMES):
        super().__init__(folder)
        for name in names[:-1]:
            late = A1.due + (DAY / 2 if name in LATE else -DAY)
            self.add(sample(name, received=late.isoformat(), graded_at=GRADED))
        people = lines("student,name", *(f"{name},Student {name}" for name in names))
        self.people = self.file("roster.csv", people)

    def report(self, *words):
        return self.run("report", *words).stdout

    def history(self):
        return self.json("history", PLAYED, "a1")

    def change(self, name, change=lambda result: result):
        """The newest result of a student, changed."""
        with self.store() as store:
            store.add(change(store.newest(name, "a1")))


@pytest.fixture
def out(tmp_path):
    """A class of eight, with its files."""
    out = Class(tmp_path)
    out.report("--roster", out.people)
    return out


def totals(out):
    """Everybody's total in results.json, after a look at six more places."""
    found = json.loads(out.read("results.json"))
    truth = {result["student"]: result["totals"]["total"] for result in found}
    assert {name: float(row["total"]) for name, row in out.rows().items()} == truth
    out.run("export", "csv", "--to", out.out / "long.csv")
    rows = {row["student"]: float(row["assignment_points"]) for row in table(out.read("long.csv"))}
    assert rows == truth
    for result in map(Result.model_validate, found):
        total = truth[result.student]
        assert f'<p class="score"><b>{total:g}</b>' in out.read(page_of(result.student))
        if result.student in LATE:
            assert f"{total:g} of 100 points" in moodle.feedback(result)
    assert [e["total"] for e in out.history() if e["kind"] == "total"][-1] == truth[PLAYED]
    why = out.json("why", PLAYED, "a1")
    assert next(line["points"] for line in why["sum"] if line["what"] == "total") == truth[PLAYED]
    return truth


def ruled(monkeypatch, late=None, **facts):
    """course.toml with other rules of assignment 1, or of late work."""
    assignments = [a.model_copy(update=facts if a.id == "a1" else {}) for a in COURSE.assignments]
    rules = {"assignments": assignments, "late": late or COURSE.late}
    changed = COURSE.model_copy(update=rules)
    vars(changed).pop("weights", None)
    monkeypatch.setattr(Course, "here", lambda: changed)


def test_a_new_due_date_moves_nobody_before_it_was_previewed_and_applied(out, monkeypatch):
    before = totals(out)
    assert before["s01"] == 88.2
    ruled(monkeypatch, due=A1.due + DAY)
    assert totals(out) == before, "course.toml alone moves nobody"
    told = out.report("--preview")
    assert "4 up, 0 down, 3 with the same total" in told
    assert "s01 a1: 88.2 → 98 (+9.8)" in told
    assert "due 9 February 2027, 23:59 UTC, before: 8 February 2027, 23:59 UTC" in told
    assert "not late, before: 1 day late, 10 % deducted" in told
    assert totals(out) == before, "a preview stores nothing"
    out.report()
    assert totals(out)["s01"] == 98
    rule, last = out.history()[-2:]
    assert (rule["kind"], last["kind"], last["points"]) == ("rule", "total", 9.8)
    assert rule["sentence"].startswith("a1: due 9 February 2027, 23:59 UTC, be")
    assert last["why"][0].startswith("due 9 February")
    assert "What counts now: 98 of 100 points" in out.run("history", PLAYED, "a1").stdout


def test_a_new_price_slip_days_and_weights_are_told_too(out, monkeypatch):
    totals(out)
    price, two_days = (
        {"late_penalty_percent": 50.0},
        COURSE.late.model_copy(update={"slip_days": 2}),
    )
    ruled(monkeypatch, **price)
    told = out.report("--preview")
    assert "a late day costs 50 %, before: a late day costs 10 %" in told
    out.report()
    assert totals(out)["s01"] == 49
    ruled(monkeypatch, two_days, **price)
    assert "1 day late, 1 slip day used, 0 % deducted" in out.report("--preview")
    out.report()
    assert totals(out)["s01"] == 98
    ruled(monkeypatch, two_days, weight_percent=5.0, **price)
    out.add(*(sample(name, "a2", failed={"2.2": [{}]}) for name in NAMES[:-1]))
    told = out.json("report", "--preview")
    assert told["rules"] == ["a1: it counts 5 %, before: it counts 20 %"]

    def grade():
        return {g["student"]: g["total"] for g in out.json("grades", "--so-far")}["s01"]

    before = grade()
    out.report()
    assert grade() != before
    moved = next(one for one in told["course"] if one["student"] == "s01")
    assert moved["now"] == grade()


# ---------------------------------------------------------------- lists


@cases("refused_marks")
def test_a_mark_that_cannot_be_meant_is_refused(tmp_path, row, told):
    out = Class(tmp_path, NAMES[:3])
    assert told in out.refused("report", "--manual", out.file("marks.csv", lines(MARKS, row)))


def test_more_points_of_a_component_than_there_are_need_a_word(world):
    def read(row):
        path = world.file("exam.csv", lines("student,component,points,max", row))
        return component_marks.read([path], ["exam"], {"ada", "ben"})

    assert read("ada,exam,63 extra,60") == {("ada", "exam"): (63.0, 60.0)}
    for row, told in {
        "ada,exam,63,60": 'above the maximum: correct them, or write "63 extra"',
        "ada,exam,63 points,60": "'63 points' is not a number",
        "Ben,exam,1,60": "'ben' differs only in case or spaces",
    }.items():
        with pytest.raises(CsvError, match=told):
            read(row)


def test_a_roster_asks_whether_so_many_days_are_meant_and_takes_a_day_with_its_zone(world):
    with pytest.raises(CsvError, match=r"\+500 are more days than 60: do you mean it\?"):
        world.roster("student,a1\nada,+500\n")
    assert Terms.read("+60", datetime.timezone.utc).more_days == 60
    due = Terms.read("2027-02-10+00:00", datetime.timezone.utc).due
    assert due == datetime.datetime(2027, 2, 10, 23, 59, tzinfo=datetime.timezone.utc)


# ---------------------------------------------------------------- times of receipt


def submitted(student, when, data=b"new", clock="file"):
    return Submission(student, "a1", f"{student}.ipynb", data, when, clock)


@pytest.fixture
def graded(world):
    """One student's stored hand-in, two days late by the date of the file."""
    one = submitted("ada", A1.due + 2 * DAY)
    facts = {"sha256": one.sha256, "received": one.received.isoformat(), "received_from": "file"}
    with world.add(handed_in("ada", **facts)).store() as store:
        yield store, one


def test_an_earlier_date_of_the_same_file_replaces_no_known_one(graded):
    store, one = graded
    told = []
    earlier = submitted("ada", A1.due - DAY)
    [counts] = class_list.timed([earlier], {}, store, told.append)
    assert counts.received == one.received
    assert told[0].startswith("earlier dates of files are not used")
    assert "ada a1; to change it give --received" in told[0]
    later = submitted("ada", A1.due + 9 * DAY)
    assert class_list.timed([later], {}, store)[0].received == one.received, "a copy changes none"


def test_a_better_clock_replaces_a_known_time_and_says_so(graded):
    store, one = graded
    told = []
    better = submitted("ada", A1.due - DAY, clock="gradescope")
    [counts] = class_list.timed([better], {}, store, told.append)
    assert counts.received == better.received
    assert re.match(
        r"ada a1 counts as received 7 February .* by Gradescope's record, before: 10 F", told[0]
    )


@pytest.mark.parametrize(
    "later",
    [
        {"problem": "no notebook, only notes.pdf: submit an .ipynb"},
        {"notebook": b"%PDF-1.7 notes"},
        {"notebook": b'{"cells": ['},
    ],
)
def test_what_is_no_notebook_never_replaces_the_grade_of_one(graded, later):
    store, _ = graded
    newer = replace(submitted("ada", A1.due + 3 * DAY), **later)
    stranger, told = replace(newer, student="nobody"), []
    assert class_list.without_older([newer, stranger], store, False, told.append) == [stranger]
    assert told[0].startswith("ada a1: the notebook graded before still counts, as the new hand-in")


def test_an_older_download_never_replaces_a_newer_hand_in(graded):
    store, _ = graded
    cells = '{"nbformat": 4, "cells": [{"cell_type": "markdown", "source": "%s"}]}'
    older = submitted("ada", A1.due - DAY, (cells % "older").encode())
    newer = submitted("ada", A1.due + 3 * DAY, (cells % "newer").encode())
    told = []
    assert class_list.without_older([older, newer], store, False, told.append) == [newer]
    assert "ada a1: an older hand-in is left out (received 7 February" in told[0]
    assert class_list.without_older([older], store, True, told.append) == [older]
    assert "counts again" in told[1]

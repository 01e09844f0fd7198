"""Nothing moves unseen: a class of thirty, and what used to move its grades without a trace.

Each step is played with the real commands on stored results. After each, seven places have the same
totals: results.json, grades.csv, the students' pages, the long CSV, Moodle's feedback,
`course history` and `course why`.
"""

import csv
import datetime
import json
import re
from dataclasses import replace

import in_process
import pytest
from in_process import printed
from sample_results import COURSE, sample

from grader.classroom import component_marks
from grader.classroom.csv_file import CsvError
from grader.classroom.roster import Roster
from grader.classroom.terms import Terms
from grader.cli.records import class_list
from grader.course.course import Course
from grader.exchange import moodle
from grader.gradebook import answers, manual
from grader.gradebook.manual import ManualMark
from grader.gradebook.result import Result
from grader.gradebook.store import Store
from grader.intake.submissions import Submission
from grader.marking.desk import Desk
from grader.report.page import page_of

A1 = COURSE.assignment("a1")
DAY = datetime.timedelta(days=1)
NAMES = [f"s{number:02}" for number in range(1, 31)]
LATE = NAMES[:4]
GRADED = "2026-02-09T08:00:00+00:00"
PLAYED = ["s01"]  # whose history and account are asked for after each step


def made(folder, names):
    """A stored class: four handed in a day late, the last one nothing."""
    with Store(folder / "results.db") as store:
        for name in names[:-1]:
            late = A1.due + (DAY / 2 if name in LATE else -DAY)
            store.add(sample(name, received=late.isoformat(), graded_at=GRADED))
    roster = "student,name\n" + "".join(f"{name},Student {name}\n" for name in names)
    (folder / "roster.csv").write_text(roster, encoding="utf-8")
    return folder


@pytest.fixture
def out(tmp_path):
    """A class of thirty, with its files."""
    out = made(tmp_path, NAMES)
    printed("report", out, "--roster", out / "roster.csv")
    return out


def refused(*arguments):
    return str(in_process.course(*arguments).exception)


def written(path, *rows):
    path.write_text("\n".join(rows) + "\n", encoding="utf-8")
    return path


def totals(out):
    """Everybody's total in results.json, after a look at six more places."""
    found = json.loads((out / "results.json").read_text(encoding="utf-8"))
    truth = {result["student"]: result["totals"]["total"] for result in found}
    with (out / "grades.csv").open(encoding="utf-8") as file:
        assert {row["student"]: float(row["total"]) for row in csv.DictReader(file)} == truth
    printed("export", "csv", "--out", out, "--to", out / "long.csv")
    with (out / "long.csv").open(encoding="utf-8") as file:
        rows = {row["student"]: float(row["assignment_points"]) for row in csv.DictReader(file)}
    assert rows == truth
    for result in map(Result.model_validate, found):
        total = truth[result.student]
        page = (out / page_of(result.student)).read_text(encoding="utf-8")
        assert f'<p class="score"><b>{total:g}</b>' in page
        if result.student in LATE:
            assert f"{total:g} of 100 points" in moodle.feedback(result)
    for name in set(PLAYED) & {*truth}:
        history = json.loads(printed("history", name, "a1", "--out", out, "--json"))
        assert [e["total"] for e in history if e["kind"] == "total"][-1] == truth[name]
        why = json.loads(printed("why", name, "a1", "--out", out, "--json"))
        assert next(line["points"] for line in why["sum"] if line["what"] == "total") == truth[name]
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
    told = printed("report", out, "--preview")
    assert "4 up, 0 down, 25 with the same total" in told
    assert "s01 a1: 88.2 → 98 (+9.8)" in told
    assert "due 9 February 2027, 23:59 UTC, before: 8 February 2027, 23:59 UTC" in told
    assert "not late, before: 1 day late, 10 % deducted" in told
    assert totals(out) == before, "a preview stores nothing"
    printed("report", out)
    assert totals(out)["s01"] == 98
    entries = json.loads(printed("history", "s01", "a1", "--out", out, "--json"))
    rule, last = entries[-2:]
    assert (rule["kind"], rule["sentence"][:38]) == (
        "rule",
        "a1: due 9 February 2027, 23:59 UTC, be",
    )
    assert (last["kind"], last["points"]) == ("total", 9.8)
    assert last["why"][0].startswith("due 9 February")
    assert "What counts now: 98 of 100 points" in printed("history", "s01", "a1", "--out", out)


def test_a_new_price_slip_days_and_weights_are_told_too(out, monkeypatch):
    totals(out)
    ruled(monkeypatch, late_penalty_percent=50.0)
    assert "a late day costs 50 %, before: a late day costs 10 %" in printed(
        "report", out, "--preview"
    )
    printed("report", out)
    assert totals(out)["s01"] == 49
    ruled(monkeypatch, COURSE.late.model_copy(update={"slip_days": 2}), late_penalty_percent=50.0)
    told = printed("report", out, "--preview")
    assert "1 day late, 1 slip day used, 0 % deducted" in told
    printed("report", out)
    assert totals(out)["s01"] == 98
    weights = {"weight_percent": 5.0, "late_penalty_percent": 50.0}
    ruled(monkeypatch, COURSE.late.model_copy(update={"slip_days": 2}), **weights)
    with Store(out / "results.db") as store:
        for name in NAMES[:-1]:
            store.add(sample(name, "a2", failed={"2.2": [{}]}))
    told = json.loads(printed("report", out, "--preview", "--json"))
    assert told["rules"] == ["a1: it counts 5 %, before: it counts 20 %"]
    grades = ("grades", "--out", out, "--so-far", "--json")
    before = {g["student"]: g["total"] for g in json.loads(printed(*grades))}
    printed("report", out)
    after = {g["student"]: g["total"] for g in json.loads(printed(*grades))}
    assert after["s01"] != before["s01"]
    moved = next(one for one in told["course"] if one["student"] == "s01")
    assert (moved["now"]) == after["s01"]


def test_marks_by_hand_are_in_the_history_and_a_new_hand_in_holds_them(out, tmp_path):
    marks = written(
        tmp_path / "marks.csv", "student,assignment,item,points", "s01,a1,1.11.a,3", "s07,a1,1.3,2"
    )
    told = printed("report", out, "--manual", marks, "--preview")
    assert "s01 a1: 88.2 → 90.9 (+2.7; 1.11 +3)" in told
    assert "1.11.a by hand: 3, before: no mark" in told
    printed("report", out, "--manual", marks, "--marker", "tutor")
    assert (totals(out)["s01"], totals(out)["s07"]) == (90.9, 92)
    with Store(out / "results.db") as store:
        old = store.newest("s01", "a1")
        parts = [p.model_copy(update={"answer": "Anew."}) for p in old.parts]
        exercises = [e.model_copy(update={"parts": parts}) if e.parts else e for e in old.exercises]
        sha = answers.sha256_of_text("a new file")
        facts = old.submission.model_copy(update={"sha256": sha})
        store.add(old.changed(A1, exercises=exercises, submission=facts))
    printed("report", out)
    assert totals(out)["s01"] == 88.2
    last = json.loads(printed("history", "s01", "a1", "--out", out, "--json"))[-1]
    held = "the mark of 1.11.a is held, as the answer has changed"
    assert last["why"][:2] == ["another hand-in counts", held]
    printed("report", out, "--manual", marks)
    assert totals(out)["s01"] == 88.2, "the same list again confirms nothing"
    row = next(
        row
        for row in csv.DictReader((out / "to_mark.csv").open(encoding="utf-8"))
        if (row["student"], row["item"]) == ("s01", "1.11.a")
    )
    again = f"s01,a1,1.11.a,3,{row['answer_sha256']}"
    header = "student,assignment,item,points,answer_sha256"
    printed("report", out, "--manual", written(tmp_path / "confirmed.csv", header, again))
    assert totals(out)["s01"] == 90.9


def test_marks_of_the_page_count_in_every_place_and_a_changed_answer_or_picture_holds_them(out):
    def marked(*names):
        with Store(out / "results.db") as store:
            desk = Desk(store, COURSE)
            [card] = desk.cards("a1", "1.11.a")[:1]
            seen = [e for e in card.entries if e.answer.students[0] in names]
            desk.give([(entry, entry.answer.version) for entry in seen], ManualMark(4.0, "", "ben"))
            assert len(seen) == len(names)
        printed("report", out)

    def handed_in_again(name, **changes):
        with Store(out / "results.db") as store:
            old = store.newest(name, "a1")
            parts = [p.model_copy(update=changes if p.id == "1.11.a" else {}) for p in old.parts]
            exercises = [
                e.model_copy(update={"parts": parts} if e.parts else {}) for e in old.exercises
            ]
            store.add(old.changed(A1, exercises=exercises))
        printed("report", out)

    before = totals(out)
    marked("s01", "s07", "s20")
    assert totals(out) == before | {"s01": 91.8, "s07": 102.0, "s20": 102.0}
    handed_in_again("s01", answer="Another.")
    handed_in_again("s07", pictures="a picture")
    assert totals(out) == before | {"s20": 102.0}
    told = (out / "to_mark.csv").read_text(encoding="utf-8")
    assert told.count("the answer has changed; before: 4 points") == 2


def test_an_extension_and_a_mark_of_a_group_count_in_every_place(out, tmp_path):
    before = totals(out)
    terms = written(tmp_path / "terms.csv", "student,a1", "s01,+1", "s02,excused")
    told = printed("report", out, "--roster", terms, "--preview")
    assert "s01 a1: 88.2 → 98 (+9.8)" in told
    assert "s02 a1: 88.2 → no total (-88.2)\n    excused" in told
    assert totals(out) == before
    with Store(out / "results.db") as store:
        for name in ("s05", "s06"):
            old = store.newest(name, "a1")
            facts = {"file": "export/submission_1/a1.ipynb", "sha256": "same"}
            facts = old.submission.model_copy(update=facts)
            store.add(old.model_copy(update={"submission": facts}))
    given = written(tmp_path / "m.csv", "student,assignment,item,points", "s05,a1,1.11.a,3")
    waived = written(tmp_path / "terms.csv", "student,a1", "s01,+1", "s02,waived")
    printed("report", out, "--roster", waived, "--manual", given)
    assert totals(out) == before | {"s01": 98.0, "s02": 98.0, "s05": 101.0, "s06": 101.0}


# ---------------------------------------------------------------- lists


@pytest.mark.parametrize(
    ("row", "told"),
    [
        ("S01 ,a1,1.11.a,3", "'s01' differs only in case or spaces: write that"),
        ("s 01,a1,1.11.a,3", "'s01' differs only in case or spaces"),
        ("s0l,a1,1.11.a,3", "nobody is called 's0l'"),
        ("s01,a1,1.11.a,5", "5 points for 1.11.a, which allows 0 to 4"),
        ("s01,a1,,5", "a comment on the whole assignment has no points"),
    ],
)
def test_a_mark_that_cannot_be_meant_is_refused(tmp_path, row, told):
    out = made(tmp_path, NAMES[:3])
    path = written(out / "marks.csv", "student,assignment,item,points", row)
    assert told in refused("report", out, "--manual", path)


def test_a_mark_of_somebody_who_is_gone_can_be_taken_back(tmp_path):
    path = written(tmp_path / "m.csv", "student,assignment,item,points", "gone,a1,1.3,-")
    assert len(manual.read(path, COURSE, {"ada"}).marks) == 1


def test_more_points_of_a_component_than_there_are_need_a_word(tmp_path):
    def read(points):
        path = written(tmp_path / "exam.csv", "student,component,points,max", f"ada,exam,{points}")
        return component_marks.read([path], ["exam"], {"ada", "ben"})

    assert read("63 extra,60") == {("ada", "exam"): (63.0, 60.0)}
    with pytest.raises(CsvError, match='above the maximum: correct them, or write "63 extra"'):
        read("63,60")
    with pytest.raises(CsvError, match="'63 points' is not a number"):
        read("63 points,60")
    path = written(tmp_path / "exam.csv", "student,component,points,max", "Ben,exam,1,60")
    with pytest.raises(CsvError, match="'ben' differs only in case or spaces"):
        component_marks.read([path], ["exam"], {"ada", "ben"})


def test_a_roster_asks_whether_so_many_days_are_meant_and_takes_a_day_with_its_zone(tmp_path):
    roster = written(tmp_path / "roster.csv", "student,a1", "ada,+500")
    with pytest.raises(CsvError, match=r"\+500 are more days than 60: do you mean it\?"):
        Roster.read(roster, COURSE)
    assert Terms.read("+60", datetime.timezone.utc).more_days == 60
    due = Terms.read("2027-02-10+00:00", datetime.timezone.utc).due
    assert due == datetime.datetime(2027, 2, 10, 23, 59, tzinfo=datetime.timezone.utc)


# ---------------------------------------------------------------- times of receipt


def handed_in(student, when, data=b"new", clock="file"):
    return Submission(student, "a1", f"{student}.ipynb", data, when, clock)


@pytest.fixture
def graded(tmp_path):
    """One student's stored hand-in, two days late by the date of the file."""
    with Store(tmp_path / "results.db") as store:
        old = sample("ada")
        one = handed_in("ada", A1.due + 2 * DAY)
        facts = {"sha256": one.sha256, "received": one.received.isoformat()}
        facts |= {"received_from": "file"}
        store.add(old.model_copy(update={"submission": old.submission.model_copy(update=facts)}))
        yield store, one


def test_an_earlier_date_of_the_same_file_replaces_no_known_one(graded):
    store, one = graded
    told = []
    earlier = handed_in("ada", A1.due - DAY)
    [counts] = class_list.timed([earlier], {}, store, told.append)
    assert counts.received == one.received
    assert told[0].startswith("earlier dates of files are not used")
    assert "ada a1; to change it give --received" in told[0]
    later = handed_in("ada", A1.due + 9 * DAY)
    assert class_list.timed([later], {}, store)[0].received == one.received, "a copy changes none"


def test_a_better_clock_replaces_a_known_time_and_says_so(graded):
    store, one = graded
    told = []
    better = handed_in("ada", A1.due - DAY, clock="gradescope")
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
    newer = replace(handed_in("ada", A1.due + 3 * DAY), **later)
    stranger, told = replace(newer, student="nobody"), []
    assert class_list.without_older([newer, stranger], store, False, told.append) == [stranger]
    assert told[0].startswith("ada a1: the notebook graded before still counts, as the new hand-in")


def test_an_older_download_never_replaces_a_newer_hand_in(graded):
    store, _ = graded
    cells = '{"nbformat": 4, "cells": [{"cell_type": "markdown", "source": "%s"}]}'
    older = handed_in("ada", A1.due - DAY, (cells % "older").encode())
    newer = handed_in("ada", A1.due + 3 * DAY, (cells % "newer").encode())
    told = []
    assert class_list.without_older([older, newer], store, False, told.append) == [newer]
    assert "ada a1: an older hand-in is left out (received 7 February" in told[0]
    assert class_list.without_older([older], store, True, told.append) == [older]
    assert "counts again" in told[1]

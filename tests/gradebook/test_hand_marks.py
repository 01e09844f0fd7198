"""A mark given by hand belongs to an answer: if that changes, it is held and asked for again."""

import csv
import io
import shutil
import sqlite3

import pytest
from checkout import ROOT
from sample_results import COURSE, sample

from grader.cli.records import results
from grader.exchange import results_files
from grader.gradebook import answers, manual, marking, marking_worklist, stored_marks
from grader.gradebook.manual import ManualMark, ManualMarks
from grader.gradebook.store import Store
from grader.marking.desk import Desk
from grader.report import render_pages

ITEM = ("ada", "a1", "1.11.a")
OLD_STORE = ROOT / "tests/gradebook/old_store/old_store.sqlite"


def answered(text, student="ada", **facts):
    """A graded submission whose answer to 1.11.a is `text`."""
    result = sample(student, **facts)
    changed = [
        e.model_copy(
            update={
                "parts": [
                    p.model_copy(update={"answer": text}) if p.id == ITEM[2] else p for p in e.parts
                ]
            }
        )
        for e in result.exercises
    ]
    sha = answers.sha256_of_text(f"{text} {student}")
    submission = result.submission.model_copy(update={"sha256": sha})
    return result.changed(COURSE.assignment("a1"), exercises=changed, submission=submission)


@pytest.fixture
def store(tmp_path):
    with Store(tmp_path / "results.db") as opened:
        opened.add(answered("first"))
        yield opened


def counted(store):
    found = results.counted_results(store, COURSE)
    return next(result for result in found if result.student == "ada")


def given(tmp_path, *rows, header="student,assignment,item,points,comment,answer_sha256"):
    path = tmp_path / "marks.csv"
    path.write_text("\n".join([header, *rows]), encoding="utf-8")
    return manual.read(path, COURSE)


def list_to_mark(store):
    return list(csv.DictReader(io.StringIO(marking_worklist.text([counted(store)], {}))))


def test_a_mark_carries_who_when_and_for_which_answer(store):
    store.keep(ManualMarks(COURSE, {ITEM: ManualMark(3.0, "good")}), "tutor")
    [kept] = store.marks()
    assert kept.mark.marker == "tutor"
    assert kept.mark.answer_sha256 == answers.sha256_of_text("first")
    assert kept.mark.given_at == kept.kept_at > "2026"
    mark = next(e for e in store.history("ada", "a1") if e["kind"] == "mark")
    assert mark["sentence"] == "1.11.a marked by hand: 3 points: good (by tutor)"


def test_a_mark_whose_answer_has_changed_is_held_shown_and_asked_for_again(store):
    store.keep(ManualMarks(COURSE, {ITEM: ManualMark(3.0, "good")}), "tutor")
    assert counted(store).totals.manual == 3.0
    store.add(answered("second"))
    now = counted(store)
    assert (now.totals.manual, now.totals.manual_pending) == (None, 3)
    [held] = now.held
    assert (held.item, held.points, held.marker, held.answer) == (ITEM[2], 3.0, "tutor", "first")
    [(_, page)] = render_pages([now], COURSE)
    assert "<p>first</p>\n</blockquote>" in page
    assert "<p>second</p>\n</blockquote>" in page
    assert "Held: 3 points" in page
    row = next(csv.DictReader(io.StringIO(results_files.to_csv([now], COURSE))))
    assert (row["held"], row["pending"]) == ("A1.11.a", "3")
    asked = next(row for row in list_to_mark(store) if row["item"] == ITEM[2])
    assert asked["answer_sha256"] == answers.sha256_of_text("second")[:12]
    assert asked["note"] == "the answer has changed; before: 3 points, “good”"
    assert (asked["points"], asked["comment"]) == ("", "")


@pytest.mark.parametrize("digits", ["1234567890123", "12345e678901", "1234567890e"])
def test_no_spreadsheet_takes_the_answers_hash_in_a_list_for_a_number(store, digits):
    begun = answers.beginning(f"{digits}ca" + "0" * 50)
    assert begun == f"{digits}c"
    assert answers.beginning("") == ""
    assert all(len(row["answer_sha256"]) == 12 for row in list_to_mark(store))


def test_the_same_list_given_again_confirms_nothing_and_the_list_of_now_does(store, tmp_path):
    mine = given(tmp_path, "ada,a1,1.11.a,3,good,")
    store.keep(mine)
    store.add(answered("second"))
    assert store.keep(mine) == 0
    assert counted(store).held
    row = next(row for row in list_to_mark(store) if row["item"] == ITEM[2])
    store.keep(given(tmp_path, f"ada,a1,1.11.a,3,good,{row['answer_sha256']}"))
    assert (counted(store).totals.manual, counted(store).held) == (3.0, [])


def test_a_list_filled_in_for_an_older_answer_counts_for_that_answer_alone(store, tmp_path):
    row = next(row for row in list_to_mark(store) if row["item"] == ITEM[2])
    store.add(answered("second"))
    store.keep(given(tmp_path, f"ada,a1,1.11.a,4,,{row['answer_sha256']}"))
    [held] = counted(store).held
    assert (held.points, held.answer) == (4.0, "first")
    store.add(answered("first"))
    assert counted(store).totals.manual == 4.0, "the answer is back, and so is its mark"


def test_an_override_and_a_comment_on_all_of_it_were_given_for_what_was_handed_in(store, tmp_path):
    store.keep(given(tmp_path, "ada,a1,1.3,1,a slip,", "ada,a1,,,Good work,"))
    now = counted(store)
    assert (now.comment, [o.exercise for o in now.overrides]) == ("Good work", ["1.3"])
    assert "Good work" in next(render_pages([now], COURSE))[1]
    store.add(answered("second"))
    now = counted(store)
    assert (now.comment, now.overrides, len(now.held)) == ("", [], 2)
    assert {row["item"] for row in list_to_mark(store)} >= {"", "1.3"}


LOST = {"1.4": [{"max_points": 4.0}], "1.5": [{"max_points": 3.0}]}


@pytest.mark.parametrize(
    ("given_points", "now", "held"),
    [
        (16, {}, []),  # 1.4 has all points now
        (16, LOST, ["1.4"]),
        (2, {}, ["1.4"]),  # the mark had taken points away: a person decides
    ],
)
def test_a_raised_exercise_asks_no_more_once_it_has_all_points(given_points, now, held, store):
    store.add(answered("first", failed=LOST))
    item = ("ada", "a1", "1.4")
    store.keep(ManualMarks(COURSE, {item: ManualMark(given_points, "Almost.")}))
    store.add(answered("second", failed=now))
    assert [mark.item for mark in counted(store).held] == held
    assert [row["item"] for row in list_to_mark(store) if row["item"] == "1.4"] == held


def test_a_comment_alone_leaves_the_points_of_the_same_answer(store, tmp_path):
    store.keep(given(tmp_path, "ada,a1,1.11.a,3,,", "ada,a1,1.3,1,a slip,"))
    alone = given(tmp_path, "ada,a1,1.11.a,,Which factor?,", "ada,a1,1.3,,see 1.4,")
    assert (store.keep(alone), store.keep(alone)) == (2, 0)
    now = counted(store)
    assert (now.totals.manual, now.overrides[0].points) == (3.0, 1.0)
    assert (now.parts[0].comment, now.overrides[0].comment) == ("Which factor?", "see 1.4")
    store.add(answered("second"))
    store.keep(given(tmp_path, "ada,a1,1.11.a,,Now clear,"))
    assert counted(store).totals.manual is None, "points of another answer"


def test_space_around_an_answer_and_ends_of_lines_are_no_change(store):
    store.keep(ManualMarks(COURSE, {ITEM: ManualMark(3.0)}))
    store.add(answered(" first\r\n"))
    assert counted(store).totals.manual == 3.0


def test_a_store_made_before_opens_and_its_marks_stay_until_an_answer_changes(tmp_path):
    path = tmp_path / "results.db"
    shutil.copy(OLD_STORE, path)
    with Store(path) as store:
        before = {kept.item: kept.mark for kept in store.marks()}
        assert len(before) == 3
        assert all(mark.answer_sha256 for mark in before.values())
        found = {r.student: r for r in results.counted_results(store, COURSE)}
        assert not any(result.held for result in found.values())
        old = next(r for r in store.latest() if r.student == "s01-reference")
        parts = [p.model_copy(update={"answer": "new"}) for p in old.parts]
        exercises = [e.model_copy(update={"parts": parts}) if e.parts else e for e in old.exercises]
        store.add(old.changed(COURSE.assignment("a1"), exercises=exercises))
        found = {r.student: r for r in results.counted_results(store, COURSE)}
        assert [mark.item for mark in found["s01-reference"].held] == ["1.11.a"]
        assert not found["s03-no-scaling"].held
    with Store(path) as store:
        assert {kept.item: kept.mark for kept in store.marks()} == before
    names = [row[1] for row in sqlite3.connect(path).execute("PRAGMA table_info(marks)")]
    assert names.count("answer_sha256") == 1


# ---------------------------------------------------------------- answer by answer: `course mark`


def answers_to(store, item="1.11.a"):
    """The newest answers with their marks, each as the page of `course mark` shows it."""
    desk = Desk(store, COURSE)
    cards = [desk.with_earlier_text(card) for card in desk.cards("a1", item)]
    return sorted((e.answer for card in cards for e in card.entries), key=lambda a: a.students)


def only(store):
    [answer] = answers_to(store)
    return answer


def give(store, points, answer, version=None, marker="tutor"):
    seen = answer.version if version is None else version
    mark = ManualMark(points, "", marker)
    return marking.give_marks(store, COURSE, [(answer, seen)], mark)[0]


def test_several_answers_are_marked_together_or_not_at_all(store):
    store.add(answered("first", "ben"))
    both = answers_to(store)
    give(store, 1.0, both[1], marker="another")
    mark = ManualMark(3.0, "", "tutor")
    with pytest.raises(marking.MarkedMeanwhile):
        marking.give_marks(store, COURSE, [(one, one.version) for one in both], mark)
    assert [kept.mark.points for kept in store.marks()] == [1.0]
    now = answers_to(store)
    marking.give_marks(store, COURSE, [(one, one.version) for one in now], mark)
    assert all(a.mark == mark for a in answers_to(store))


def test_undo_steps_back_step_by_step_of_one_marker(store):
    store.add(answered("first", "ben"))
    both = answers_to(store)
    marking.give_marks(store, COURSE, [(a, a.version) for a in both], ManualMark(1.0, "", "tutor"))
    give(store, 2.0, answers_to(store)[0], marker="cy")
    [[together]] = stored_marks.acts(store.marks(), "tutor")
    assert together.item[0] == "ben", "somebody has marked upon the other"
    [stays] = marking.undo(store, together.act, marker="tutor")
    assert stays.item[0] == "ada"
    assert stored_marks.acts(store.marks(), "tutor") == []
    [[upon]] = stored_marks.acts(store.marks(), "cy")
    assert marking.undo(store, upon.act, marker="tutor") == [], "it is no step of this marker"
    assert marking.undo(store, upon.act, marker="cy") == []
    assert [a.mark and a.mark.points for a in answers_to(store)] == [1, None]
    assert marking.undo(store, together.act, marker="tutor")[0].item[0] == "ben"
    assert counted(store).totals.manual is None
    assert len(marking.undo(store, together.act, marker="tutor")) == 2, "nothing is left of it"


def test_a_group_is_marked_once_and_every_member_has_the_mark(tmp_path):
    with Store(tmp_path / "results.db") as store:
        for student in ("ada", "ben", "cyd"):
            result = answered("ours", student)
            facts = {"file": "export/submission_1/a1.ipynb", "sha256": "same"}
            facts = result.submission.model_copy(update=facts)
            store.add(result.model_copy(update={"submission": facts}))
        rows = list(csv.DictReader(io.StringIO(marking_worklist.text(store.latest(), {}))))
        assert {row["student"] for row in rows} == {"ada"}
        assert rows[0]["note"] == "also for ben, cyd"
        store.keep(given(tmp_path, "cyd,a1,1.11.c,0,was away,"))
        pending = {
            r.student: r.totals.manual_pending for r in results.counted_results(store, COURSE)
        }
        assert pending == {"ada": 3, "ben": 3, "cyd": 2}, "though nobody else has a mark"
        store.keep(given(tmp_path, "cyd,a1,1.11.c,-,,"))
        store.keep(given(tmp_path, "ada,a1,1.11.a,3,,"))
        assert {r.totals.manual for r in results.counted_results(store, COURSE)} == {3.0}
        store.keep(given(tmp_path, "cyd,a1,1.11.a,1,was away,", "ada,a1,1.11.b,2,,"))
        found = {r.student: r.totals.manual for r in results.counted_results(store, COURSE)}
        assert found == {"ada": 5.0, "ben": 5.0, "cyd": 3.0}, "a member's own row is theirs alone"
        [answer] = answers_to(store, "1.11.b")
        assert answer.students == ("ada", "ben", "cyd")
        give(store, 4.0, answer)
        found = {r.student: r.totals.manual for r in results.counted_results(store, COURSE)}
        assert found == {"ada": 7.0, "ben": 7.0, "cyd": 5.0}

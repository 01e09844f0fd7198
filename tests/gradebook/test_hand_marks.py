"""A mark given by hand belongs to an answer: if that changes, it is held and asked for again."""

import pytest
from sample_results import sample
from world import COURSE, handed_in, lines, marks, table, with_parts

from grader.cli.records import results
from grader.exchange import results_files
from grader.gradebook import answers, manual, marking, marking_worklist
from grader.gradebook.manual import ManualMark
from grader.marking.desk import Desk
from grader.report import render_pages

ITEM = ("ada", "a1", "1.11.a")


def answered(text, student="ada", **facts):
    """A graded submission whose answer to 1.11.a is `text`."""
    sha = answers.sha256_of_text(f"{text} {student}")
    result = handed_in(result=sample(student, **facts), sha256=sha)
    return with_parts(result, lambda part: {"answer": text} if part.id == ITEM[2] else {})


@pytest.fixture
def store(store):
    store.add(answered("first"))
    return store


def all_counted(store):
    return {result.student: result for result in results.counted_results(store, COURSE)}


def counted(store):
    return all_counted(store)["ada"]


def manual_points(store):
    return {student: result.totals.manual for student, result in all_counted(store).items()}


@pytest.fixture
def given(world):
    """Reads rows of a file of marks."""
    header = "student,assignment,item,points,comment,answer_sha256"
    return lambda *rows: manual.read(world.file("marks.csv", lines(header, *rows)), COURSE)


def list_to_mark(store, item=ITEM[2]):
    return [
        row for row in table(marking_worklist.text([counted(store)], {})) if row["item"] == item
    ]


def test_a_mark_carries_who_when_and_for_which_answer(store):
    store.keep(marks(("ada", "1.11.a", 3.0, "good")), "tutor")
    [kept] = store.marks()
    assert kept.mark.marker == "tutor"
    assert kept.mark.answer_sha256 == answers.sha256_of_text("first")
    assert kept.mark.given_at == kept.kept_at > "2026"
    mark = next(e for e in store.history("ada", "a1") if e["kind"] == "mark")
    assert mark["sentence"] == "1.11.a marked by hand: 3 points: good (by tutor)"


def test_a_mark_whose_answer_has_changed_is_held_shown_and_asked_for_again(store):
    store.keep(marks(("ada", "1.11.a", 3.0, "good")), "tutor")
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
    [row] = table(results_files.to_csv([now], COURSE))
    assert (row["held"], row["pending"]) == ("A1.11.a", "3")
    [asked] = list_to_mark(store)
    assert asked["answer_sha256"] == answers.sha256_of_text("second")[:12]
    assert asked["note"] == "the answer has changed; before: 3 points, “good”"
    assert (asked["points"], asked["comment"]) == ("", "")


@pytest.mark.parametrize("digits", ["1234567890123", "12345e678901", "1234567890e"])
def test_no_spreadsheet_takes_the_answers_hash_in_a_list_for_a_number(store, digits):
    begun = answers.beginning(f"{digits}ca" + "0" * 50)
    assert begun == f"{digits}c"
    assert answers.beginning("") == ""
    rows = [row for part in "abc" for row in list_to_mark(store, f"1.11.{part}")]
    assert [len(row["answer_sha256"]) for row in rows] == [12] * 3


def test_the_same_list_given_again_confirms_nothing_and_the_list_of_now_does(store, given):
    mine = given("ada,a1,1.11.a,3,good,")
    store.keep(mine)
    store.add(answered("second"))
    assert store.keep(mine) == 0
    assert counted(store).held
    [row] = list_to_mark(store)
    store.keep(given(f"ada,a1,1.11.a,3,good,{row['answer_sha256']}"))
    assert (counted(store).totals.manual, counted(store).held) == (3.0, [])


def test_a_list_filled_in_for_an_older_answer_counts_for_that_answer_alone(store, given):
    [row] = list_to_mark(store)
    store.add(answered("second"))
    store.keep(given(f"ada,a1,1.11.a,4,,{row['answer_sha256']}"))
    [held] = counted(store).held
    assert (held.points, held.answer) == (4.0, "first")
    store.add(answered("first"))
    assert counted(store).totals.manual == 4.0, "the answer is back, and so is its mark"


def test_an_override_and_a_comment_on_all_of_it_were_given_for_what_was_handed_in(store, given):
    store.keep(given("ada,a1,1.3,1,a slip,", "ada,a1,,,Good work,"))
    now = counted(store)
    assert (now.comment, [o.exercise for o in now.overrides]) == ("Good work", ["1.3"])
    assert "Good work" in next(render_pages([now], COURSE))[1]
    store.add(answered("second"))
    now = counted(store)
    assert (now.comment, now.overrides, len(now.held)) == ("", [], 2)
    assert list_to_mark(store, "")
    assert list_to_mark(store, "1.3")


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
    store.keep(marks(("ada", "1.4", given_points, "Almost.")))
    store.add(answered("second", failed=now))
    assert [mark.item for mark in counted(store).held] == held
    assert [row["item"] for row in list_to_mark(store, "1.4")] == held


def test_a_comment_alone_leaves_the_points_of_the_same_answer(store, given):
    store.keep(given("ada,a1,1.11.a,3,,", "ada,a1,1.3,1,a slip,"))
    alone = given("ada,a1,1.11.a,,Which factor?,", "ada,a1,1.3,,see 1.4,")
    assert (store.keep(alone), store.keep(alone)) == (2, 0)
    now = counted(store)
    assert (now.totals.manual, now.overrides[0].points) == (3.0, 1.0)
    assert (now.parts[0].comment, now.overrides[0].comment) == ("Which factor?", "see 1.4")
    store.add(answered("second"))
    store.keep(given("ada,a1,1.11.a,,Now clear,"))
    assert counted(store).totals.manual is None, "points of another answer"


def test_space_around_an_answer_and_ends_of_lines_are_no_change(store):
    store.keep(marks(("ada", "1.11.a", 3.0)))
    store.add(answered(" first\r\n"))
    assert counted(store).totals.manual == 3.0


# ---------------------------------------------------------------- answer by answer: `course mark`


def answers_to(store, item="1.11.a"):
    """The newest answers with their marks, each as the page of `course mark` shows it."""
    desk = Desk(store, COURSE)
    cards = [desk.with_earlier_text(card) for card in desk.cards("a1", item)]
    return sorted((e.answer for card in cards for e in card.entries), key=lambda a: a.students)


def give(store, points, answer, marker="tutor"):
    mark = ManualMark(points, "", marker)
    return marking.give_marks(store, COURSE, [(answer, answer.version)], mark)[0]


def test_a_group_is_marked_once_and_every_member_has_the_mark(world, given):
    file = {"file": "export/submission_1/a1.ipynb", "sha256": "same"}
    members = ("ada", "ben", "cyd")
    world.add(*(handed_in(result=answered("ours", student), **file) for student in members))
    with world.store() as store:
        rows = table(marking_worklist.text(store.latest(), {}))
        assert {row["student"] for row in rows} == {"ada"}
        assert rows[0]["note"] == "also for ben, cyd"
        store.keep(given("cyd,a1,1.11.c,0,was away,"))
        pending = {s: r.totals.manual_pending for s, r in all_counted(store).items()}
        assert pending == {"ada": 3, "ben": 3, "cyd": 2}, "though nobody else has a mark"
        store.keep(given("cyd,a1,1.11.c,-,,"))
        store.keep(given("ada,a1,1.11.a,3,,"))
        assert manual_points(store) == dict.fromkeys(members, 3.0)
        store.keep(given("cyd,a1,1.11.a,1,was away,", "ada,a1,1.11.b,2,,"))
        found = manual_points(store)
        assert found == {"ada": 5.0, "ben": 5.0, "cyd": 3.0}, "a member's own row is theirs alone"
        [answer] = answers_to(store, "1.11.b")
        assert answer.students == members
        give(store, 4.0, answer)
        assert manual_points(store) == {"ada": 7.0, "ben": 7.0, "cyd": 5.0}

"""Marks and their reasons: rubric items, the marks of the same words, what students ask for."""

import os
import re

import pytest
from marked_class import ITEM, PLACE, SEEN, Page, answered, points
from world import COURSE, marks

from grader.cli.records import results
from grader.marking import guard
from grader.marking.reference import parsed, references
from grader.report import render_student

SAME = re.compile(
    r'<span>([^<]*words: [^<]*)</span> <button name="same" value="([\w.]+)"( id="same")?'
)
WORDS = (
    "The softmax makes the sum one, so dividing changes only the spread of the scores at width 9."
)
NEAR = WORDS.replace("only", "just") + " " + WORDS.replace("9", "8")


def given(store, points, marker="alice"):
    """Store points by student."""
    store.keep(marks(*((student, ITEM, value) for student, value in points.items())), marker)


def met(store, student="ada"):
    """Which rubric items the newest mark of a student says are met."""
    kept = [kept for kept in store.marks() if kept.item == (student, "a1", ITEM)]
    return [one.met for one in kept[-1].mark.rubric]


def counted(store, student="ada"):
    found = results.counted_results(store, COURSE, lambda text: None)
    return next(result for result in found if result.student == student)


LIST = "Each:\n\n1. One\n   and more.\n2. (2 points) Two\n\n**Full.** Both.\n\n1. no item"
TABLE = "| point | for |\n|---|---|\n| 0.5 | $h$, *because* |\n| 1.5 | `b` |\n\n- Full."


@pytest.mark.parametrize(
    ("text", "most", "above", "items", "below"),
    [
        (LIST, 3, "Each:", [(1, "One and more."), (2, "Two")], "**Full.** Both.\n\n1. no item"),
        (LIST, 4, LIST, [], ""),  # items that do not add up are not offered
        (TABLE, 2, "", [(0.5, "$h$, *because*"), (1.5, "`b`")], "- Full."),
        ("1) a\n\n2) b", 2, "", [(1, "a"), (1, "b")], ""),
        ("Give two points.", 2, "Give two points.", [], ""),
        ("", 4, "", [], ""),
    ],
)
def test_a_rubric_is_read_as_items_with_points(text, most, above, items, below):
    found = parsed(text, most)
    assert (found.above, found.below) == (above, below)
    assert [(one.points, one.text) for one in found.items] == items


def test_every_rubric_of_the_course_has_items_that_add_up():
    for assignment in COURSE.graded:
        beside = references(assignment)
        for exercise in assignment.exercises:
            for part in exercise.parts:
                rubric = beside[f"{exercise.id}.{part.id}"].rubric
                assert parsed(rubric, part.points).items, f"{exercise.id}.{part.id}"


@pytest.mark.parametrize(
    ("typed", "ticked", "stored", "marked"),
    [
        ("", ["1", "3"], 2.0, [True, False, True, False]),  # without a script, ticks add up
        ("2.5", ["1", "3"], 2.5, [True, False, True, False]),  # typed over
        ("4", [], 4.0, [True] * 4),
        ("0", [], 0.0, [False] * 4),
        ("2", [], 2.0, []),  # nobody knows which
        ("1", ["9", "x", "-1"], 1.0, []),
    ],
)
def test_items_met_are_stored_with_the_mark(typed, ticked, stored, marked, store):
    store.add(answered("ada", "It rises."))
    Page(store).open().give(typed, met=ticked)
    assert points(store) == {"ada": stored}
    assert met(store) == marked


def test_who_wrote_nothing_is_not_handed_the_rubric(store):
    store.add(answered("ada", ""))
    Page(store).open().give("0")
    assert met(store) == []


def test_the_student_reads_which_items_were_met_and_a_csv_keeps_them(store):
    store.add(answered("ada", "It rises $d_k$."))
    page = Page(store).open().give("2.5", met=["1", "3"])
    text = render_student(counted(store), COURSE)
    assert (text.count("✓ met"), text.count("✗ missed")) == (2, 2)
    assert "+0.50" in text, "the marker's own adjustment"
    assert "<mi>d</mi>" in text, "formulas are drawn"
    sentence = next(e for e in store.history("ada", "a1") if e["kind"] == "mark")["sentence"]
    assert sentence == "1.11.a marked by hand: 2.5 points, rubric items met: 1, 3 of 4 (by ben)"
    store.keep(marks(("ada", ITEM, 2.5, "See the book.")), "csv")
    assert met(store) == [True, False, True, False]
    assert 'value="3" data-worth="1" checked' in page.open(f"{PLACE}?show=all").text
    given(store, {"ada": 3.0})
    assert met(store) == [], "other points have other reasons"
    page.open(f"{PLACE}?show=all").give("4")
    page.undo().undo()
    assert points(store) == {"ada": 3.0}


@pytest.mark.parametrize(
    ("texts", "given_points", "own", "said"),
    [
        ([WORDS] * 3, [4.0] * 3, WORDS, ["same words: 4 points by alice (3 students)="]),
        (
            [WORDS] * 2,
            [1.0, 3.0],
            WORDS.upper(),
            [
                "same words: 3 points by alice (1 student)=",
                "same words: 1 point by alice (1 student)",
            ],
        ),
        ([WORDS, ""], [4.0, 0.0], "", ["same words: 0 points by alice (1 student)="]),
        (
            [NEAR],
            [2.0],
            NEAR.replace("just", "merely"),
            ["nearly the same words: 2 points by alice (1 student)"],
        ),
        ([WORDS], [4.0], WORDS.replace("9", "7"), []),
        ([WORDS], [None], WORDS, []),
    ],
)
def test_an_answer_shows_the_marks_of_its_words(texts, given_points, own, said, store):
    for number, (text, value) in enumerate(zip(texts, given_points, strict=True)):
        store.add(answered(f"s{number}", text))
        given(store, {f"s{number}": value})
    store.add(answered("zoe", own))
    page = Page(store).open()
    while "<bdi>zoe</bdi>" not in page.text:
        page.give("1")
    shown = [f"{sentence}{'=' if key else ''}" for sentence, _, key in SAME.findall(page.text)]
    assert shown == said


@pytest.mark.parametrize("comment", ["", "My own."])
def test_one_key_gives_the_same_mark_with_its_comment_and_items(comment, store):
    store.add(answered("ada", WORDS))
    Page(store, "alice").open().give("", "Why?", met=["2"])
    store.add(answered("zoe", WORDS))
    page = Page(store, "ben").open()
    [(_, key, _)] = SAME.findall(page.text)
    assert page.give("9", comment, same=key).status == 200
    assert points(store) == {"ada": 1.0, "zoe": 1.0}
    newest = store.marks()[-1].mark
    assert (newest.comment, newest.marker) == (comment or "Why?", "ben")
    assert met(store, "zoe") == [False, True, False, False]


@pytest.mark.parametrize("now", [1.0, None])
def test_the_same_as_a_mark_that_has_changed_meanwhile_is_refused(now, store):
    for student in ("ada", "zoe"):
        store.add(answered(student, WORDS))
    given(store, {"ada": 4.0})
    page = Page(store).open()
    [(_, key, _)] = SAME.findall(page.text)
    given(store, {"ada": now})
    seen = SEEN.findall(page.text)
    for same in (key, key.partition(".")[0], "x"):
        assert page.give("", seen=seen, same=same).status == 422
    assert "zoe" not in points(store)


def test_after_the_last_answer_the_next_question_comes(store):
    store.add(answered("ada", WORDS))
    page = Page(store).open()
    page.give("4")
    assert 'href="/token/a1/1.11.b" id="next"' in page.text
    for part in ("b", "c"):
        page.open(f"/token/a1/1.11.{part}").give("1")
    assert 'href="/token/" id="next"' in page.text, "all are marked"


ASKED = {("ada", "a1", ITEM): "Line 2 <b>names</b> it."}


@pytest.mark.parametrize("way", ["mark", "settle", "csv"])
def test_a_request_is_shown_answered_and_told(way, store):
    store.add(answered("ada", WORDS))
    store.add(answered("ben", WORDS))
    given(store, {"ada": 2.0, "ben": 2.0})
    assert store.ask(ASKED) == [*ASKED]
    assert store.ask(ASKED) == [], "the same file, collected again"
    assert "Not answered yet" in render_student(counted(store), COURSE)
    page = Page(store, "tutor", anonymous=True).open(PLACE)
    assert f'{PLACE}?show=questioned">1 in question</a>' in page.text, "though all are marked"
    page.open(f"{PLACE}?show=questioned")
    assert "The student asks for a regrade" in page.text
    assert "Line 2 &lt;b&gt;names" in page.text
    assert "<bdi>ada" not in page.text
    if way == "mark":
        page.give("3", "You are right.")
    elif way == "settle":
        page.post(f"{page.address.partition('?')[0]}/ask")
    else:
        given(store, {"ada": 3.0}, "tutor")
    [request] = counted(store).requests
    assert request.answered_at
    assert "nothing questioned" in page.open(f"{PLACE}?show=questioned").text
    assert counted(store, "ben").requests == []
    text = render_student(counted(store), COURSE)
    assert "Line 2 &lt;b&gt;names" in text
    assert ("the points stay as they are" in text) is (way == "settle")
    told = [e["sentence"] for e in store.history("ada", "a1") if e["kind"] == "request"]
    assert told[0] == "the student asks for a regrade of 1.11.a: Line 2 <b>names</b> it."
    assert (told[1:] != []) is (way == "settle")
    if way == "mark":
        Page(store, "tutor").open(f"{PLACE}?show=all").undo()
        assert not counted(store).requests[0].answered_at, "taken back, it waits again"


def test_the_same_marker_has_the_same_address_and_nobody_else(tmp_path):
    facts = ("127.0.0.1", "8123", "ben")
    token = guard.token(tmp_path, *facts)
    assert len(token) == 24
    assert guard.token(tmp_path, *facts) == token
    others = {
        guard.token(tmp_path, *other)
        for other in (("127.0.0.1", "8124", "ben"), ("127.0.0.1", "8123", "zoe"))
    }
    (tmp_path / "other").mkdir()
    others.add(guard.token(tmp_path / "other", *facts))
    others.add(guard.token(tmp_path / "absent", *facts))
    others.add(guard.token(tmp_path / "absent", *facts))
    assert len(others - {token}) == 5


@pytest.mark.skipif(os.name != "posix", reason="no modes here")
@pytest.mark.parametrize("planted", ["readable", "link", "pipe", "short"])
def test_a_secret_that_somebody_else_could_know_is_replaced(planted, tmp_path):
    file, known = tmp_path / guard.FILE, tmp_path / "known"
    known.write_bytes(bytes(guard.BYTES))
    known.chmod(0o600)
    if planted == "link":
        file.symlink_to(known)
    elif planted == "pipe":
        os.mkfifo(file)
    else:
        file.write_bytes(bytes(guard.BYTES if planted == "readable" else 3))
        file.chmod(0o644 if planted == "readable" else 0o600)
    token = guard.token(tmp_path, "x")
    assert guard.token(tmp_path, "x") == token
    assert file.is_file()
    assert not file.is_symlink()
    assert file.stat().st_mode & 0o077 == 0
    assert file.read_bytes() != bytes(guard.BYTES)
    assert known.read_bytes() == bytes(guard.BYTES)

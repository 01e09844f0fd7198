"""`course mark` without a browser: what is stored, who wins, and whom the page answers."""

import html
import os
import re
import signal

import in_process
import pytest
from marked_class import ADDRESS, ITEM, PLACE, SEEN, Page, answered, points, served
from sample_results import sample
from world import COURSE, marks
from world_tables import cases

from grader.gradebook import answers
from grader.marking import colleagues, guard, server
from grader.marking.desk import Desk

TEXTS = {"ada": "It rises.", "cem": "it  rises", "dora": "It falls.", "eva": ""}


@pytest.fixture
def store(store):
    for student, text in TEXTS.items():
        store.add(answered(student, text))
    return store


def newest(store, student):
    return [kept for kept in store.marks() if kept.item[0] == student][-1]


def test_a_login_without_a_name_is_asked_for_one(store, world, monkeypatch):
    monkeypatch.setattr("getpass.getuser", {}.popitem)  # in a container, say: a KeyError
    told = "'' is not a marker's name: give up to 60 characters, your own with --marker"
    assert str(in_process.course("mark", world.out).exception) == told


def test_a_group_has_one_mark_each_with_who_when_and_for_which_answer(store):
    page = Page(store).open()
    assert "2 answers alike" in page.text  # the largest group comes first
    page.give("2,5", "Why?")
    assert points(store) == {"ada": 2.5, "cem": 2.5}
    mark = newest(store, "cem").mark
    assert (mark.marker, mark.comment) == ("ben", "Why?")
    assert mark.answer_sha256 == answers.sha256_of_text(TEXTS["cem"])
    assert mark.given_at
    assert "2.5 points for" in page.text  # and the next card is open
    assert 'data-comment="Why?"' in page.text  # to be used again


def test_one_is_taken_out_of_a_group_and_comes_next(store):
    page = Page(store).open()
    first, second = SEEN.findall(page.text)
    page.give("3", seen=[first])
    assert len(points(store)) == 1
    assert SEEN.findall(page.text) == [second]


def test_everything_marked_is_said_and_undo_goes_back_step_by_step(store):
    page = Page(store).open()
    for _ in range(3):
        page.give("1")
    assert "every answer is marked" in page.text
    assert {*points(store).values()} == {1.0}
    for left in (3, 2, 0):
        page.undo()
        assert len([p for p in points(store).values() if p is not None]) == left
    assert 'id="undo"' not in page.text
    assert page.undo().status == 200  # nothing left to undo: the overview


def test_what_was_stored_can_be_taken_back_after_a_restart(store):
    page = Page(store).open()
    page.give("3")
    page.give("1", "Why?")
    page.give("2")
    before = store.marks()
    store.keep(marks(("ada", "1.11.b", 2.0)), "ben")  # a row of a file is no step of a page
    again = Page(store, "ben").open(f"{PLACE}?show=all")
    assert re.search(r"1\.11\.a: 2 points for \w+, \d+ \w+ \d{4}, \d\d:\d\d UTC<", again.text)
    assert 'id="undo"' not in Page(store, "zoe").open(f"{PLACE}?show=all").text
    for left in (3, 2, 0):
        again.undo()
        assert again.status == 200
        assert len([p for p in points(store).values() if p is not None]) == left
    assert 'id="undo"' not in again.text
    added = store.marks()[len(before) + 1 :]
    assert {kept.undoes for kept in added} == {kept.id for kept in before}
    assert {kept.mark.marker for kept in added} == {"ben"}
    assert all(kept.kept_at for kept in added)


def test_the_later_of_two_marks_never_silently_wins(store):
    first, second = Page(store, "ben").open(), Page(store, "zoe").open()
    assert first.address == second.address
    assert "zoe" in first.open(first.address).text  # they see each other
    first.give("3")
    second.give("1", "late")
    assert second.status == 409
    assert {*points(store).values()} == {3.0}
    assert "<b>3 points</b> by <bdi>ben</bdi>" in second.text
    assert "<b>1 point</b>" in second.text
    second.give("1", "late")  # the form of that page says so in full knowledge
    assert points(store) == {"ada": 1.0, "cem": 1.0}
    assert newest(store, "ada").mark.marker == "zoe"
    first.undo()  # takes back no mark of zoe's
    assert first.status == 409
    assert points(store) == {"ada": 1.0, "cem": 1.0}
    second.undo().undo()
    assert points(store) == {"ada": 3.0, "cem": 3.0}
    assert 'id="undo"' in first.open(f"{PLACE}?show=all").text


def test_a_mark_is_for_the_answer_that_was_seen(store):
    page = Page(store).open()
    store.add(answered("ada", "It rises, then falls."))
    page.give("3")
    assert page.status == 409
    assert "then falls" in page.text
    assert points(store) == {}


def test_a_changed_answer_is_shown_with_both_texts_and_asked_for_again(store):
    page = Page(store).open()
    page.give("3")
    store.add(answered("ada", "It rises fast."))
    page.open(f"{PLACE}?show=changed")
    assert "The answer has changed" in page.text
    assert re.search(r"<ins>.*fast", page.text)
    assert 'name="points" inputmode="decimal" autocomplete="off" size="4" value=""' in page.text
    page.give("4")
    assert points(store)["ada"] == 4.0
    assert newest(store, "ada").mark.answer_sha256 == answers.sha256_of_text("It rises fast.")
    assert "nothing changed" in page.open(f"{PLACE}?show=changed").text


def test_marks_of_a_file_count_here_at_once(store):
    page = Page(store).open()
    store.keep(marks(("dora", ITEM, 2.0, "by file")), "csv")
    page.open(f"{PLACE}?show=all")
    assert 'data-comment="by file"' in page.text
    assert "unmarked <b>3</b>" in page.text


@pytest.mark.parametrize("given", ["5", "-1", "nan", "many", "1e999", ""])
def test_points_that_the_question_does_not_allow_are_refused(given, store):
    page = Page(store).open()
    page.give(given)
    assert page.status == 422
    assert store.marks() == []


@pytest.mark.parametrize("seen", [[], ["x"], ["x.y.z"], ["0.0.0"], ["a" * 16 + ".0.abc"]])
def test_forms_about_no_answer_are_refused(seen, store):
    page = Page(store).open()
    assert page.give("1", seen=seen).status == 422
    assert store.marks() == []


def test_a_question_is_put_and_settled_by_a_colleague(store):
    page = Page(store, "ben").open()
    page.post(f"{page.address}/ask")
    other = Page(store, "zoe").open(f"{PLACE}?show=questioned")
    assert "in question (<bdi>ben</bdi>)" in other.text
    other.post(f"{other.address.partition('?')[0]}/ask")
    assert "nothing questioned" in page.open(f"{PLACE}?show=questioned").text


@pytest.mark.parametrize("by_question", [True, False])
def test_the_work_is_shared_out_and_every_card_has_one_marker(by_question, store):
    for number in range(12):
        store.add(answered(f"s{number}", f"Answer {number}."))
    names = ("ben", "cy", "zoe")
    pages = [Page(store, name, everybody=names, by_question=by_question) for name in names]
    desk = Desk(store, COURSE)
    for number, part in enumerate(desk.parts()):
        cards = desk.cards(part.assignment, part.item)
        for card in cards:
            assert sum(page.marker.has(number, card) for page in pages) == 1
    mine = pages[1].open("/token/").text
    assert "left of your share" in mine


def test_anonymous_pages_name_nobody(store):
    page, named = Page(store, anonymous=True).open(), Page(store).open()
    assert "ada" in named.text
    for address in (PLACE, f"{PLACE}?show=all", "/token/"):
        text = page.open(address).text
        assert not [name for name in TEXTS if re.search(rf"\b{name}\b", text)]
    page.open(f"{PLACE}?show=all").give("1")
    assert "1 point for answer" in page.text


def test_a_colleague_who_left_is_no_longer_shown(store):
    with store.connected(writing=True) as connection:
        colleagues.has_open(connection, "zoe", "here", now=100.0)
        assert colleagues.others_at(connection, "ben", "here", now=101.0) == ["zoe"]
        assert colleagues.others_at(connection, "ben", "here", now=100.0 + colleagues.AWAY) == []


def test_names_and_comments_cannot_act_either(store):
    name = "<script>x"
    store.add(answered(name, "Other."))
    page = Page(store, "<b>ben").open(f"{PLACE}?show=all")
    for _ in range(4):
        page.give("1", '"><img src=x onerror=alert(1)>')
    assert "<script>x" not in page.text
    assert "<b>ben" not in page.text
    assert "<img" not in page.text
    assert '"><img src=x' in html.unescape(page.text)


@cases("requests")
def test_whom_the_page_answers(path, headers, status, store):
    answer = Page(store).client.get(path, headers=headers)
    assert answer.status_code == status
    assert "default-src 'none'" in answer.headers["content-security-policy"]
    assert answer.headers["cache-control"] == "no-store"


def test_a_browser_sends_small_letters_and_no_port_of_http():
    assert guard.hosts("Desk.Example", 8765) == {"desk.example:8765"}
    assert guard.hosts("::2", 80) == {"[::2]"}


@pytest.mark.parametrize("origin", [None, "null", "http://evil.example", "https://127.0.0.1:8000"])
def test_a_form_of_another_page_marks_nothing(origin, store):
    page = Page(store).open()
    form = {"points": "1", "seen": SEEN.findall(page.text)}
    page.post(page.address, form, {"origin": origin} if origin else {})
    assert page.status == 403
    assert store.marks() == []


def test_a_form_of_any_size_ends(store):
    page = Page(store).open()
    assert page.post(page.address, {"comment": "x" * 2**21}).status == 413
    assert page.give("1", "x" * 20_000).status == 422
    assert store.marks() == []


def test_the_browser_is_given_a_file_that_only_this_user_reads(tmp_path, monkeypatch):
    seen = []
    monkeypatch.setattr("webbrowser.open", seen.append)
    with server.opened(f"{ADDRESS}/token/", tmp_path):
        (file,) = tmp_path.iterdir()
        assert seen == [file.as_uri()]  # no token there
        assert f"url={ADDRESS}/token/" in file.read_text()
        assert os.name != "posix" or file.stat().st_mode & 0o077 == 0
    assert not file.exists()


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="no such signal here")
def test_a_page_that_is_killed_has_lost_nothing(store, world):
    import httpx

    with (
        served(world.out, "--marker", "ben") as (process, address),
        httpx.Client(follow_redirects=True) as client,
    ):
        page = client.get(f"{address}a1/{ITEM}")
        form = {"points": "3", "comment": "so far", "seen": SEEN.findall(page.text)}
        origin = {"origin": address[: address.index("/", 8)]}
        given = client.post(str(page.url), data=form, headers=origin)
        assert given.status_code == 200
        process.kill()  # at once: the answer has come, so the mark is stored
    assert points(store) == {"ada": 3.0, "cem": 3.0}
    assert "unmarked <b>2</b>" in Page(store).open().text


def held(student):
    """A result of assignment 4 whose translator says something else than its weights."""
    result = sample(student, "a4")
    dispute = {"disputed": "two answers differ", "by_weights": 1.0, "held": True}
    model = next(e.model for e in result.exercises if e.id == "4.12").model_copy(update=dispute)
    changes = {"4.12": {"points": None, "model": model}}
    entries = [e.model_copy(update=changes.get(e.id, {})) for e in result.exercises]
    return result.changed(COURSE.assignment("a4"), exercises=entries)


def test_models_whose_points_wait_are_marked_one_by_one_with_both_scores(store):
    for student in ("ada", "cem"):
        store.add(held(student))
    assert "a4/4.12" in Page(store).open("/token/").text
    page = Page(store).open("/token/a4/4.12")
    assert "By the student&#39;s code: 47.3 BLEU" in page.text
    assert "1.0 BLEU, 0.00 points" in page.text
    assert len(SEEN.findall(page.text)) == 1, "equal disputes are two students' own"
    page.give("4", "by the weights")
    given = [kept.mark.points for kept in store.marks()]
    assert given == [4.0]

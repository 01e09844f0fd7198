"""When the model answers of an assignment may go out."""

import datetime
from dataclasses import replace

import pytest
from world import A1, COURSE

from grader.authoring.release import folder, release
from grader.authoring.release.changes import MANIFEST
from grader.authoring.release.release import Made
from grader.classroom.roster import Roster, Student
from grader.classroom.terms import Allowance, Terms
from grader.cli.authoring import release_command
from grader.cli.authoring.authoring_options import Release
from grader.cli.output import UsageProblem
from grader.gradebook import stored_roster
from grader.gradebook.rules import late_policy
from grader.gradebook.store import Store


def test_answers_come_out_after_the_last_extension_of_the_class():
    day = datetime.timedelta(days=1)
    own = {
        ("ada", "a1"): Terms(more_days=5),
        ("ben", "a1"): Terms(due=A1.due + 60 * day, excused=True),
        ("cy", "a2"): Terms(more_days=9),
    }
    last = A1.due + datetime.timedelta(days=A1.late_days)
    assert late_policy.last_late_date(COURSE, A1, {}) == last
    assert late_policy.last_late_date(COURSE, A1, own) == last + 5 * day
    grace = {"ada": Allowance(grace_minutes=90)}
    assert late_policy.last_late_date(COURSE, A1, {}, grace) == last + datetime.timedelta(
        minutes=90
    )
    assert late_policy.ended(COURSE, {}, last + day) == ["a1"]
    assert late_policy.ended(COURSE, own, last + day) == []


def test_an_empty_cell_of_the_roster_ends_an_earlier_extension():
    stored = {("ada", "a1"): Terms(more_days=9), ("ben", "a1"): Terms(more_days=2)}
    roster = Roster({"ada": Student("ada")}, ("a1",))
    found = late_policy.with_roster(stored, roster)
    assert found == {("ada", "a1"): Terms(), ("ben", "a1"): Terms(more_days=2)}


@pytest.mark.long
def test_answers_are_refused_before_in_one_sentence_with_the_date(tmp_path):
    roster = tmp_path / "roster.csv"
    roster.write_text("student,a1\nada,+5\n", encoding="utf-8")
    asked = {"answers": "a1", "roster": roster, "out": tmp_path / "grades"}
    to, day = tmp_path / "to", datetime.date
    with pytest.raises(UsageProblem, match=r"last late date, 16 February 2027, 23:59 UTC") as error:
        release_command.run(Release(to, today=day(2027, 2, 13), lectures=False, **asked))
    assert "\n" not in str(error.value)
    assert not to.exists()
    assert release_command.run(Release(to, today=day(2027, 2, 17), lectures=False, **asked)) == 0
    found = folder.read(to)
    assert found.keys() == {"solutions/a1.ipynb", "CHANGELOG.md", MANIFEST}


def test_answers_wait_while_nobody_said_who_has_more_time(tmp_path, monkeypatch):
    """A store of grades without a roster knows of no extension either."""
    monkeypatch.setattr(release, "answers", lambda *_: Made(1, True, ["a1"]))
    day, out, to = datetime.date(2027, 2, 17), tmp_path / "grades", tmp_path / "to"
    out.mkdir()
    with Store(out / "results.db") as store:
        store.latest()
    asked = Release(to, answers="a1", out=out, today=day, lectures=False)
    with pytest.raises(UsageProblem, match=r"stay closed: no extensions are known.*--no-ext") as e:
        release_command.run(asked)
    assert "\n" not in str(e.value)
    roster = tmp_path / "roster.csv"
    roster.write_text("student,name\nada,Ada\n", encoding="utf-8")
    for known in ({"no_extensions": True}, {"roster": roster}):
        assert release_command.run(replace(asked, **known)) == 0
    with Store(out / "results.db") as store:
        stored_roster.keep(store, Roster.read(roster, COURSE))
    assert release_command.run(asked) == 0


@pytest.mark.parametrize(("changes", "answers"), [({}, []), ({"no_extensions": True}, ["a1"])])
def test_a_week_goes_out_without_answers_while_nobody_said_who_has_more_time(
    tmp_path, monkeypatch, capsys, changes, answers
):
    made = []
    monkeypatch.setattr(release, "week", lambda *given: made.append(given) or Made(1, True, []))
    options = Release(
        tmp_path / "to", week=1, out=tmp_path, today=datetime.date(2027, 2, 24), **changes
    )
    assert release_command.run(options) == 0
    [(_, _, out, *_)] = made
    assert [id for id in out if id == "a1"] == answers
    told = capsys.readouterr().err
    assert told.count("\n") == (not answers)
    assert answers or told.startswith("without the answers of a1: no extensions are known")

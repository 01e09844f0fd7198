"""`course history` and `course why`: what happened to a grade, and how it comes about."""

import pytest
from sample_results import sample
from world_tables import cases

from grader.gradebook.changes import history
from grader.gradebook.changes.history import preview
from grader.gradebook.manual import ManualMark
from grader.gradebook.stored_marks import KeptMark

SLIP = {"cause": "not divided by √d_k", "expected": "1", "got": "2", "read": "", "seen": True}
LOST = {"1.3": [{"message": SLIP, "bug": "no_scaling", "bug_title": "Scores are not scaled"}]}
CARRIED = {
    "1.4": [{"points": 2.25, "outcome": "FAILED", "carried_through": True, "caused_by": ["1.3"]}]
}
LATE = "2027-02-09T12:00:00+00:00"
ITEM = ("ada", "a1", "1.3")


@pytest.fixture
def out(world):
    world.add(sample("ada", failed=LOST | CARRIED, received=LATE))
    return world.mark(("ada", "1.3", 6.0, "the hint was wrong"))


def test_history_is_one_list_of_gradings_and_marks_in_order():
    first = sample("ada", graded_at="2027-02-09T08:00:00+00:00")
    second = sample("ada", failed=LOST, suite_sha256="new", graded_at="2027-02-11T08:00:00+00:00")
    given = {10: ManualMark(6.0, "a slip"), 12: ManualMark(7.0), 13: ManualMark(None)}
    kept = [KeptMark(ITEM, mark, f"2027-02-{day}T08:00:00+00:00") for day, mark in given.items()]
    found = history.entries([first, second, first], kept)
    kinds = "grading mark grading grading mark mark"
    assert " ".join(entry["kind"] for entry in found) == kinds
    assert [entry["sentence"] for entry in found] == [
        "graded for the first time: automatic points 88 and 10 bonus",
        "1.3 marked by hand: 6 points: a slip",
        "suite changed: 1.3 8 → 7",
        "suite changed: 1.3 7 → 8",
        "1.3 marked by hand: 7 points (before: 6)",
        "the mark of 1.3 withdrawn (it was 7 points)",
    ]
    [test] = found[2]["tests"]
    assert (test["exercise"], test["before"], test["now"]) == ("1.3", "PASSED", "FAILED")
    assert test["points"] == -1
    assert found[3]["made"] == first.graded_at, "an earlier grade counts again"


def test_history_compares_no_grade_with_a_failure_of_the_grader():
    failed = sample("ada", outcome="UNGRADED", suite_sha256="new", exercises=[])
    found = history.entries([failed, sample("ada"), failed, sample("ada", failed=LOST)], [])
    assert [entry["sentence"] for entry in found] == [
        "the grader failed: no grade",
        "graded for the first time: automatic points 88 and 10 bonus",
        "the grader failed: no grade",
        "graded again, with nothing changed: 1.3 8 → 7",
    ]
    assert [len(entry["tests"]) for entry in found] == [0, 0, 0, 1]


def test_a_regrade_says_one_true_total_and_the_test_that_moved_it(world):
    """With a late price and a mark: the judge's own sum was never anybody's total."""
    world.add(sample("ada", failed={"1.3": [{"max_points": 1.0}]}, received=LATE))
    world.mark(("ada", "1.11.a", 4.0)).run("report")
    heavier = {"1.3": [{"max_points": 3.0, "points": -2.0}]}
    world.add(sample("ada", failed=heavier, received=LATE, suite_sha256="heavier")).run("report")
    entries = world.json("history", "ada", "a1")
    totals = [entry["sentence"] for entry in entries if entry["kind"] == "total"]
    assert totals[-2:] == ["total 90.9", "total 90.9 → 89.1 (-1.8): 1.3 7 → 5"]
    text = " ".join(world.run("history", "ada", "a1").stdout.split())
    assert "suite changed: 1.3 7 → 5" in text
    assert "FAILED, counts 1 → FAILED, counts 3 (-2)" in text
    assert "98" not in text.replace("automatic", "")


def test_history_for_the_terminal_and_as_json(out):
    text = out.run("history", "ada", "a1").stdout
    assert "graded for the first time" in text
    assert "1.3 marked by hand: 6 points: the hint was wrong" in text
    entries = out.json("history", "ada", "a1")
    assert {entry["kind"] for entry in entries} == {"grading", "mark"}


def test_why_adds_up_and_names_the_tests(out):
    found = out.json("why", "ada", "a1")
    points = {line["what"]: line["points"] or 0.0 for line in found["sum"]}
    total = points.pop("total")
    assert sum(points.values()) == pytest.approx(total)
    assert points["late penalty"] < 0
    by_id = {entry["id"]: entry for entry in found["exercises"]}
    assert by_id["1.3"]["override"]["was"] == 7
    for entry in by_id.values():
        if entry.get("tests") and not entry["override"]:
            earned = sum(test["points"] for test in entry["tests"])
            assert earned == pytest.approx(entry["points"], abs=0.01)
    text = out.run("why", "ada", "a1").stdout
    for part in (
        "1 day late",
        "changed by hand from 7 to 6: the hint was wrong",
        "likely cause: not divided by √d_k",
        "known mistake: Scores are not scaled [no_scaling] expected: ",
        "points kept: it passes with a correct 1.3",
    ):
        assert part in " ".join(text.split())
    assert text.count("✓") < 20, "exercises with full points take a line"


def test_why_of_one_exercise_shows_all_its_tests(out):
    text = out.run("why", "ada", "a1", "--exercise", "1.1").stdout
    assert "1.1" in text
    assert text.count("✓") == 8
    assert "likely cause" not in text


@cases("questions")
def test_questions_about_nothing_are_one_sentence(out, words, told):
    assert told in out.refused(*words.split())


@pytest.mark.parametrize("command", ["why", "history"])
@pytest.mark.parametrize(
    ("student", "told"),
    [("exc", "exc is excused from it"), ("mia", "mia has handed in nothing that was graded here")],
)
def test_who_has_no_result_is_excused_or_handed_in_nothing(out, command, student, told):
    roster = out.file("roster.csv", "student,a1\nada,\nexc,excused\nmia,\n")
    out.run("report", "--roster", roster)
    assert out.refused(command, student, "a1") == f"{student} has no result of a1: {told}"


def test_a_preview_counts_who_moves_and_says_by_which_tests():
    stored = {(r.student, r.assignment): r for r in (sample("ada"), sample("ben", failed=LOST))}
    new = [
        sample("ada", failed=LOST),
        *map(sample, ("ben", "cyd")),
        sample("dan", outcome="UNGRADED"),
    ]
    found = preview(new, stored)
    assert found["summary"] == {"up": 1, "down": 1, "same": 0, "new": 1, "ungraded": 1}
    ada = next(change for change in found["changes"] if change["student"] == "ada")
    assert (ada["before"], ada["now"], ada["points"]) == (98, 97, -1)
    [test] = ada["tests"]
    assert (test["exercise"], test["before"], test["now"]) == ("1.3", "PASSED", "FAILED")
    assert preview([sample("ada")], stored)["changes"] == []

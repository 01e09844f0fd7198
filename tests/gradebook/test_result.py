"""A result in memory equals that in the store and in every export, key by key."""

import json
from pathlib import Path

import proofs
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sample_results import IN_TIME, sample
from world import A1, COURSE, handed_in, marks

from grader.gradebook import manual
from grader.gradebook.exercise_result import ModelResult
from grader.gradebook.result import Result
from grader.judge import grade as judge
from grader.judge import score
from grader.judge.models import model_part
from grader.judge.models.asking import Grading
from grader.judge.models.scorer import HiddenLabels

SOFTMAX = "course_lib.numpy_forms.attention:softmax"
JUDGED = "assignment outcome reason submission seed notices tier layers exercises totals seconds"
COMPLETE = f"{JUDGED} student suite_sha256 environment_sha256 graded_at"
TOTALS = (
    "automatic automatic_max manual manual_max manual_pending bonus total max late_days "
    "late_penalty"
)
ANY = "id title kind bonus section max_points points status"
CODE = f"{ANY} written caused_by carried_through tests"
TEST = "id title public max_points points outcome message bug bug_title caused_by carried_through"
PART = "id title max_points points comment answer words word_limit"
ABOUT = (  # a model
    "measure score unit unit_in_words problem notes source examples recomputed seconds "
    "sentences_per_second handed_in"
)
# A row of a store from before some keys were there, and of one that knew another.
OLD = json.loads(Path(__file__).with_name("old_store").joinpath("old_result.json").read_text())


def names(told):
    return " ".join(told)


def the_same_again(result):
    """Its JSON, which reads back as itself, byte for byte."""
    told = result.as_json()
    text = json.dumps(told)
    assert json.dumps(Result.model_validate(json.loads(text)).as_json()) == text
    return told


def test_what_was_stored_before_is_read_and_written_as_it_was():
    text = json.dumps(OLD)
    read = Result.model_validate(json.loads(text))
    assert json.dumps(read.as_json()) == text
    assert (read.exercises[0].parts, read.overrides) == ([], [])
    assert not read.exercises[0].tests[0].message.seen


def test_a_graded_notebook():
    data = proofs.notebook("a1", "solution", {SOFTMAX: "def softmax(x, axis=-1): 1 / 0"})
    told = the_same_again(proofs.graded(data, "a1", only=["1.1", "1.11"]))
    code, written = told["exercises"]
    assert names(told) == JUDGED
    assert names(told["submission"]) == "sha256 notebook_sha256"
    assert names(told["totals"]) == TOTALS
    assert names(code) == CODE
    assert names(written) == f"{ANY} parts"
    assert names(written["parts"][0]) == PART
    assert {names(test) for test in code["tests"]} == {TEST}
    messages = [names(test["message"]) for test in code["tests"] if test["message"]]
    assert {*messages} == {"expected got cause read seen raised"}  # of an exception
    assert (json.dumps(code["points"]), json.dumps(code["max_points"])) == ("0", "10.0")


@given(st.lists(st.tuples(st.integers(1, 5), st.booleans()), min_size=1, max_size=9))
def test_the_points_of_an_exercises_tests_add_up_to_its_own(tests):
    weights, passed = zip(*tests, strict=True)
    exact = [10 * weight / sum(weights) for weight in weights]
    points = round(sum(s for s, good in zip(exact, passed, strict=True) if good), 2)
    shares = score._in_cents(exact, list(passed), points, 10.0)
    earned = sum(s for s, good in zip(shares, passed, strict=True) if good)
    assert (round(earned, 6), round(sum(shares), 6)) == (points, 10.0)
    assert all(abs(a - b) < 0.02 for a, b in zip(shares, exact, strict=True))
    assert shares == [round(share, 2) for share in shares]


@pytest.mark.parametrize("made", [judge.invalid, judge.ungraded])
def test_a_submission_without_points(made):
    told = the_same_again(made("why", A1, judge.facts_of(b"{", {})))
    assert names(told) == JUDGED
    assert told["reason"] == "why"
    code = told["exercises"][0]
    pending = [e["id"] for e in told["exercises"] if e["points"] is None]
    totals = (told["totals"]["automatic"], told["totals"]["total"])
    assert names(code) == CODE
    if made is judge.invalid:
        assert (pending, totals, code["status"]) == (["1.11"], (0, 0), "not written")
        assert (told["totals"]["manual"], told["totals"]["manual_pending"]) == (0, 0)
    else:
        assert (len(pending), totals) == (len(A1.exercises), (None, None))
        assert code["status"] == "pending"


@pytest.mark.parametrize(
    ("id", "own"),
    [("a3", "accuracy agreement"), ("a4", "bleu low high signature agreement measured")],
)
def test_a_trained_model(id, own):
    assignment = COURSE.assignment(id)
    hidden = HiddenLabels("generated", ("a b", "c d"), (0, 1), "f" * 64)
    scored_with = (assignment.model, assignment.scorer, hidden, assignment.seed)
    model = model_part.evaluate(Grading({}, *scored_with, open_nothing, open_nothing))
    entries = score.models(assignment, score.nothing(assignment), model)
    facts = judge.facts_of(b"{}", {})
    result = Result.of(assignment, facts, entries, "GRADED", "", model=model)
    told = the_same_again(result)
    assert names(told) == JUDGED.replace("exercises", "exercises model")
    assert names(told["model"]) == f"{ABOUT} {own}"
    exercise = next(e for e in told["exercises"] if e["kind"] == "model")
    assert names(exercise) == f"{ANY} model"
    assert names(exercise["model"]) == f"{ABOUT} zero_at full_at {own}"
    assert (exercise["points"], exercise["status"]) == (0.0, "not written")


def open_nothing():
    raise AssertionError("without weights no worker is asked")


def test_marks_given_by_hand():
    rows = ("1.11.a", 3.5, "Good"), ("1.3", 5.0, "A slip"), ("1.4", None, "Well done")
    given = marks(*(("s01", *row) for row in rows))
    before = sample()
    result = manual.apply(before, given)
    told = the_same_again(result)
    assert names(told) == f"{COMPLETE} overrides"
    assert names(told["submission"]) == "sha256 file received"
    assert told["overrides"] == [
        {"exercise": "1.3", "points": 5.0, "comment": "A slip", "was": 8.0}
    ]
    commented = [e["id"] for e in told["exercises"] if "comment" in e]
    assert commented == ["1.3", "1.4"]
    assert before == sample(), "a result is never changed"


def test_whatever_changes_is_added_up_at_once():
    before = sample()
    again = handed_in(result=before, received="2027-02-09T12:00:00+00:00")
    assert (again.totals.late_days, again.totals.late_penalty) == (1, 9.8)
    assert again.totals.total == before.totals.total - 9.8
    assert before.submission.received == IN_TIME
    assert before.changed(A1, exercises=[]).totals.max == 0


@pytest.mark.parametrize(
    ("stored", "score"),
    [
        ({"accuracy": 98.83, "agreement": 1.0}, 98.83),
        ({"measure": "bleu", "bleu": 31.5, "accuracy": None}, 31.5),
        ({"accuracy": None}, None),
    ],
)
def test_a_model_of_a_store_from_before_scorers_keeps_its_score(stored, score):
    others = {"problem": "", "notes": [], "source": "mirror", "examples": 400, "recomputed": 256}
    others |= {"seconds": 0.36, "sentences_per_second": 8533.3, "handed_in": True}
    model = ModelResult(**stored, **others)
    assert model.score == score
    assert model.measure == stored.get("measure", "accuracy")

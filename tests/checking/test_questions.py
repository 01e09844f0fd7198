"""Questions, their answers, and the mistakes that failures show."""

import dataclasses
import json
import math

import numpy as np
import pytest
import torch
from matplotlib.figure import Figure

from grader.checking import expect, numeric
from grader.checking.answer import Answer, tell_apart
from grader.checking.exercise import ExerciseMark, Question
from grader.checking.findings import causes, shown_answers
from grader.checking.findings.causes import Mistake, Told
from grader.checking.messages import Failure, Message
from grader.checking.notebook import VisiblePoints
from grader.checking.numeric import describe
from grader.checking.session import FAILED, PASSED, TestResult
from grader.seam import StudentError
from grader.seam import axes as seen_axes
from grader.seam.steps import counted

HALF = np.full((2, 2), 0.5)
# the right answer, another one, and what the message says of it; "" if they are the same
COMPARED = [
    (HALF, HALF + 1e-6, ""),
    (HALF, HALF.astype("float32"), ""),
    (HALF, torch.full((2, 2), 0.5), ""),
    (HALF, HALF + 0.01, "largest difference 0.01"),
    (HALF, HALF[0], "shape (2,)"),
    (HALF, HALF * math.nan, "NaN"),
    (HALF, None, "None"),
    (1.0, 1, ""),
    (2, 2.5, "2.5"),
    (True, True, ""),
    (True, False, "that is not so"),
    (False, True, "that is so"),
    (True, 1, "1"),
    ("a ValueError", "no error", "no error"),
    (["w_q", "w_k"], ["w_q", "w_k"], ""),
    (["w_q", "w_k"], ["w_q"], "['w_q']"),
    ([[1, 2], [3]], [[1, 2], [3]], ""),
    ([[1, 2], [3]], [[1, 2], [4]], "[4]"),
    ({"a": [0.5]}, {"a": [0.5 + 1e-7]}, ""),
    ([], [], ""),
    (None, None, ""),
    (None, 0.0, "0"),
    (math.inf, math.inf, ""),
    (HALF * math.inf, HALF, "0.5"),
]


@pytest.mark.parametrize(("right", "got", "said"), COMPARED)
def test_a_value_is_compared(right, got, said):
    asked = Answer.of({"weights": got}), Answer.of({"weights": right}), "advice", "§1"
    if not said:
        tell_apart(*asked)
        return
    with pytest.raises(Failure) as failure:
        tell_apart(*asked)
    message = failure.value.message
    assert said in message.got
    assert "weights" in message.expected


@pytest.mark.parametrize("value", [right for right, _, _ in COMPARED])
def test_an_answer_is_the_same_when_it_is_read_again(value):
    answer = Answer.of({"a": value})
    text = json.dumps(shown_answers.written(answer))
    assert shown_answers.answer_of(json.loads(text)).like(answer)


def test_what_is_raised_is_an_answer():
    right = Answer.raising(StudentError("ValueError", "no keys"))
    tell_apart(Answer.raising(StudentError("ValueError", "in other words")), right, "", "")
    for got in (Answer.raising(StudentError("TypeError", "no keys")), Answer.of(HALF)):
        with pytest.raises(Failure) as failure:
            tell_apart(got, right, "", "")
        assert failure.value.message.expected == "a ValueError"
    at = [Answer(raised=f"TypeError: <object at 0x7f{n}>") for n in (1, 2)]
    assert at[0].like(at[1])
    assert not at[0].like(right)


def results(**answers):
    """A class's results: a test passes that answers 0."""
    mark = ExerciseMark("1.1", 1.0, "title", question=Question())
    return [
        TestResult(
            f"test.py::{name}",
            mark,
            False,
            PASSED if value == 0 else FAILED,
            None if value == 0 else Message("0", str(value), "advice"),
            0.0,
            answer=value if isinstance(value, Answer) else Answer.of(value),
        )
        for name, value in answers.items()
    ]


def mistake(id, **answers):
    told = {one.id: Told(one.outcome, one.answer) for one in results(**answers)}
    return Mistake(id, f"this is {id}", lambda ids: {name: told[name] for name in ids})


RAISED, OF_ANOTHER = Answer(raised="ValueError: shapes"), Answer(raised="AssertionError: width")
ONE, OTHER = mistake("one", a=1, b=2, c=0), mistake("other", a=0, b=0, c=3)
TWIN = dataclasses.replace(ONE, id="twin", sentence="this is its twin")
# what the student answers, the mistakes that are known, and which of them each test names
NAMED = [
    ({"a": 1, "b": 2, "c": 0}, [ONE, OTHER], {"a": "one", "b": "one"}),
    ({"a": 1, "b": 5, "c": 0}, [ONE, OTHER], {"a": "one"}),  # and something else
    ({"a": 1, "b": 0, "c": 0}, [ONE, OTHER], {}),  # it would fail what passes
    ({"a": 7, "b": 2, "c": 3}, [ONE, OTHER], {"b": "one", "c": "other"}),  # two of them
    ({"a": 7, "b": 7, "c": 7}, [ONE, OTHER], {}),
    ({"a": 0, "b": 0, "c": 0}, [ONE, OTHER], {}),
    ({"a": 1, "b": 2, "c": 0}, [mistake("less", a=1, b=0, c=0), ONE], {"a": "one", "b": "one"}),
    ({"a": 1, "b": 0, "c": 0}, [mistake("less", a=1, b=0, c=0), ONE], {"a": "less"}),
    # exceptions: the third is another one, as of another form of what comes before, or none
    (
        {"a": RAISED, "b": RAISED, "c": RAISED},
        [mistake("one", a=RAISED, b=RAISED, c=OF_ANOTHER)],
        {"a": "one", "b": "one"},
    ),
    ({"a": RAISED, "b": RAISED, "c": RAISED}, [mistake("one", a=RAISED, b=RAISED, c=5)], {}),
]


@pytest.mark.parametrize(("student", "known", "wanted"), NAMED)
def test_a_mistake_is_named_that_answers_as_the_student_did(student, known, wanted):
    found = causes.named(results(**student), known)
    assert {one.name: one.message.mistake for one in found if one.message and one.message.seen} == (
        wanted
    )
    advice = [one.message.cause for one in found if one.message and not one.message.seen]
    assert set(advice) <= {"advice"}


def test_mistakes_that_nothing_tells_apart_are_both_told():
    found = causes.named(results(a=1, b=2, c=0), [ONE, OTHER, TWIN])
    assert found[0].message.cause == "this is one — or: this is its twin"


def test_no_mistake_is_asked_unless_a_test_fails():
    def never(ids):
        raise AssertionError("it was asked")

    found = results(a=0, b=0)
    assert causes.named(found, [Mistake("one", "", never)]) == found


# Expectations of tests by hand.

WANT = np.array([1.0, 2.0])


def told(check, *arguments, **options):
    with pytest.raises(Failure) as caught:
        check(*arguments, **options)
    return caught.value.message


def test_advice_is_called_advice():
    failure = told(expect.true, False, expected="a", got="b", otherwise="perhaps this")
    labels = [label for label, _ in failure.lines()]
    assert labels == ["expected", "got", "advice"]
    failure = told(expect.true, False, expected="a", got="b", because="this was measured")
    assert "likely cause" in dict(failure.lines())


def test_lists_tuples_and_dicts_are_shown_by_value():
    assert describe([1, 2.5, "a", None]) == "[1, 2.5, 'a', None]"
    assert describe(("x",)) == "('x',)"
    assert describe({"loss": 0.25, "ids": [1, 2]}) == "{'loss': 0.25, 'ids': [1, 2]}"
    assert describe(list(range(20))) == "[0, 1, 2, 3, 4, 5, 6, 7, …] (20 in all)"
    assert describe({"w": np.ones(2)}) == "{'w': [1. 1.]}"
    assert len(describe(["x" * 200] * 8)) == 300


def test_whoever_observes_is_told_how_much_of_a_tolerance_was_used():
    ratios = []
    with numeric.observed(ratios.append):
        expect.close(WANT + 5e-7, WANT, atol=1e-6, rtol=0.0)
    expect.close(WANT, WANT)
    assert ratios == pytest.approx([0.5])


def test_a_check_shows_a_sentence_and_counts_as_a_number():
    points = VisiblePoints(20, 3, 3)
    assert points == 20.0
    assert repr(points) == "20.0"  # what nbgrader reads
    assert points._repr_html_() == "Hidden tests decide the rest."
    assert VisiblePoints(20, 0, 3)._repr_html_() == "No points yet."


def test_instructions_are_counted_from_the_first_call_on():
    namespace = {}
    source = "def loop(n):\n    return [i for i in range(n)]\n"
    exec(compile(source, "<cell 1>", "exec"), namespace)
    first, again, longer = (counted(namespace, lambda n=n: namespace["loop"](n)) for n in (3, 3, 9))
    assert first == again > 0
    assert longer > first
    assert counted(namespace, lambda: sorted(range(5))) == 0


@pytest.mark.parametrize("side", ["left", "center", "right"])
def test_a_title_counts_wherever_it_stands(side):
    axes = Figure().subplots()
    axes.set_title("Weights", loc=side)
    assert seen_axes.read(axes)["title"] == "Weights"

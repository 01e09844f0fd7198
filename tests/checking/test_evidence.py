"""What expectations say, and how much of a tolerance an answer uses."""

import numpy as np
import pytest

from grader.checking import evidence, expect
from grader.checking.messages import Failure
from grader.checking.notebook import VisiblePoints
from grader.checking.shown import describe
from grader.seam.steps import counted

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


@pytest.mark.parametrize("measured", [0.5, 5.0])
def test_a_bound_reports_how_much_of_it_was_used(measured):
    ratios = []
    with evidence.observed(lambda kind, ratio: ratios.append((kind, ratio))):
        expect.below(measured / 10, 1.0, expected="small")
        expect.above(10 / measured, 1.0, expected="large")
        expect.close(WANT + measured * 1e-7, WANT, atol=1e-6, rtol=0.0)
    assert [kind for kind, _ in ratios] == ["bound", "bound", "close"]
    assert [ratio for _, ratio in ratios] == pytest.approx([measured / 10] * 3)
    assert told(expect.below, 2.0, 1.0, expected="small").got == "2"
    assert told(expect.above, 0.0, 1.0, expected="large").got == "0"


def test_chance_is_given_the_room_that_its_false_alarms_need():
    sigmas = 5.73  # of a normal distribution's two tails, 1e-8 in all
    expect.by_chance(1 + 0.99 * sigmas * 0.1, 1.0, 0.1)
    told(expect.by_chance, 1 + 1.01 * sigmas * 0.1, 1.0, 0.1)
    expect.by_chance(np.full(100, 1.6), np.ones(100), 0.1)  # one of a hundred may stray further


def test_a_check_shows_a_sentence_and_counts_as_a_number():
    points = VisiblePoints(20, 3, 3)
    assert points == 20.0
    assert repr(points) == "20.0"  # what nbgrader reads
    assert points._repr_html_() == "visible 3 of 3; hidden tests decide 20 points"


def test_instructions_are_counted_from_the_first_call_on():
    namespace = {}
    source = "def loop(n):\n    return [i for i in range(n)]\n"
    exec(compile(source, "<cell 1>", "exec"), namespace)
    first, again, longer = (counted(namespace, lambda n=n: namespace["loop"](n)) for n in (3, 3, 9))
    assert first == again > 0
    assert longer > first
    assert counted(namespace, lambda: sorted(range(5))) == 0

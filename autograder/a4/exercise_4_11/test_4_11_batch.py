"""Hidden tests of exercise 4.11: many sentences in one search, its state, steps and device."""

import math

import numpy as np

from autograder.a4.exercise_4_11.beam_cases import READ, STEPS, case, clear, expectations
from autograder.a4.searching import Found, Search, compare, drawn
from grader.checking import expect
from grader.checking.exercise import exercise
from grader.checking.known_mistakes import known_mistakes

MISTAKE = known_mistakes(__file__)


def copies(rng):
    """Cases, and a table without close choices for each of three sentences."""
    cases = [case(3, 0.6, 8, 3, sentence) for sentence in range(5)]
    return cases, clear(rng, cases)


@exercise("4.11", weight=2, after=STEPS)
def test_sentences(student, rng):
    """Each sentence of a batch gets the same hypotheses as alone."""
    cases, table = copies(rng)
    search = Search(student, table)
    options = {"width": 3, "length_penalty": 0.6, "max_length": 8, "n_best": 3}
    found = search.beam(5, range(5), **options)
    right, causes = expectations([(search.twin, one) for one in cases])
    compare(
        found,
        right,
        otherwise="each sentence has its own beam, stopping point and list",
        read=READ,
    )


@exercise("4.11", weight=2, after=STEPS)
def test_state_follows_the_beams(student, rng):
    """At every step each row has the state of its own prefix, as a cache requires."""
    _, table = copies(rng)
    cases = [(table, [0], 4), (table, range(5), 3)]
    # Rare ends: no sentence leaves, and the beams change places all the same.
    cases += [(drawn(rng, end=-4.0), [0], 4), (drawn(rng, end=-4.0), range(3), 3)]
    for table, sentences, width in cases:
        search = Search(student, table)
        search.beam(len(sentences), sentences, width=width, max_length=8)
        search.check_state(READ)


@exercise("4.11", weight=2, after=STEPS)
def test_steps(student, rng):
    """At most `max_length` steps, and as many for eight sentences as for one."""
    for max_length in (1, 7):
        asked = []
        for count in (1, 8):
            search = Search(student, drawn(np.random.default_rng(7), end=-2.0))
            options = {"width": 4, "length_penalty": 1.0, "max_length": max_length}
            search.beam(count, [0] * count, **options)
            asked.append(search.calls())
        expect.true(
            asked[0] <= max_length,
            expected=f"at most max_length = {max_length} calls of `step`",
            got=f"{asked[0]}",
            otherwise="one call per step for all beams together",
            read=READ,
        )
        expect.true(
            asked[1] == asked[0],
            expected=f"{asked[0]} calls of `step` for eight copies of a sentence, as for one",
            got=f"{asked[1]}",
            otherwise="one call serves the beams of all sentences",
            read=READ,
        )


@exercise("4.11", after=STEPS)
def test_certain_result(student, rng):
    """The search stops when nothing can change the result."""
    sure = {"2": [0.02, 0.02, 0.0, 0.9, 0.04, 0.02]}
    search = Search(student, drawn(rng, end=-3.0), sure)
    found = search.beam(1, width=4, length_penalty=1.0, max_length=10)
    right = [[Found([], math.log(0.9) / (5 / 6), True)]]
    compare(found, right, read=READ)
    one = Search(student, drawn(rng, end=20.0))
    one.beam(1, width=1, length_penalty=1.0, max_length=10)
    stops = one.calls() < 10  # when the list is full
    expect.true(
        search.calls() <= 2,
        expected="a stop after the first step: no other sentence can reach the score of this one",
        got=f"{search.calls()} calls of `step`",
        because="it continues although the result is certain: `is_final` says when a sentence is "
        "done, with bound = best score of the beam / factor(max_length - 1)"
        if stops
        else "",
        otherwise="`is_final` says when a sentence is done",
        read="the docstring of 4.11, second paragraph",
    )


@exercise("4.11", weight=0.5, after=STEPS)
def test_device(student, rng):
    """The prefixes are on `device`, where the model is."""
    Search(student, drawn(rng)).check_device("beam_search", "the signature of 4.11")

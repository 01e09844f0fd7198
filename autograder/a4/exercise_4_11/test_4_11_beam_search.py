"""Hidden tests of exercise 4.11: beam search against its definition and exhaustive search."""

import math

from autograder.a4.exercise_4_11.beam_cases import (
    CUT_OFF,
    MISTAKES,
    READ,
    STEPS,
    case,
    check,
    clear,
    expectations,
)
from autograder.a4.search_reference import beam, by_factor, exhaustive, greedy
from autograder.a4.searching import END, Found, Search, compare, drawn
from grader.checking import expect
from grader.checking.exercise import exercise
from grader.checking.known_mistakes import known_mistakes

MISTAKE = known_mistakes(__file__)


@exercise("4.11", weight=2, after=STEPS)
def test_exhaustive_search(student, rng):
    """A beam that covers every prefix of a tiny vocabulary finds what exhaustive search finds."""
    table = drawn(rng, 4, rows=499)
    cases = [
        case(60, alpha, max_length)
        for alpha, max_length in [(0.0, 3), (0.6, 3), (1.0, 2), (2.0, 3), (0.6, 1)]
    ]
    search = Search(student, table)
    for one in cases:
        sentences = exhaustive(search.twin, 0, one["max_length"], one["alpha"])
        assert beam(search.twin, **one) == sentences[: one["n_best"]]
    check(
        student,
        [table],
        cases,
        otherwise="with a beam this wide, every hypothesis is found",
    )


@exercise("4.11", weight=3, after=STEPS)
def test_narrow_beams(student, rng):
    """Beams of width 2 to 5, with several penalties and maximum lengths."""
    settings = [(2, 0.0, 6), (2, 0.6, 9), (3, 1.0, 6), (3, 2.0, 8), (4, 0.6, 5), (5, 1.5, 7),
                (3, 0.6, 1), (2, 1.0, 3)]  # fmt: skip
    cases = [case(width, alpha, max_length) for width, alpha, max_length in settings]
    places = {"ends_take_places": True}
    check(
        student,
        [clear(rng, cases, apart=[places], end=end) for end in (-0.7, 0.0, 1.5)],
        cases,
        otherwise="of a sentence's candidates, ends among the `width` best finish, and the "
        "`width` best others continue",
    )


@exercise("4.11", after=STEPS)
def test_best_of_the_list(student, rng):
    """With n_best below width the list is a prefix of the full one; stopping early is safe."""
    settings = [(2, 0.6, 9, 1), (4, 2.0, 9, 1), (5, 1.5, 12, 2), (3, 3.0, 9, 2), (5, 0.0, 9, 3)]
    cases = [case(*one) for one in settings]
    hasty = {"stop_at": lambda score, *_: score}
    mistakes = {MISTAKE.beam_stops_too_early: hasty, **MISTAKES}
    check(
        student,
        [clear(rng, cases, apart=[hasty], end=end) for end in (0.0, 0.7)],
        cases,
        mistakes,
        otherwise="the `n_best` best of all hypotheses that a beam of `width` finds",
    )


@exercise("4.11", after=STEPS)
def test_won_by_length(student, rng):
    """A prefix that is behind a finished hypothesis goes on: it may win as it grows longer."""
    # After the first word all is certain. The likelier sentence ends sooner, with a lower score.
    sure = {3: [0, 0, 0, 1.0, 0, 0], 4: [0, 0, 0, 0, 1.0, 0], 1: [0, 1.0, 0, 0, 0, 0]}
    by_hand = {"2": [0.03, 0.27, 0.0, 0.0, 0.33, 0.37], "2 5": sure[3]}
    for word, length in ((4, 3), (1, 6)):
        by_hand |= {"2" + f" {word}" * n: sure[word] for n in range(1, length)}
        by_hand["2" + f" {word}" * length] = sure[3]
    search, one = Search(student, drawn(rng), by_hand), case(3, 1.0, 9, 1)
    found = search.beam(1, width=3, length_penalty=1.0, max_length=9)
    compare(
        found,
        [beam(search.twin, **one)],
        otherwise="a longer sentence is divided by more, so its score may rise",
        read=READ,
    )


@exercise("4.11", after=STEPS)
def test_full_beams(student, rng):
    """A beam stays full, also when all but one of its prefixes may end."""
    # Two of the three best candidates end; the last of the three that continue is the next to end.
    spread = [0.19, 0.2, 0.2, 0.01, 0.2, 0.2]
    by_hand = {
        "2": [0.0033, 0.32, 0.0034, 0.0033, 0.34, 0.33],
        "2 4": [0.05, 0.05, 0.05, 0.6, 0.2, 0.05],
        "2 5": [0.05, 0.055, 0.055, 0.6, 0.19, 0.05],
        "2 1": [0.15, 0.15, 0.15, 0.05, 0.35, 0.15],
        "2 5 4": [0.002, 0.002, 0.002, 0.99, 0.002, 0.002],
        "2 1 4": spread,
        "2 4 4": spread,
    }
    search, one = Search(student, drawn(rng), by_hand), case(3, 0.0, 6)
    found = search.beam(1, width=3, length_penalty=0.0, max_length=6, n_best=3)
    few = [beam(search.twin, **one, reach_of_all=4)]
    compare(
        found,
        [beam(search.twin, **one)],
        otherwise="of the candidates that are no end, the `width` best continue",
        read=READ,
    )


@exercise("4.11", after=STEPS)
def test_width_one_is_greedy(student, rng):
    """A beam of width 1 without length penalty is greedy search."""
    for sharpness in (0.5, 2.0):
        search = Search(student, drawn(rng, sharpness=sharpness))
        found = search.beam(1, width=1, length_penalty=0.0, max_length=10)
        right = [[greedy(search.twin, 0, 10)]]
        compare(
            found,
            right,
            otherwise="with width 1, the beam takes the most likely token at every step",
            read=READ,
        )


@exercise("4.11", after=STEPS)
def test_cut_off(student, rng):
    """Hypotheses cut off by max_length fill up the list, after all finished ones."""
    cases = [case(3, 0.6, 4), case(4, 2.0, 3), case(3, 0.0, 2)]

    def mixed(found):
        ended, cut = ([h.score for h in found if h.finished is kind] for kind in (True, False))
        return ended and cut and min(ended) < max(cut)

    apart = [*CUT_OFF.values(), {"n_best": 1}]
    check(
        student,
        [clear(rng, cases, mixed, apart, end=-0.5)],
        cases,
        otherwise="`add_unfinished` adds cut-off hypotheses; finished ones come first",
    )


SPARSE = {
    "2": [0.0, 0.0, 0.0, 0.0, 0.75, 0.25],
    "2 4": [0.0, 0.0, 0.0, 0.5, 0.0, 0.5],
    "2 5": [0.0, 0.0, 0.0, 1.0, 0.0, 0.0],
    "2 4 5": [0.0, 0.0, 0.0, 1.0, 0.0, 0.0],
}


@exercise("4.11", after=STEPS)
def test_zero_probability(student, rng):
    """Hypotheses of probability 0 are left out, so the list is shorter."""
    search = Search(student, drawn(rng), SPARSE)
    found = search.beam(1, width=6, length_penalty=0.0, max_length=6, n_best=6)
    everything = [Found([4], math.log(0.375), True), Found([4, 5], math.log(0.375), True)]
    everything.append(Found([5], math.log(0.25), True))
    impossible = [h.tokens for h in found[0] if not math.isfinite(h.score)]
    expect.true(
        not impossible,
        expected="hypotheses with finite scores",
        got=f"a score of −∞ for the tokens {impossible[:1]}",
        read=READ,
    )
    compare(
        found,
        [everything],
        otherwise="return all three possible sentences",
        read=READ,
    )


@exercise("4.11", after=STEPS)
def test_other_start_and_end(student, rng):
    """Other ids of the start and the end token."""
    for start, end in ((0, 1), (5, 4)):
        ids = {"start": start, "end": end}
        one = case(3, 0.6, 5, 3) | ids
        search = Search(student, clear(rng, [one]))
        options = {"width": 3, "length_penalty": 0.6, "max_length": 5, "n_best": 3}
        right, causes = expectations([(search.twin, one)])
        usual = {"start": 2, "end": END}
        unused = {
            f"`{name}` is not used: it is always {usual[name]}": [
                beam(search.twin, **{**one, name: usual[name]})
            ]
            for name in ids
        }
        found = search.beam(1, **options, **ids)
        compare(found, right, read=READ)


@exercise(
    "4.11",
    weight=0.5,
    after=STEPS,
    beside=["test_narrow_beams", "test_exhaustive_search", "test_best_of_the_list"],
)
def test_arguments(student, rng):
    """n_best above width, n_best below 1 and a negative penalty raise a ValueError."""
    search = Search(student, drawn(rng))
    for options in (
        {"width": 2, "n_best": 3},
        {"n_best": 0},
        {"width": 0, "n_best": 0},
        {"length_penalty": -0.5},
    ):
        expect.raises(
            lambda options=options: search.student.beam_search(
                search.step, None, 1, max_length=3, **options
            ),
            read="the docstring of 4.11",
        )

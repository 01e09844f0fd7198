"""Hidden tests of exercise 4.11: beam search with a model given by a table."""

from functools import partial

from autograder.a4.table_search import drawn, search
from grader.checking.question import question, refusal

READ = "§6.1; the docstring of 4.11"
STEPS = ("length_penalty_factor", "continuations", "split_candidates", "is_final")
ask = partial(question, "4.11", read=READ, builds_on=STEPS)
ENDS = "ends among the `width` best finish, and the `width` best others continue"


def beams(its, table, settings, by_hand=None, case="", **options):
    """The results of searches, for each (width, length_penalty, max_length, n_best)."""
    answer = {}
    for width, alpha, n, n_best in settings:
        given = {"width": width, "length_penalty": alpha, "max_length": n, "n_best": n_best}
        what = f"with width {width}, α = {alpha}, {n} steps, n_best {n_best}{case}"
        answer |= search(its, "beam_search", table, (), by_hand, what, **given, **options)[0]
    return answer


@ask(weight=3, advice=ENDS)
def test_narrow_beams(its, rng):
    """Beams of width 1 to 5, with several penalties, lengths and lists, start and end tokens."""
    full = [(1, 0.0, 10, 1), (2, 0.0, 6, 2), (2, 0.6, 9, 2), (3, 1.0, 6, 3), (3, 2.0, 8, 3)]
    full += [(4, 0.6, 5, 4), (5, 1.5, 7, 5), (3, 0.6, 1, 3), (3, 0.0, 2, 3), (4, 2.0, 3, 4)]
    best = [(2, 0.6, 9, 1), (4, 2.0, 9, 1), (5, 1.5, 12, 2), (3, 3.0, 9, 2), (5, 0.0, 9, 3)]
    answer = {}
    for end in (-0.7, 0.0, 0.7, 1.5):
        answer |= beams(its, drawn(rng, end=end), full + best, case=f", table {end}")
    answer |= beams(its, drawn(rng), [(3, 0.6, 5, 3)], case=", start=5, end=4", start=5, end=4)
    # fewer than 2 · width candidates: all of them, so that nothing is left out
    return answer | beams(its, drawn(rng, 4), [(60, 0.6, 3, 60), (40, 2.0, 3, 40), (9, 0.6, 1, 9)])


@ask(advice="longer may win; the `width` best that are no end continue; −∞ is no hypothesis")
def test_by_hand(its, rng):
    """A prefix that is behind may still win, a beam stays full, and probability 0 is left out."""
    table = drawn(rng)
    # After the first word all is certain. The likelier sentence ends sooner, with a lower score.
    by_hand = {"2": {0: 0.03, 1: 0.27, 4: 0.33, 5: 0.37}, "2 5": {3: 1.0}}
    for word, length in ((4, 3), (1, 6)):
        for n in range(1, length + 1):
            by_hand["2" + f" {word}" * n] = {word if n < length else 3: 1.0}
    last = by_hand | {"2" + " 0" * n: {0: 1.0} for n in (1, 2, 3)}  # which never ends
    last |= {"2": {0: 0.04, 1: 0.36, 3: 0.6}, "2 1 1 1": {3: 1.0}}
    found = beams(its, table, [(3, 1.0, 9, 1)], by_hand)
    found |= beams(its, table, [(2, 2.0, 4, 1)], last)  # wins with its last token
    # Of the three that continue, the last is the next to end.
    by_hand = {"2": {1: 0.32, 4: 0.35, 5: 0.33}, "2 4": {1: 0.4, 3: 0.6}, "2 5": {1: 0.4, 3: 0.6}}
    spread = dict.fromkeys((0, 1, 2, 4, 5), 0.2)
    by_hand |= {"2 1": {4: 0.6, 5: 0.4}, "2 1 4": spread, "2 4 1": spread, "2 5 1": {3: 1.0}}
    found |= beams(its, table, [(3, 0.0, 6, 3)], by_hand)
    by_hand = {"2": {4: 0.75, 5: 0.25}, "2 4": {3: 0.5, 5: 0.5}, "2 5": {3: 1.0}, "2 4 5": {3: 1.0}}
    tokens, scores, _ = beams(its, table, [(6, 0.0, 6, 6)], by_hand).values()
    # two have equal scores, in any order
    found["tokens, in alphabetical order"] = [sorted(one) for one in tokens]
    return found | {"scores beside a probability of 0": scores}


@ask(needs_one_of=["test_narrow_beams"], advice="raise a ValueError", corner=True)
def test_arguments(its, rng):
    """n_best above width, n_best below 1 and a negative penalty raise a ValueError."""
    wrong = [{"width": 2, "n_best": 3}, {"n_best": 0}, {"width": 0, "n_best": 0}]
    return {
        f"with {options}": refusal(
            lambda options=options: search(its, "beam_search", drawn(rng), **options)
        )
        for options in [*wrong, {"length_penalty": -0.5}]
    }

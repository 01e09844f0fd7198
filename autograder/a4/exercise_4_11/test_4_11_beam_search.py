"""Hidden tests of exercise 4.11: beam search with a model given by a table."""

from functools import partial

from autograder.a4.table_search import drawn, search
from grader.checking.question import question, refusal

READ = "§6.1; the docstring of 4.11"
STEPS = ("length_penalty_factor", "continuations", "split_candidates", "is_final")
ask = partial(question, "4.11", read=READ, after=STEPS)
ENDS = "ends among the `width` best finish, and the `width` best others continue"


def beams(its, table, settings, by_hand=None, **options):
    """What searches find, for each (width, length_penalty, max_length, n_best)."""
    answer = {}
    for width, alpha, n, n_best in settings:
        given = {"width": width, "length_penalty": alpha, "max_length": n, "n_best": n_best}
        what = f"with width {width}, α = {alpha}, {n} steps, n_best {n_best}"
        answer |= search(its, "beam_search", table, None, by_hand, what, **given, **options).found
    return answer


@ask(weight=6, advice=ENDS)
def test_narrow_beams(its, rng):
    """Beams of width 1 to 5, with several penalties and maximum lengths."""
    settings = [(1, 0.0, 10, 1), (2, 0.0, 6, 2), (2, 0.6, 9, 2), (3, 1.0, 6, 3), (3, 2.0, 8, 3)]
    settings += [(4, 0.6, 5, 4), (5, 1.5, 7, 5), (3, 0.6, 1, 3)]
    answer = {}
    for end in (-0.7, 0.0, 1.5):
        found = beams(its, drawn(rng, end=end), settings)
        answer |= {f"{name}, table {end}": value for name, value in found.items()}
    return answer


@ask(advice="fewer candidates than 2 · width: all of them")
def test_exhaustive_search(its, rng):
    """A beam that covers every prefix of a tiny vocabulary finds what exhaustive search finds."""
    return beams(its, drawn(rng, 4), [(60, 0.6, 3, 60), (40, 2.0, 3, 40), (9, 0.6, 1, 9)])


@ask(weight=2, advice="the `n_best` best of a beam of `width`")
def test_best_of_the_list(its, rng):
    """With n_best below width the list is a prefix of the full one; stopping early is safe."""
    settings = [(2, 0.6, 9, 1), (4, 2.0, 9, 1), (5, 1.5, 12, 2), (3, 3.0, 9, 2), (5, 0.0, 9, 3)]
    settings += [(3, 2.0, 4, 1)]
    answer = {}
    for number, end in enumerate((0.0, 0.7, 0.7, 0.7)):
        found = beams(its, drawn(rng, end=end), settings)
        answer |= {f"{name}, table {number}": value for name, value in found.items()}
    return answer


@ask(weight=2, advice="a longer sentence is divided by more, so its score may rise")
def test_won_by_length(its, rng):
    """A prefix that is behind a finished hypothesis goes on: it may win as it grows longer."""
    # After the first word all is certain. The likelier sentence ends sooner, with a lower score.
    sure = [[float(token == other) for token in range(6)] for other in range(6)]
    by_hand = {"2": [0.03, 0.27, 0.0, 0.0, 0.33, 0.37], "2 5": sure[3]}
    for word, length in ((4, 3), (1, 6)):
        by_hand |= {"2" + f" {word}" * n: sure[word] for n in range(1, length)}
        by_hand["2" + f" {word}" * length] = sure[3]
    last = by_hand | {"2": [0.02, 0.36, 0.0, 0.6, 0.01, 0.01], "2 1 1 1": sure[3]}
    found = beams(its, drawn(rng), [(3, 1.0, 9, 1)], by_hand)
    return found | beams(its, drawn(rng), [(2, 2.0, 4, 1)], last)  # wins with its last token


@ask(advice="the `width` best that are no end continue")
def test_full_beams(its, rng):
    """A beam stays full, also when all but one of its prefixes may end."""
    # Two of the three best candidates end; the last of the three that continue is the next to end.
    spread = [0.19, 0.2, 0.2, 0.01, 0.2, 0.2]
    by_hand = {"2": [0.0033, 0.32, 0.0034, 0.0033, 0.34, 0.33], "2 1 4": spread, "2 4 4": spread}
    by_hand |= {
        "2 4": [0.05, 0.05, 0.05, 0.6, 0.2, 0.05],
        "2 5": [0.05, 0.055, 0.055, 0.6, 0.19, 0.05],
    }
    by_hand |= {"2 1": [0.15, 0.15, 0.15, 0.05, 0.35, 0.15]}
    by_hand["2 5 4"] = [0.002, 0.002, 0.002, 0.99, 0.002, 0.002]
    return beams(its, drawn(rng), [(3, 0.0, 6, 3)], by_hand)


@ask(advice="cut-off hypotheses come after all finished ones")
def test_cut_off(its, rng):
    """Hypotheses cut off by max_length fill up the list, after all finished ones."""
    answer = {}
    for number in range(4):
        found = beams(its, drawn(rng, end=-0.5), [(3, 0.6, 4, 3), (4, 2.0, 3, 4), (3, 0.0, 2, 3)])
        answer |= {f"{name}, table {number}": value for name, value in found.items()}
    return answer


@ask(advice="a score of −∞ is no hypothesis")
def test_zero_probability(its, rng):
    """Hypotheses of probability 0 are left out, so the list is shorter."""
    by_hand = {"2": [0.0, 0.0, 0.0, 0.0, 0.75, 0.25], "2 4": [0.0, 0.0, 0.0, 0.5, 0.0, 0.5]}
    by_hand |= {prefix: [0.0, 0.0, 0.0, 1.0, 0.0, 0.0] for prefix in ("2 5", "2 4 5")}
    found = beams(its, drawn(rng), [(6, 0.0, 6, 6)], by_hand)
    tokens, scores, _ = found.values()  # two have equal scores, in any order
    return {"tokens, in alphabetical order": [sorted(one) for one in tokens], "scores": scores}


@ask(advice="start and end are arguments")
def test_other_start_and_end(its, rng):
    """Other ids of the start and the end token."""
    return {
        f"{name}, start={start}, end={end}": value
        for start, end in ((0, 1), (5, 4))
        for name, value in beams(
            its, drawn(rng), [(3, 0.6, 5, 3)], start=start, end=end
        ).items()
    }  # fmt: skip


@ask(weight=0.5, beside=["test_narrow_beams", "test_best_of_the_list"], advice="raise a ValueError")
def test_arguments(its, rng):
    """n_best above width, n_best below 1 and a negative penalty raise a ValueError."""
    table = drawn(rng)
    wrong = [{"width": 2, "n_best": 3}, {"n_best": 0}, {"width": 0, "n_best": 0}]
    return {
        f"with {options}": refusal(
            lambda options=options: search(its, "beam_search", table, max_length=3, **options)
        )
        for options in [*wrong, {"length_penalty": -0.5}]
    }

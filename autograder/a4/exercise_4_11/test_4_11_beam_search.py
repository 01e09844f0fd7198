"""Hidden tests of exercise 4.11: beam search with a model given by a table, and its three steps."""

import math
from functools import partial

import torch

from autograder.a4.table_search import drawn, on_a_device, search
from grader.checking.question import question, refusal

READ = "§6.1; the docstring of 4.11"
STEPS = ("length_penalty_factor", "continuations", "split_candidates", "is_final")
ask = partial(question, "4.11", read=READ, builds_on=STEPS)
ENDS = "ends among the `width` best finish, and the `width` best others continue"
ONE = "one call of `step` serves the beams of all sentences, and a sentence that is done leaves"
BEST = (
    "((5 + |Y|) / 6)^α; the n largest of score + log probability in each sentence, "
    "whatever beam they extend"
)
SPLIT = "ends among the `width` best finish; the `width` best that are no end continue; −∞: none"
FOUND = "[student['Hypothesis']([], score, True) for score in scores]"
# Scores of finished hypotheses, the bound, width and n_best.
ASKED = (
    [((), -1.0, 2, 1), ((), -math.inf, 2, 1), ((-3.0,), -1.0, 1, 1), ((-3.0, -1.0), -0.5, 2, 1)]
    + [((-1.0,), -2.0, 3, 1), ((-1.0,), -0.5, 3, 1), ((-1.0, -3.0), -2.0, 3, 2)]
    + [((-3.0, -1.0), -2.0, 3, 1), ((-1.0, -3.0, -1.5), -1.6, 4, 2), ((-1.0, -2.0), -2.0, 3, 2)]
    + [((-1.0,), -2.0, 3, 2), ((-4.0, -5.0), 0.0, 3, 1), ((-2.0,), -1.0, 2, 1)]
    + [((-1.0, -2.0), 0.0, 1, 1)]
)


@ask(weight=3, advice="each sentence has its own beam, list, end, and rows of the state")
def test_sentences(its, rng):
    """Each sentence of a batch gets the same hypotheses as alone, each row its own state."""
    answer = {}
    # Long ones win, if still searched; with rare ends no sentence leaves, and yet beams move.
    for count, width, alpha, end in ((5, 3, 0.6, 0.0), (40, 2, 2.0, 0.0), (3, 4, 0.6, -4.0)):
        options = {"width": width, "length_penalty": alpha, "n_best": width, "max_length": 8}
        what = f"of {count} sentences"
        table = drawn(rng, end=end)
        answer |= search(its, "beam_search", table, range(count), what=what, **options)[0]
    return answer


@ask(advice=ONE)
def test_steps(its, rng):
    """As many steps for eight sentences as for one; no more when nothing can change the result."""
    options = {"width": 4, "length_penalty": 1.0}
    answer, table = {}, drawn(rng, end=-2.0)
    for n in (1, 7):
        for count in (1, 8):
            rows = search(its, "beam_search", table, [0] * count, max_length=n, **options)[1]
            answer[f"calls of `step` for {count} sentences, max_length={n}"] = len(rows)
    sure = {"2": {0: 0.02, 1: 0.02, 3: 0.9, 4: 0.04, 5: 0.02}}
    rows = search(its, "beam_search", drawn(rng, end=-3.0), (), sure, max_length=10, width=4)[1]
    plain = search(its, "beam_search", drawn(rng, end=-60.0))[1]
    answer |= {"steps without an end, by default": len(plain), "beams by default": plain[-1]}
    return answer | {"it stops after two steps if the end has a probability of 0.9": len(rows) <= 2}


@ask(advice="make every tensor on `device`", corner=True)
def test_device(its):
    """The prefixes are on `device`, where the model is."""
    return on_a_device(its, "beam_search")


def beams(its, table, settings, by_hand=None, case="", **options):
    """The results of beams, for each (width, length_penalty, max_length, n_best)."""
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


@question("4.11", advice=BEST, read="Wu et al. 2016, Eq. 14; the docstring of `continuations`")
def test_continuations(its, rng):
    """The length penalty, and the best of all candidates of each sentence: scores, rows, tokens."""
    answer = {
        f"the factors of 0, 1, 7, 19 and 55 tokens, α = {alpha}": [
            its.length_penalty_factor(n, alpha) for n in (0, 1, 7, 19, 55)
        ]
        for alpha in (0.0, 0.6, 1.0, 2.0)
    }
    for count, width, vocab_size, n in ((2, 3, 7, 4), (3, 1, 6, 6), (1, 4, 5, 8), (2, 2, 4, 9)):
        scores = 2 * torch.from_numpy(rng.normal(size=(count, width)).astype("float32"))
        following = drawn(rng, vocab_size, 2.0, count * width)
        three = its.continuations(scores.sort(descending=True).values, following, n)
        for name, value in zip(("scores", "rows", "tokens"), three, strict=True):
            answer[f"{name} of the {n} best of {count} × {width} beams"] = value
    return answer


@question("4.11", advice=SPLIT, read="the docstring of `split_candidates`")
def test_which_candidates_finish(its, rng):
    """Ends among the `width` best finish, and the `width` best of the others continue."""
    answer = {}
    for width, end, ranks in (
        (2, 3, ((0,), (1, 2), (3,))),
        (4, 3, ((0, 3, 4), (2, 7), (0, 1))),
        (2, 2, ((0,), (1,), (3,))),
    ):
        totals = -torch.from_numpy(rng.uniform(0.2, 1.0, (3, 2 * width))).float().cumsum(1)
        tokens = torch.full((3, 2 * width), end + 1)
        for sentence, own in enumerate(ranks):
            tokens[sentence, list(own)] = end
        parts = its.split_candidates(totals, tokens, width, end)
        for name, value in zip(("scores", "places", "finished"), parts, strict=True):
            answer[f"{name} with width {width}, end={end}"] = value
        answer["the type of `finished`"] = str(parts[2].dtype)
    # Probability 0 finishes nothing; −∞ where there are too few.
    totals = torch.tensor([[-1.0, -2.0, *[-math.inf] * 4]])
    scores, _, finished = its.split_candidates(totals, torch.tensor([[3, 5, 3, 6, 7, 8]]), 3)
    few, _, _ = its.split_candidates(totals[:, :4], torch.tensor([[4, 3, 3, 3]]), 3)
    return answer | {
        "`finished` with probabilities of 0": finished,
        "scores with probabilities of 0": scores,
        "scores of one candidate and ends": few,
    }


@question("4.11", advice="done, no prefix left, or `n_best` scores of at least `bound`")
def test_when_to_stop(its):
    """Done, without a prefix, certain, and each time just not so."""
    return {
        f"it is final: scores {list(scores)}, bound {bound}, width {width}, n_best {n}": bool(
            its.is_final(its.make(FOUND, scores=list(scores)), bound, width, n)
        )
        for scores, bound, width, n in ASKED
    }

"""Hidden tests of exercise 4.11: beam search against its definition and exhaustive search."""

import math
from itertools import combinations

import numpy as np
import torch

from autograder.suites.a3.answers import answered, normal
from autograder.suites.a4.search_models import TableModel
from autograder.suites.a4.search_reference import beam, exhaustive, factor, greedy
from autograder.suites.a4.searching import END, Found, Search, compare, drawn, same
from course_lib.checking import expect
from course_lib.checking.exercise import exercise

READ = "§6.1; the docstring of 4.11"
PENALTY = "Wu et al. 2016, Eq. 14"
BY_BEAM = (
    "each beam gives its own best: n continuations of each sentence, whatever beam they extend from"
)


def powers(base):
    return lambda score, length, alpha: score / max(base(length), 1e-9) ** alpha


CUT_OFF = {
    "cut-off hypotheses are ranked among finished ones: they only fill up the end of the list": {
        "ranking": lambda found: sorted(found, key=lambda h: -h.score)
    },
    "cut-off hypotheses come before finished ones": {
        "ranking": lambda found: sorted(found, key=lambda h: (h.finished, -h.score))
    },
    "cut-off hypotheses are lost: `add_unfinished` adds them": {
        "ranking": lambda found: sorted((h for h in found if h.finished), key=lambda h: -h.score)
    },
}
MISTAKES = {
    "a score is multiplied by the length penalty: divide by it": {
        "normalized": lambda score, length, alpha: score * factor(length, alpha)
    },
    "the 5 of the length penalty is missing": {"normalized": powers(lambda n: n / 6)},
    "the length counts one token too many: |Y| excludes start and end": {
        "normalized": powers(lambda n: (6 + n) / 6)
    },
    "the length penalty is not used": {"normalized": lambda score, *_: score},
    "divided by the number of tokens, not by ((5 + |Y|) / 6)^α": {
        "normalized": lambda score, n, alpha: score / max(n, 1) ** alpha
    },
    "the length penalty is in the running scores: divide only finished hypotheses": {
        "running": True
    },
    "finished beams are extended: nothing may follow the end token": {"extended": True},
    "end tokens ranked below the `width` best candidates also finish hypotheses": {
        "all_ends": True
    },
    "a finished hypothesis takes a place in the beam: refill it with the best of the others": {
        "ends_take_places": True
    },
    "the search stops at the first hypothesis that ends": {"first_only": True},
    "the search continues after `width` hypotheses have finished": {"never_done": True},
    "the hypotheses are not sorted: return the best first": {"ranking": list},
    **CUT_OFF,
    "the worst hypotheses come first": {
        "ranking": lambda found: sorted(found, key=lambda h: (not h.finished, h.score))
    },
    "each beam gives its own best: all candidates of a sentence compete": {"own_best": True},
    "the first step starts with equal beams: they find every hypothesis several times": {
        "copies": True
    },
    "the scores of the prefixes are not added: a score covers the whole sentence": {"added": False},
    "the end token is kept: return the tokens without start and end": {"kept_end": True},
}


def expectations(asked, mistakes=MISTAKES):
    """The correct lists of all (model, case) pairs, and the lists of each mistake."""

    def made(change=lambda case: {}, **mistake):
        return [beam(model, **{**case, **change(case)}, **mistake) for model, case in asked]

    def others():
        found = {
            "`n_best` is not used: only the best hypothesis is returned": made(
                lambda _: {"n_best": 1}
            ),
            "`n_best` is not used: all hypotheses are returned": made(lambda _: {"n_best": 10**6}),
        }
        found |= {name: made(**options) for name, options in mistakes.items()}
        for step, name in ((-1, "one step too early"), (1, "one step too late")):
            found[f"the search ends {name}: `max_length` steps are allowed"] = made(
                lambda case, step=step: {"max_length": max(1, case["max_length"] + step)}
            )
        return found

    return made(), others


def clear(rng, cases, suits=None, apart=(), **options):
    """A table where no choice depends on rounding, and whose lists satisfy `suits`.

    There, the mistakes in `apart` give lists that differ from the correct ones and from each other.
    """
    while True:
        table, gaps = drawn(rng, **options), []
        model = TableModel(table)
        found = [beam(model, **case, gaps=gaps) for case in cases]
        if min(gaps, default=1.0) <= 1e-4 or not (suits is None or all(map(suits, found))):
            continue
        made = [found, *([beam(model, **{**case, **one}) for case in cases] for one in apart)]
        if not any(all(map(same, *pair)) for pair in combinations(made, 2)):
            return table


def check(student, tables, cases, mistakes=MISTAKES, **options):
    """Run every case separately on every table, without a state."""
    found, asked = [], []
    for table in tables:
        search = Search(student, table)
        for case in cases:
            own = {"width": case["width"], "length_penalty": case["alpha"]}
            own |= {"max_length": case["max_length"], "n_best": case["n_best"]}
            found += search.beam(1, **own)
            asked.append((search.twin, case))
    right, others = expectations(asked, mistakes)
    compare(found, right, causes=others, read=READ, what="search", **options)


def case(width, alpha, max_length, n_best=None, sentence=0):
    n_best = width if n_best is None else n_best
    return {
        "sentence": sentence,
        "width": width,
        "alpha": alpha,
        "max_length": max_length,
        "n_best": n_best,
    }


@exercise("4.11")
def test_length_penalty_factor(student):
    """((5 + |Y|) / 6)^α for short and long sentences, and for several α."""
    lengths, alphas = np.array([0.0, 1, 7, 19, 55])[:, None], np.array([0.0, 0.6, 1.0, 2.0])
    found = [
        [float(student.length_penalty_factor(int(n), float(alpha))) for alpha in alphas]
        for n in lengths[:, 0]
    ]
    expect.close(
        found,
        ((5 + lengths) / 6) ** alphas,
        causes={
            "the 5 is missing": (lengths / 6) ** alphas,
            "the length includes the end or the start token": ((6 + lengths) / 6) ** alphas,
            "the length includes the start and the end token": ((7 + lengths) / 6) ** alphas,
            "the power applies only to the numerator": (5 + lengths) ** alphas / 6,
            "the power also applies to (5 + 1)": (5 + lengths) ** alphas / 6**alphas / 6,
            "times α, not to the power α": (5 + lengths) / 6 * alphas,
            "the factor is inverted: a log probability is divided by it": (
                ((5 + lengths) / 6) ** -alphas
            ),
        },
        read=PENALTY,
        what="the factors of lengths 0, 1, 7, 19, 55 for α = 0, 0.6, 1, 2",
    )


@exercise("4.11", weight=2)
def test_continuations(student, rng):
    """The best of all candidates of each sentence: scores, rows and tokens."""
    for n_sentences, beams, vocab_size, n in [(2, 3, 7, 4), (3, 1, 6, 6), (1, 4, 5, 8)]:
        scores = 2 * normal(rng, n_sentences, beams)
        scores = scores.sort(descending=True).values
        following = (2 * normal(rng, n_sentences * beams, vocab_size)).log_softmax(-1)
        made = answered(
            lambda scores=scores, following=following, n=n: student.continuations(
                scores, following, n
            ),
            "(sentences, beams) scores and (sentences · beams, vocab_size) log probabilities",
            READ,
        )
        totals, rows, tokens = expect.parts(made, 3, read="the docstring of `continuations`")
        check_candidates(scores, following, n, totals, rows, tokens)


def check_candidates(scores, following, n, totals, rows, tokens):
    (n_sentences, beams), vocab_size = scores.shape, following.shape[1]
    sums = scores[..., None] + following.view(n_sentences, beams, vocab_size)
    best, places = sums.flatten(1).topk(n)
    for name, value in (("scores", totals), ("rows", rows), ("tokens", tokens)):
        expect.shape(
            value,
            (n_sentences, n),
            causes={BY_BEAM: (n_sentences, beams * max(1, n // beams))},
            otherwise="n continuations of each sentence, whatever beam they extend",
            read="the docstring of `continuations`",
            what=f"the {name}",
        )
    order = torch.as_tensor(totals).argsort(dim=1, descending=True)
    totals, rows, tokens = (torch.as_tensor(x).gather(1, order) for x in (totals, rows, tokens))
    alone = following.view(n_sentences, -1).topk(n).values
    own = sums.topk(max(1, n // beams), dim=2).values.flatten(1)
    whole = sums.flatten().topk(n).values
    causes = {
        "the scores of the prefixes are not added": alone,
        "each beam gives its own best: all continuations of a sentence compete": (
            own.sort(descending=True).values
        ),
        "the n worst, not the n best": sums.flatten(1).topk(n, largest=False).values.flip(1),
        "probabilities, not their logarithms": best.exp(),
        "the log probabilities are subtracted": (
            scores[..., None] - following.view(n_sentences, beams, vocab_size)
        )
        .flatten(1)
        .topk(n)
        .values,
        "multiplied: log probabilities are added": (
            scores[..., None] * following.view(n_sentences, beams, vocab_size)
        )
        .flatten(1)
        .topk(n)
        .values,
    }
    if n_sentences > 1:
        causes["the sentences are mixed: each has its own n best"] = whole.expand(n_sentences, -1)
    expect.close(
        totals,
        best,
        atol=1e-5,
        causes=causes,
        otherwise="the n largest of score + log probability in each sentence",
        read=READ,
        what="the scores",
    )
    first = torch.arange(0, n_sentences * beams, beams)[:, None]
    swapped = {
        "division and remainder are swapped: index = beam · vocab_size + token": (
            first + places % vocab_size
        ),
        "the rows count from 0 in each sentence: those of sentence i start at i · beams": (
            places // vocab_size
        ),
        "divided by the number of beams: index = beam · vocab_size + token": first
        + places // beams,
    }
    expect.close(rows, first + places // vocab_size, causes=swapped, read=READ, what="the rows")
    expect.close(
        tokens,
        places % vocab_size,
        causes={
            "division and remainder are swapped: index = beam · vocab_size + token": (
                places // vocab_size
            ),
            "the remainder by the number of beams: index = beam · vocab_size + token": (
                places % beams
            ),
            "the index in the whole list: its remainder by vocab_size is the token": places,
        },
        read=READ,
        what="the tokens",
    )


@exercise("4.11", weight=2)
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


@exercise("4.11", weight=3)
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


@exercise("4.11")
def test_best_of_the_list(student, rng):
    """With n_best below width the list is a prefix of the full one; stopping early is safe."""
    settings = [(2, 0.6, 9, 1), (4, 2.0, 9, 1), (5, 1.5, 12, 2), (3, 3.0, 9, 2), (5, 0.0, 9, 3)]
    cases = [case(*one) for one in settings]
    early = "it stops too early: a prefix may still gain from its length, so its bound is its "
    hasty = {"hasty": True}
    mistakes = {f"{early}score / factor(max_length - 1)": hasty, **MISTAKES}
    check(
        student,
        [clear(rng, cases, apart=[hasty], end=end) for end in (0.0, 0.7)],
        cases,
        mistakes,
        otherwise="the `n_best` best of all hypotheses that a beam of `width` finds",
    )


@exercise("4.11")
def test_width_one_is_greedy(student, rng):
    """A beam of width 1 without length penalty is greedy search."""
    for sharpness in (0.5, 2.0):
        search = Search(student, drawn(rng, sharpness=sharpness))
        found = search.beam(1, width=1, length_penalty=0.0, max_length=10)
        right = [[greedy(search.twin, 0, 10)]]
        compare(
            found,
            right,
            causes=expectations([(search.twin, case(1, 0.0, 10))])[1],
            otherwise="with width 1, the beam takes the most likely token at every step",
            read=READ,
        )


@exercise("4.11")
def test_cut_off(student, rng):
    """Hypotheses cut off by max_length fill up the list, after all finished ones."""
    cases = [case(3, 0.6, 4), case(4, 2.0, 3), case(3, 0.0, 2)]

    def mixed(found):
        ended, cut = ([h.score for h in found if h.finished is kind] for kind in (True, False))
        return ended and cut and min(ended) < max(cut)

    check(
        student,
        [clear(rng, cases, mixed, [*CUT_OFF.values(), {"n_best": 1}], end=-0.5)],
        cases,
        otherwise="`add_unfinished` adds cut-off hypotheses; finished ones come first",
    )


SPARSE = {
    "2": [0.0, 0.0, 0.0, 0.0, 0.75, 0.25],
    "2 4": [0.0, 0.0, 0.0, 0.5, 0.0, 0.5],
    "2 5": [0.0, 0.0, 0.0, 1.0, 0.0, 0.0],
    "2 4 5": [0.0, 0.0, 0.0, 1.0, 0.0, 0.0],
}


@exercise("4.11")
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
        because="a hypothesis of score −∞ has probability 0: leave it out",
        read=READ,
    )
    compare(
        found,
        [everything],
        causes=expectations([(search.twin, case(6, 0.0, 6))])[1],
        otherwise="return all three possible sentences",
        read=READ,
    )


def copies(rng):
    """Cases, and a table without close choices for each of three sentences."""
    cases = [case(3, 0.6, 8, 3, sentence) for sentence in range(5)]
    return cases, clear(rng, cases)


@exercise("4.11", weight=2)
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
        causes=causes,
        otherwise="each sentence has its own beam, stopping point and list",
        read=READ,
    )


@exercise("4.11", weight=2)
def test_state_follows_the_beams(student, rng):
    """At every step each row has the state of its own prefix, as a cache requires."""
    _, table = copies(rng)
    for sentences, width in (([0], 4), (range(5), 3)):
        search = Search(student, table)
        search.beam(len(sentences), sentences, width=width, max_length=8)
        search.check_state(READ)


@exercise("4.11", weight=2)
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
            because="the sentences are searched one after another: one call serves the beams of "
            "all of them, with no loop over sentences"
            if asked[1] == 8 * asked[0]
            else "",
            otherwise="one call serves the beams of all sentences",
            read=READ,
        )


@exercise("4.11")
def test_certain_result(student, rng):
    """The search stops when nothing can change the result."""
    sure = {"2": [0.02, 0.02, 0.0, 0.9, 0.04, 0.02]}
    search = Search(student, drawn(rng, end=-3.0), sure)
    found = search.beam(1, width=4, length_penalty=1.0, max_length=10)
    right = [[Found([], math.log(0.9) / (5 / 6), True)]]
    compare(found, right, causes=expectations([(search.twin, case(4, 1.0, 10, 1))])[1], read=READ)
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


@exercise("4.11")
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
        compare(found, right, causes={**causes(), **unused}, read=READ)


@exercise("4.11", weight=0.5)
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
            because=f"the arguments are not checked: {options} must raise a ValueError",
            read="the docstring of 4.11",
        )


@exercise("4.11", weight=0.5)
def test_device(student, rng):
    """The prefixes are on `device`, where the model is."""
    Search(student, drawn(rng)).check_device("beam_search", "the signature of 4.11")

"""Hidden tests of exercise 4.21: truncated probabilities, and sampling from them."""

from statistics import NormalDist

import numpy as np
import torch

from autograder.a3.answers import normal
from autograder.a4.search_models import TableModel
from autograder.a4.search_reference import greedy
from autograder.a4.searching import END, Found, Search, compare, drawn
from grader.checking import expect
from grader.checking.exercise import exercise
from grader.checking.known_mistakes import known_mistakes
from grader.checking.numeric import FALSE_ALARM

MISTAKE = known_mistakes(__file__)

READ = "the docstring of 4.21"
TOP_P = "Holtzman et al. 2020; the docstring of 4.21"
GENERATOR = "torch.Generator().manual_seed(seed)"


def kept(row, top_k, top_p, *, before=False, least=0, after=False, whole=False):
    """The indices of a row's tokens that are kept, the most likely first.

    `before` drops the token that reaches `top_p`, but keeps `least` tokens; `after` keeps one
    more; `whole` measures `top_p` against all tokens, not only those that `top_k` keeps.
    """
    order = row.argsort(descending=True).tolist()[:top_k]
    if top_p is None:
        return order
    total, reached, found = 1.0 if whole else float(row[order].sum()), 0.0, []
    for place in order:
        share = float(row[place]) / total
        if (reached + share if before else reached) >= top_p:
            return [*found, place] if after else found or order[:least]
        reached += share
        found.append(place)
    return found


def narrow(log_probabilities, temperature=1.0, top_k=None, top_p=None, *, divided=True, **options):
    """The definition, row by row; `divided=False` does not normalize the rows."""
    rows = torch.softmax(log_probabilities.double() / temperature, dim=-1)
    found = torch.zeros_like(rows)
    for row, own in zip(rows, found, strict=True):
        places = kept(row, top_k, top_p, **options)
        own[places] = row[places]
    return found / found.sum(-1, keepdim=True) if divided else found


def mistakes(log_probabilities, temperature, top_k, top_p):
    given = (log_probabilities, temperature, top_k, top_p)
    fewer, more = (None if top_k is None else max(1, top_k + step) for step in (-1, 1))
    late = torch.softmax(narrow(log_probabilities, 1.0, top_k, top_p).log() / temperature, dim=-1)
    return {
        MISTAKE.distribution_temperature_multiplies: narrow(
            log_probabilities, 1 / temperature, top_k, top_p
        ),
        "the temperature is not used": narrow(log_probabilities, 1.0, top_k, top_p),
        "the probabilities are divided by the temperature: divide their logarithms": narrow(
            (log_probabilities.exp() / temperature), 1.0, top_k, top_p
        ),
        MISTAKE.distribution_top_k_one_too_few: narrow(
            log_probabilities, temperature, fewer, top_p
        ),
        MISTAKE.distribution_top_k_one_too_many: narrow(
            log_probabilities, temperature, more, top_p
        ),
        "`top_k` is not used": narrow(log_probabilities, temperature, None, top_p),
        MISTAKE.distribution_top_p_too_early: narrow(*given, before=True),
        "`top_p` is cut too early: keep the token that reaches it, and at least one": narrow(
            *given, before=True, least=1
        ),
        MISTAKE.distribution_top_p_too_late: narrow(*given, after=True),
        "`top_p` is not used": narrow(log_probabilities, temperature, top_k, None),
        "`top_p` is measured against all tokens, not only those that `top_k` keeps": narrow(
            *given, whole=True
        ),
        MISTAKE.distribution_not_summing_to_one: narrow(*given, divided=False),
        "the temperature comes last: apply it before `top_k` and `top_p`": late,
        "these are logarithms: return probabilities": narrow(*given).log(),
        MISTAKE.distribution_not_put_back: (narrow(*given).sort(dim=-1, descending=True).values),
    }


def clear_rows(rng, settings, n=4, vocab_size=8):
    """Log probabilities whose cumulative sums are not close to any `top_p` of the settings."""
    while True:
        rows = (1.5 * normal(rng, n, vocab_size)).log_softmax(-1)
        near = [
            abs(float(total) - top_p)
            for temperature, top_k, top_p in settings
            if top_p is not None
            for total in narrow(rows, temperature, top_k)
            .sort(dim=-1, descending=True)
            .values.cumsum(-1)
            .flatten()
        ]
        if min(near, default=1.0) > 1e-3:
            return rows


def check_distribution(student, rng, settings):
    """Run all settings before comparing any: together they distinguish mistakes."""
    rows = clear_rows(rng, settings)
    found = []
    for temperature, top_k, top_p in settings:
        called = student.call(
            student.sampling_distribution, rows, temperature, top_k=top_k, top_p=top_p
        )
        expect.unchanged(called.changed)
        expect.shape(called.value, tuple(rows.shape), what="the probabilities", read=READ)
        found.append(torch.as_tensor(called.value).double())

    def causes():
        wrong = [mistakes(rows, *one) for one in settings]
        return {name: torch.stack([values[name] for values in wrong]) for name in wrong[0]}

    expect.close(
        torch.stack(found),
        torch.stack([narrow(rows, *one) for one in settings]),
        atol=1e-5,
        otherwise="divide by the temperature, keep the `top_k` most likely, and of those the "
        "fewest that reach `top_p`",
        read=TOP_P,
        what=f"the probabilities for (temperature, top_k, top_p) = {settings}",
    )


@exercise("4.21")
def test_temperature(student, rng):
    """Temperatures below and above 1, and 1 itself."""
    check_distribution(student, rng, [(1.0, None, None), (0.5, None, None), (3.0, None, None)])


@exercise("4.21")
def test_top_k(student, rng):
    """The k most likely tokens, at their own indices."""
    check_distribution(
        student, rng, [(1.0, 3, None), (0.7, 5, None), (1.0, 8, None), (2.0, 1, None)]
    )


@exercise("4.21", weight=0.5)
def test_top_k_of_more(student, rng):
    """A `top_k` above the vocabulary size keeps every token."""
    rows = drawn(rng, rows=2)
    more = rows.shape[1] + 3
    enough = "if the vocabulary has fewer tokens than `top_k`, keep all of them"
    found = student.sampling_distribution(rows, top_k=more)
    expect.close(
        found,
        rows.exp(),
        atol=1e-5,
        otherwise=enough,
        read=READ,
        what=f"the probabilities of {rows.shape[1]} tokens with top_k = {more}",
    )


@exercise("4.21")
def test_top_p(student, rng):
    """The smallest set of most likely tokens that reaches p; with `top_k`, of those it keeps."""
    check_distribution(student, rng, [(1.0, None, 0.7), (0.6, None, 0.9), (1.5, None, 0.05)])
    check_distribution(student, rng, [(1.0, 4, 0.6), (1.3, 3, 0.8)])


@exercise("4.21", weight=0.5, beside=["test_frequencies", "test_temperature", "test_top_k"])
def test_refused(student, rng):
    """Invalid settings raise a ValueError."""
    rows = drawn(rng, rows=2)
    for options in (
        {"temperature": 0.0},
        {"temperature": -1.0},
        {"top_k": 0},
        {"top_p": 0.0},
        {"top_p": 1.2},
    ):
        expect.raises(
            lambda options=options: student.sampling_distribution(rows, **options),
            read=READ,
        )


def sampled(search, n_rows, max_length, seed, **options):
    """Hypotheses sampled with a generator of this seed; each row is of sentence 0."""
    generator = search.student.make(GENERATOR, seed=seed)
    return search.greedy(n_rows, max_length, name="sample", generator=generator, **options)


def reach(p, n):
    """How far a frequency of n draws may be from p: Bernstein's inequality, for rare tokens, too.

    Chance exceeds it in one of 1e8 runs, for all tokens together.
    """
    doubts = np.log(2 * p.size / FALSE_ALARM)
    third = doubts / (3 * n)
    return third + np.sqrt(third**2 + 2 * doubts * p * (1 - p) / n)


def revealing_table(rng, options, n):
    """A table whose first row changes clearly under `options`."""
    while True:
        table = drawn(rng, sharpness=1.0)
        plain = TableModel(table).following(0, [2])[None]
        p, other = narrow(plain, **options)[0].numpy(), narrow(plain)[0].numpy()
        if not options or (np.abs(p - other) > reach(p, n) + 2 * reach(other, n)).any():
            return table, p, other


@exercise("4.21", weight=2, after=["sampling_distribution"])
def test_frequencies(student, rng):
    """Tokens are drawn with the probabilities of `sampling_distribution`."""
    n = 1000
    for options in ({}, {"temperature": 0.5}, {"top_k": 3}, {"top_p": 0.6}):
        table, p, plain = revealing_table(rng, options, n)
        search = Search(student, table)
        counts = np.zeros(p.size)
        for one in sampled(search, n, 1, 5, **options):
            counts[END if one.finished else one.tokens[0]] += 1
        shares, name = counts / n, f" with {options}" if options else ""
        cause = ""
        if options and (np.abs(shares - plain) <= reach(plain, n)).all():
            cause = MISTAKE.saying(
                f"`{next(iter(options))}` is not passed on to `sampling_distribution`"
            )
        elif not options and shares.max() == 1:
            cause = "always the same token: sample with `torch.multinomial`"
            if shares.argmax() == p.argmax():
                cause = MISTAKE.sample_takes_the_likeliest
        right = bool((np.abs(shares - p) <= reach(p, n))[p > 0].all()) and not shares[p == 0].any()
        expect.true(
            right or not cause,
            expected=f"tokens with frequencies {expect.show(p)}{name}",
            got=expect.show(shares),
            because=cause,
            read=READ,
        )
        expect.close(
            shares[p == 0],
            np.zeros((p == 0).sum()),
            read=READ,
            what=f"frequencies of the tokens that `sampling_distribution` drops{name}",
        )
        left, sigmas = p[p > 0], NormalDist().inv_cdf(1 - FALSE_ALARM / (2 * (p > 0).sum()))
        expect.by_chance(
            shares[p > 0],
            left,
            reach(left, n) / sigmas,
            otherwise="sample from `sampling_distribution` with `torch.multinomial`",
            read=READ,
            what=f"frequencies of the tokens that `sampling_distribution` keeps{name}",
        )


@exercise("4.21", after=["sampling_distribution"])
def test_generator(student, rng):
    """Only `generator` decides: the global one is not used."""
    search = Search(student, drawn(rng, sharpness=0.5))
    state = student.make("torch.get_rng_state")
    before = state()
    one, again, other = (sampled(search, 12, 6, seed) for seed in (1, 1, 2))
    expect.true(
        bool(torch.equal(state(), before)),
        expected="an unused global generator",
        got="one that has advanced",
        read=READ,
    )
    expect.true(
        one == again,
        expected="the same hypotheses from equal generators",
        got="others",
        otherwise="the draw depends on something other than `generator`",
        read=READ,
    )
    expect.true(
        one != other,
        expected="different hypotheses from a different generator",
        got="the same",
        otherwise="`generator` is not used",
        read=READ,
    )


@exercise("4.21", after=["sampling_distribution"])
def test_scores(student, rng):
    """The score is the model's own, without temperature and without truncation."""
    search = Search(student, drawn(rng, sharpness=1.0))
    options = {"temperature": 2.0, "top_k": 3, "top_p": 0.9}
    found = sampled(search, 6, 5, 3, **options)

    def scored(row_of):
        made = []
        for one in found:
            tokens = [*one.tokens, END] if one.finished else one.tokens
            score = 0.0
            for n, token in enumerate(tokens):
                row = search.twin.following(0, [2, *tokens[:n]])
                score += float(row_of(row)[token])
            made.append([Found(one.tokens, score, one.finished)])
        return made

    def log_of(**how):
        return lambda row: narrow(row[None], **how)[0].log()

    compare(
        [[one] for one in found],
        scored(lambda row: row),
        otherwise="sum the log probabilities that `step` gave for the sampled tokens",
        read=READ,
        what="row",
    )


@exercise("4.21", weight=0.5, after=["sampling_distribution"])
def test_one_token_is_greedy(student, rng):
    """With `top_k` 1 every token is the most likely; start and end may have other ids."""
    for start, end in ((2, 3), (0, 1)):
        search = Search(student, drawn(rng))
        found = sampled(search, 1, 7, 0, top_k=1, start=start, end=end)
        right = [[greedy(search.twin, 0, 7, start=start, end=end)]]
        compare(
            [[one] for one in found],
            right,
            otherwise="only one token is kept: this is greedy search",
            read=READ,
            what="row",
        )

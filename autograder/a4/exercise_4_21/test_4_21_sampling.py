"""Hidden tests of exercise 4.21: truncated probabilities, and sampling from them."""

from functools import partial

import torch

from autograder.a4.table_search import drawn, search
from grader.checking.question import question, refusal

READ = "the docstring of 4.21"
ask = partial(question, "4.21", read=READ)
TOP_P = "Holtzman et al. 2020; the docstring of 4.21"
NARROW = "divide by the temperature, keep the `top_k` most likely, of those the fewest that reach p"
PARTS = ["sampling_distribution"]


def distributions(its, rows, settings):
    """The probabilities for all (temperature, top_k, top_p)."""
    return {
        f"probabilities for temperature={temperature}, top_k={top_k}, top_p={top_p}": (
            its.sampling_distribution(rows, temperature=temperature, top_k=top_k, top_p=top_p)
        )
        for temperature, top_k, top_p in settings
    }


@ask(weight=4, advice=NARROW, read=TOP_P)
def test_top_p(its, rng):
    """The smallest set of most likely tokens that reaches p; with `top_k`, of those it keeps."""
    settings = [(1.0, None, 0.7), (0.6, None, 0.9), (1.5, None, 0.05), (1.0, None, 1.0)]
    settings += [(1.0, 4, 0.6), (1.3, 3, 0.8)]
    # Quarters and halves have no rounding errors. Which of equal tokens are kept is left open.
    equal = {n: torch.tensor([[1 / n] * n + [0.0] * (4 - n)]).log() for n in (4, 2)}
    return distributions(its, drawn(rng, 8, rows=4), settings) | {
        f"top_p={p} of {n} equal tokens, sorted": own.sort(-1).values
        for n, row in equal.items()
        for p in (0.5, 0.75)
        for own in [its.sampling_distribution(row, top_p=p)]
    }


@ask(weight=4, advice="divide by the temperature; keep the k most likely of each row, in place")
def test_top_k(its, rng):
    """Temperatures, and the k most likely tokens; of equal ones no more than k, of few all."""
    settings = [(1.0, None, None), (0.5, None, None), (3.0, None, None), (1.0, 3, None)]
    settings += [(0.7, 5, None), (1.0, 8, None), (1.0, 9, None), (2.0, 1, None)]
    equal = its.sampling_distribution(torch.full((1, 4), 0.25).log(), top_k=2)
    return distributions(its, drawn(rng, 8, rows=4), settings) | {
        "top_k=2 of four equal tokens, sorted": equal.sort(-1).values
    }


@ask(
    weight=0.5,
    needs_one_of=["test_frequencies", "test_top_p", "test_top_k"],
    advice="ValueError",
    corner=True,
)
def test_refused(its, rng):
    """Invalid settings raise a ValueError."""
    wrong = [
        ("temperature", 0.0),
        ("temperature", -1.0),
        ("top_k", 0),
        ("top_p", 0),
        ("top_p", 1.2),
    ]
    return {
        f"{name}={value}": refusal(
            lambda option={name: value}: its.sampling_distribution(drawn(rng, rows=2), **option)
        )
        for name, value in wrong
    }


@ask(weight=3, builds_on=PARTS, advice="torch.multinomial of `sampling_distribution`")
def test_frequencies(its):
    """Tokens are drawn with the probabilities of `sampling_distribution`."""
    # Of 1500 draws, a frequency is 0.08 off in one of 10⁹ runs.
    table, answer = torch.tensor([[0.4, 0.2, 0.12, 0.18, 0.05, 0.05]]).log(), {}
    step = its.make("lambda prefixes, state: (table.expand(len(prefixes), -1), state)", table=table)
    first = its.make("lambda found: [int([*one.tokens, 3][0]) for one in found]")
    for options in ({}, {"temperature": 0.4}, {"top_k": 2}, {"top_p": 0.35}):
        generator = its.make("torch.Generator().manual_seed(5)")
        found = its.sample(step, None, 1500, max_length=1, generator=generator, **options)
        tokens = first(found)
        shares = torch.tensor([tokens.count(token) for token in range(6)]) / 1500
        off = (shares - its.sampling_distribution(table, **options)[0]).abs().max()
        answer[f"frequencies are the probabilities, with {options or 'no options'}"] = off < 0.08
    return answer


@ask(weight=2, builds_on=PARTS, advice="torch.multinomial(…, generator=generator)")
def test_generator(its, rng):
    """Only `generator` decides: the global one is not used, unless there is none."""
    table, state = drawn(rng, sharpness=0.5), its.make("torch.get_rng_state")

    def made(seed=None):
        generator = its.make("seed and torch.Generator().manual_seed(seed)", seed=seed)
        return search(its, "sample", table, [0] * 12, max_length=6, generator=generator)[0]

    before, one, again, other = state(), made(1), made(1), made(2)
    return {
        "the global generator is not used": bool((state() == before).all()),
        "the hypotheses from equal generators are the same": one == again,
        "those from another generator are others": one != other,
        "without a generator, two samples are different": made() != made(),
    }


@ask(weight=3, builds_on=PARTS, advice="the score is that of `greedy`; pass `start` and `end` on")
def test_scores(its, rng):
    """The score is the model's own, without temperature and without truncation."""
    answer, other = {}, {"top_k": 1, "start": 0, "end": 1}
    for one in ({"top_k": 1}, {"top_p": 0.05}, other):  # one token is kept: it is greedy search
        options = {"what": f"with {one}, temperature=2", "max_length": 5, "temperature": 2.0} | one
        answer |= search(its, "sample", drawn(rng), range(4), **options)[0]
    return answer

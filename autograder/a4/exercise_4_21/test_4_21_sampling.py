"""Hidden tests of exercise 4.21: truncated probabilities, and sampling from them."""

from functools import partial

import torch

from autograder.a4.table_search import drawn, search
from grader.checking.question import question, refusal

READ = "the docstring of 4.21"
ask = partial(question, "4.21", read=READ)
TOP_P = "Holtzman et al. 2020; the docstring of 4.21"
NARROW = "divide by the temperature, keep the `top_k` most likely, of those the fewest that reach p"
AFTER = ["sampling_distribution"]
GENERATOR = "torch.Generator().manual_seed(seed)"


def distributions(its, rows, settings):
    """The probabilities for all (temperature, top_k, top_p), and whether `rows` have changed."""
    answer = {}
    for temperature, top_k, top_p in settings:
        options = {"temperature": temperature, "top_k": top_k, "top_p": top_p}
        called = its.call(its.sampling_distribution, rows, **options)
        what = f"temperature={temperature}, top_k={top_k}, top_p={top_p}"
        answer |= {f"probabilities for {what}": called.value, f"changed for {what}": called.changed}
    return answer


@ask(advice="divide the log probabilities, then normalize")
def test_temperature(its, rng):
    """Temperatures below and above 1, and 1 itself."""
    rows = drawn(rng, 8, rows=4)
    return distributions(its, rows, [(1.0, None, None), (0.5, None, None), (3.0, None, None)])


@ask(weight=2, advice="the k most likely of each row, at their own indices")
def test_top_k(its, rng):
    """The k most likely tokens, at their own indices; of equal ones no more than k."""
    settings = [(1.0, 3, None), (0.7, 5, None), (1.0, 8, None), (2.0, 1, None)]
    answer = distributions(its, drawn(rng, 8, rows=4), settings)
    equal = its.sampling_distribution(torch.full((1, 4), 0.25).log(), top_k=2)
    return answer | {"top_k=2 of four equal tokens, sorted": equal.sort(-1).values}


@ask(weight=0.5, advice="if there are fewer tokens than `top_k`, keep all")
def test_top_k_of_more(its, rng):
    """A `top_k` above the vocabulary size keeps every token."""
    return its.sampling_distribution(drawn(rng, rows=2), top_k=9)


@ask(weight=3, advice=NARROW, read=TOP_P)
def test_top_p(its, rng):
    """The smallest set of most likely tokens that reaches p; with `top_k`, of those it keeps."""
    settings = [(1.0, None, 0.7), (0.6, None, 0.9), (1.5, None, 0.05), (1.0, None, 1.0)]
    return distributions(its, drawn(rng, 8, rows=4), [*settings, (1.0, 4, 0.6), (1.3, 3, 0.8)])


@ask(advice="a set whose total equals `top_p` reaches it", read=TOP_P)
def test_top_p_is_reached(its):
    """A set that has exactly `top_p` is large enough, also if other tokens are as likely."""
    # Quarters and halves have no rounding errors. Which of equal tokens are kept is left open.
    equal = torch.zeros(1, 4).log_softmax(-1)
    half = torch.tensor([[0.0, 0.0, -torch.inf, -torch.inf]]).log_softmax(-1)
    return {
        f"top_p={top_p} of {name} tokens, sorted": its.sampling_distribution(row, top_p=top_p)
        .sort(-1)
        .values
        for name, row, top_p in (("four equal", equal, 0.5), ("four equal", equal, 0.75),
                                 ("two equal", half, 0.5), ("two equal", half, 0.75))
    }  # fmt: skip


@ask(weight=0.5, beside=["test_frequencies", "test_temperature", "test_top_k"], advice="ValueError")
def test_refused(its, rng):
    """Invalid settings raise a ValueError."""
    wrong = [
        {"temperature": 0.0},
        {"temperature": -1.0},
        {"top_k": 0},
        {"top_p": 0.0},
        {"top_p": 1.2},
    ]
    return {
        str(options): refusal(
            lambda options=options: its.sampling_distribution(drawn(rng, rows=2), **options)
        )
        for options in wrong
    }


@ask(weight=4, after=AFTER, atol=0.08, advice="torch.multinomial of `sampling_distribution`")
def test_frequencies(its):
    """Tokens are drawn with the probabilities of `sampling_distribution`."""
    # Of 4000 draws each, two frequencies are 0.08 apart in one of 10¹² runs.
    table = torch.tensor([0.4, 0.2, 0.12, 0.18, 0.05, 0.05]).log()
    step = its.make("lambda prefixes, state: (table.expand(len(prefixes), -1), state)", table=table)
    read = its.make("lambda rows: torch.tensor([[*h.tokens, 3][0] for h in rows])")
    answer = {}
    for options in ({}, {"temperature": 0.4}, {"top_k": 2}, {"top_p": 0.35}):
        generator = its.make(GENERATOR, seed=5)
        first = read(its.sample(step, None, 4000, 1, generator=generator, **options))
        shares = torch.bincount(torch.as_tensor(first), minlength=6) / 4000
        answer[f"frequencies of the tokens with {options or 'no options'}"] = shares
    return answer


@ask(after=AFTER, advice="torch.multinomial(…, generator=generator)")
def test_generator(its, rng):
    """Only `generator` decides: the global one is not used, unless there is none."""
    table, state = drawn(rng, sharpness=0.5), its.make("torch.get_rng_state")
    options = {"sentences": [0] * 12, "max_length": 6}

    def made(seed):
        return search(
            its, "sample", table, generator=its.make(GENERATOR, seed=seed), **options
        ).found

    before, one, again, other = state(), made(1), made(1), made(2)
    unused = bool(torch.equal(torch.as_tensor(state()), torch.as_tensor(before)))
    free = [search(its, "sample", table, **options).found for _ in range(2)]
    return {
        "the global generator is not used": unused,
        "the hypotheses from equal generators are the same": one == again,
        "those from another generator are others": one != other,
        "without a generator, two samples are different": free[0] != free[1],
    }


@ask(weight=3, after=AFTER, advice="the score is that of `greedy`")
def test_scores(its, rng):
    """The score is the model's own, without temperature and without truncation."""
    answer = {}
    for one in ({"top_k": 1}, {"top_p": 0.05}):  # one token is kept: the sample is greedy search
        found = search(its, "sample", drawn(rng), range(4), what=f"with {one}, temperature=2",
                       max_length=5, temperature=2.0, **one)  # fmt: skip
        answer |= found.found
    return answer


@ask(weight=0.5, after=AFTER, advice="pass `start` and `end` on")
def test_one_token_is_greedy(its, rng):
    """With `top_k` 1 every token is the most likely; start and end may have other ids."""
    answer = {}
    for start, end in ((2, 3), (0, 1)):
        options = {"max_length": 7, "top_k": 1, "start": start, "end": end}
        what = f"with start={start}, end={end}"
        answer |= search(its, "sample", drawn(rng), what=what, **options).found
    return answer

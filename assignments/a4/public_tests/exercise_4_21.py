"""The visible checks of exercise 4.21: sampling."""

from functools import partial

import torch

from grader.checking.question import question, refusal

READ = "exercise 4.21"
ask = partial(question, "4.21", read=READ)
SHARES = torch.tensor([[0.1, 0.4, 0.2, 0.3], [0.7, 0.05, 0.15, 0.1]])
LOGS = SHARES.log()


@ask(weight=2, advice="divide the log probabilities, then normalize")
def test_temperature(its):
    """Temperature 1 changes nothing; ½ squares the probabilities."""
    return {
        "probabilities at temperature 1": its.sampling_distribution(LOGS),
        "probabilities at temperature ½": its.sampling_distribution(LOGS, temperature=0.5),
        "temperature 0": refusal(lambda: its.sampling_distribution(LOGS, temperature=0.0)),
    }


@ask(weight=2, advice="the two most likely, at their own places")
def test_top_k(its):
    """The two most likely tokens of each row, normalized."""
    return {f"top_k={k}": its.sampling_distribution(LOGS, top_k=k) for k in (2, 9)}


@ask(weight=2, advice="0.4 + 0.3 reaches 0.6, 0.7 alone, too", read="Holtzman et al. 2020")
def test_top_p(its):
    """The smallest set of tokens that reaches `top_p`, for each row separately."""
    equal = its.sampling_distribution(torch.zeros(1, 4).log_softmax(-1), top_p=0.5)
    return {
        "top_p=0.6": its.sampling_distribution(LOGS, top_p=0.6),
        "top_k=3 and top_p=0.44": its.sampling_distribution(LOGS, top_k=3, top_p=0.44),
        "top_p=0.5 of four equal tokens, sorted": equal.sort(-1).values,
    }


READER = "lambda found: [[list(h.tokens), round(float(h.score), 3)] for h in found]"
STEP = "lambda prefixes, state: (table[prefixes[:, -1]].log(), state)"
# Two tokens can follow the start, 0 and 1, and both end.
FOLLOWS = torch.tensor([[0.02, 0.02, 0.02, 0.94], [0.02, 0.02, 0.02, 0.94], [0.7, 0.3, 0, 0]])


def sampled(its, seed, n_rows=400, **options):
    """[tokens, score] of every row."""
    step, generator = (
        its.make(STEP, table=FOLLOWS),
        its.make(f"torch.Generator().manual_seed({seed})"),
    )
    return its.make(READER)(its.sample(step, None, n_rows, 2, generator=generator, **options))


@ask(weight=2, after=["sampling_distribution"], atol=0.2, advice="torch.multinomial")
def test_draws(its):
    """Tokens are drawn with their probabilities, from the given generator."""
    first = sampled(its, 1)
    return {
        "about 0.7 of the rows begin with 0": sum(t[:1] == [0] for t, _ in first) / len(first),
        "a second draw with the same seed is the same": sampled(its, 1) == first,
        "one with another seed is not": sampled(its, 2) != first,
    }


@ask(weight=3, after=["sampling_distribution"], advice="pass all on; the score is `greedy`'s")
def test_narrow_draws(its):
    """top_k = 1 is greedy search; scores are the model's own at any temperature."""
    cases = ({"top_k": 1}, {"top_p": 0.4}, {"temperature": 0.01})
    return {
        f"different {part} with {options}": sorted(
            {str(row[place]) for row in sampled(its, 3, 40, **options)}
        )
        for options in cases
        for place, part in enumerate(("tokens", "scores"))
    }

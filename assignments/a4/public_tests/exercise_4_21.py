"""The visible checks of exercise 4.21: sampling."""

from functools import partial

import torch

from grader.checking.question import question, refusal

ask = partial(question, "4.21", read="exercise 4.21")
LOGS = torch.tensor([[0.1, 0.4, 0.2, 0.3], [0.7, 0.05, 0.15, 0.1]]).log()


@ask(weight=3, advice="divide the log probabilities; keep the two most likely; normalize")
def test_temperature(its):
    """Temperature 1 changes nothing, ½ squares the probabilities; the two most likely tokens."""
    equal = its.sampling_distribution(torch.zeros(1, 4).log_softmax(-1), top_k=2)
    return {
        "probabilities at temperature 1": its.sampling_distribution(LOGS),
        "probabilities at temperature ½": its.sampling_distribution(LOGS, temperature=0.5),
        "temperature 0": refusal(lambda: its.sampling_distribution(LOGS, temperature=0.0)),
        "top_k=2": its.sampling_distribution(LOGS, top_k=2),
        "top_k=9": its.sampling_distribution(LOGS, top_k=9),
        "top_k=2 of four equal tokens, sorted": equal.sort(-1).values,
    }


@ask(weight=3, advice="0.4 + 0.3 reaches 0.6, 0.7 alone, too", read="Holtzman et al. 2020")
def test_top_p(its):
    """The smallest set of tokens that reaches `top_p`, for each row separately."""
    equal = its.sampling_distribution(torch.zeros(1, 4).log_softmax(-1), top_p=0.5)
    return {
        "top_p=0.6": its.sampling_distribution(LOGS, top_p=0.6),
        "top_k=3 and top_p=0.44": its.sampling_distribution(LOGS, top_k=3, top_p=0.44),
        "temperature=2 and top_p=0.5": its.sampling_distribution(LOGS, 2.0, top_p=0.5),
        "top_p=0.5 of four equal tokens, sorted": equal.sort(-1).values,
    }


# Two tokens can follow the start, 0 and 1, and both end.
STEP = "lambda prefixes, state: (table[prefixes[:, -1]].log(), state)"
FOLLOWS = torch.tensor([[0.02, 0.02, 0.02, 0.94], [0.02, 0.02, 0.02, 0.94], [0.7, 0.3, 0, 0]])
READER = "lambda found: [[list(h.tokens), round(float(h.score), 3)] for h in found]"


def sampled(its, seed, n_rows=400, **options):
    """[tokens, score] of every row."""
    step = its.make(STEP, table=FOLLOWS)
    generator = its.make("seed and torch.Generator().manual_seed(seed)", seed=seed)
    return its.make(READER)(its.sample(step, None, n_rows, 2, generator=generator, **options))


@ask(weight=5, builds_on=["sampling_distribution"], advice="torch.multinomial; pass all on")
def test_draws(its):
    """Draws from the generator; top_k = 1 is greedy search; scores are the model's own."""
    first, cases = sampled(its, 1), [{"top_p": 0.4}, {"temperature": 0.01}]
    cases += [{"top_k": 1} | own for own in ({}, {"start": 1}, {"end": 0})]
    share = sum(tokens[:1] == [0] for tokens, _ in first) / len(first)
    return {
        "about 0.7 of the rows begin with 0": abs(share - 0.7) < 0.15,  # 6 standard deviations
        "a second draw with the same seed is the same": sampled(its, 1) == first,
        "one with another seed is not": sampled(its, 2) != first,
        "two without a generator are different": sampled(its, None) != sampled(its, None),
    } | {
        f"different hypotheses with {options}": sorted(
            set(map(str, sampled(its, 3, 40, **options)))
        )
        for options in cases
    }

"""The visible checks of exercise 4.21: sampling."""

import math

import torch

from grader.checking import expect
from grader.checking.exercise import exercise

# Expectations are set like tables: value, causes, hint, section.
# fmt: off

SHARES = torch.tensor([[0.1, 0.4, 0.2, 0.3], [0.7, 0.05, 0.15, 0.1]])
LOGS = SHARES.log()


def part(keep):
    """The probabilities that are kept, normalized to sum to 1."""
    kept = SHARES * torch.tensor(keep)
    return kept / kept.sum(-1, keepdim=True)


@exercise("4.21")
def test_temperature(student):
    """Temperature 1 changes nothing; ½ squares the probabilities."""
    expect.close(student.sampling_distribution(LOGS), SHARES, atol=1e-5,
                 what="probabilities at temperature 1",
                 read="exercise 4.21")
    squares, roots = SHARES**2, SHARES**0.5
    expect.close(
        student.sampling_distribution(LOGS, temperature=0.5),
        squares / squares.sum(-1, keepdim=True), atol=1e-5,
        what="probabilities at temperature ½",
        otherwise="divide the log probabilities, then normalise", read="exercise 4.21")
    expect.raises(lambda: student.sampling_distribution(LOGS, temperature=0.0),
                  read="exercise 4.21",
                  otherwise="raise a ValueError: temperature must be above 0")


@exercise("4.21")
def test_top_k(student):
    """The two most likely tokens of each row, normalized."""
    expect.close(
        student.sampling_distribution(LOGS, top_k=2), part([[0, 1, 0, 1], [1, 0, 1, 0]]), atol=1e-5,
        read="exercise 4.21")
    every = student.sampling_distribution(LOGS, top_k=9)
    expect.close(every, SHARES, atol=1e-5, what="the nine most likely of four",
                 read="exercise 4.21")


@exercise("4.21")
def test_top_p(student):
    """The smallest set of tokens that reaches `top_p`, for each row separately."""
    expect.close(
        student.sampling_distribution(LOGS, top_p=0.6), part([[0, 1, 0, 1], [1, 0, 0, 0]]),
        atol=1e-5,
        otherwise="0.4 + 0.3 reaches 0.6, and so does 0.7 alone", read="Holtzman et al. 2020")
    both = student.sampling_distribution(LOGS, top_k=3, top_p=0.44)
    expect.close(
        both, part([[0, 1, 0, 0], [1, 0, 0, 0]]), atol=1e-5, what="top_k = 3 and top_p = 0.44",
        read="exercise 4.21")


READ = "lambda found: [[list(h.tokens), float(h.score)] for h in found]"
STEP = "lambda prefixes, state: (table[prefixes[:, -1]].log(), state)"
# Two tokens can follow the start, 0 and 1, and both end.
FOLLOWS = torch.tensor([[0.02, 0.02, 0.02, 0.94], [0.02, 0.02, 0.02, 0.94], [0.7, 0.3, 0.0, 0.0],
                        [0.25, 0.25, 0.25, 0.25]])


def sampled(student, seed, n_rows=200, **options):
    step = student.make(STEP, table=FOLLOWS)
    generator = student.make(f"torch.Generator().manual_seed({seed})")
    rows = student.sample(step, None, n_rows, 5, generator=generator, **options)
    expect.parts(rows, n_rows, otherwise="one hypothesis per row", read="exercise 4.21")
    return student.make(READ)(rows)


@exercise("4.21", after=["sampling_distribution"])
def test_draws(student):
    """Tokens are drawn with their probabilities, from the given generator."""
    first = sampled(student, 1)
    share = sum(tokens[:1] == [0] for tokens, _ in first) / 200
    expect.by_chance(share, 0.7, math.sqrt(0.7 * 0.3 / 200), read="exercise 4.21",
                     what="the fraction of rows that begin with token 0",
                     otherwise="sample from the probabilities: torch.multinomial")
    expect.equal(sampled(student, 1), first, what="a second draw with the same seed",
                 otherwise="pass the generator on", read="exercise 4.21")
    expect.true(sampled(student, 2) != first, expected="different tokens with a different seed",
                got="the same", read="exercise 4.21")


@exercise("4.21", after=["sampling_distribution"])
def test_narrow_draws(student):
    """top_k = 1 is greedy search; scores are the model's own at any temperature."""
    for tokens, score in sampled(student, 3, n_rows=4, top_k=1, temperature=5.0):
        expect.equal(tokens, [0], what="tokens with top_k = 1", read="exercise 4.21",
                     otherwise="pass temperature, top_k and top_p on to sampling_distribution")
        expect.close(score, math.log(0.7 * 0.94), atol=1e-4, what="its score",
                     read="exercise 4.21")

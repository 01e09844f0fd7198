"""The visible checks of exercise L1.6: draw the next token."""

import math

import torch

from grader.checking import expect
from grader.checking.exercise import exercise

# Expectations are set like tables: value, causes, hint, section.
# fmt: off

SHARES = torch.tensor([0.1, 0.4, 0.2, 0.3])
LOGITS = (SHARES.log() + 3.0).expand(400, 4)  # logits: known up to a constant


def drawn(student, seed=1, logits=LOGITS, temperature=1.0, top_k=None, top_p=None):
    generator = student.make(f"torch.Generator().manual_seed({seed})")
    return student.next_tokens(logits, temperature, top_k, top_p, generator)


def share(tokens, token):
    return (tokens == token).float().mean()


@exercise("L1.6", beside=["test_shares"])
def test_the_most_likely(student):
    """At temperature 0, the most likely token of each row."""
    logits = torch.tensor([[0.0, 2.0, 1.0], [3.0, 0.0, 1.0]])
    with expect.raising(otherwise="temperature 0 cannot divide: take the most likely token",
                        read="exercise L1.6"):
        tokens = drawn(student, logits=logits, temperature=0)
    expect.equal(tokens.tolist(), [1, 0], what="tokens at temperature 0", read="exercise L1.6")


@exercise("L1.6", weight=2)
def test_shares(student):
    """Each row's token is drawn with its probability, by the given generator."""
    tokens = drawn(student)
    expect.shape(tokens, (400,), read="exercise L1.6", what="tokens",
                 otherwise="one number a row: multinomial returns a column")
    expect.by_chance(share(tokens, 1), 0.4, math.sqrt(0.4 * 0.6 / 400), read="exercise L1.6",
                     what="the fraction of rows with token 1",
                     otherwise="draw from sampling_distribution")
    expect.equal(drawn(student).tolist(), tokens.tolist(), what="a second draw with the same seed",
                 otherwise="pass the generator to torch.multinomial", read="exercise L1.6")


@exercise("L1.6")
def test_narrowed(student):
    """temperature, top_k and top_p are passed on."""
    for how, others in (({"top_k": 2}, [0, 2]), ({"top_p": 0.5}, [0, 2])):
        got = sum(float(share(drawn(student, **how), token)) for token in others)
        name, value = next(iter(how.items()))
        expect.equal(got, 0.0, what=f"the fraction of other tokens with {name} = {value}",
                     otherwise=f"pass {name} on to sampling_distribution", read="exercise L1.6")
    cold = share(drawn(student, temperature=0.1), 1)
    expect.above(float(cold), 0.7, expected="nearly always the most likely at temperature 0.1",
                 otherwise="pass the temperature on to sampling_distribution", read="exercise L1.6")

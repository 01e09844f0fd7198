"""The visible checks of exercise L2.1: hide words."""

import math

import torch

from grader.checking import expect
from grader.checking.exercise import exercise

# Expectations are set like tables: value, causes, hint, section.
# fmt: off

SPECIAL, MASK, VOCAB = 5, 4, 45  # ids below 5 are special tokens, 4 is [MASK]
WORDS = torch.randint(SPECIAL, VOCAB, (200, 60), generator=torch.Generator().manual_seed(1))
READ = "Devlin et al. 2019, section 3.1"


def masked(student, token_ids=WORDS, share=0.15, seed=1):
    generator = student.make(f"torch.Generator().manual_seed({seed})")
    found = student.mask_tokens(token_ids, VOCAB, generator, share)
    return expect.parts(found, 2, read="exercise L2.1", otherwise="return (inputs, targets)")


@exercise("L2.1", weight=2)
def test_what_is_asked(student):
    """A share of the words is asked for; the target of each is what stood there."""
    inputs, targets = masked(student)
    asked = targets != -100
    expect.by_chance(asked.float().mean(), 0.15, math.sqrt(0.15 * 0.85 / WORDS.numel()),
                     what="the share of words that are asked for", read=READ,
                     otherwise="choose each word with probability `share`")
    expect.close(
        targets[asked], WORDS[asked], what="targets of the chosen words", read=READ,
        otherwise="the words before they were hidden")
    expect.close(inputs[~asked], WORDS[~asked], what="inputs at the other words", read=READ,
                 otherwise="only chosen words are hidden")


@exercise("L2.1", weight=2)
def test_80_10_10(student):
    """Of the chosen words, 80 % become [MASK], 10 % a random word, 10 % stay."""
    inputs, targets = masked(student, share=0.5)
    asked = targets != -100
    read, wanted, n = inputs[asked], WORDS[asked], int(asked.sum())
    hidden, same = read == MASK, read == wanted
    shares = torch.stack([hidden, ~hidden & ~same, same]).float().mean(1)
    by_luck = 0.1 / (VOCAB - SPECIAL)  # a random word that is the same
    want = torch.tensor([0.8, 0.1 - by_luck, 0.1 + by_luck])
    expect.by_chance(
        shares, want, (want * (1 - want) / n).sqrt(), read=READ,
        what="shares of [MASK], of another word and of the same word",
        otherwise="0.8, 0.1 and 0.1 of the chosen ones: compare one draw with 0.8 and 0.9 · share")
    others = read[~hidden & ~same]
    expect.true(bool((others >= SPECIAL).all()), expected="random words without special tokens",
                got=f"token {int(others.min())} among them", read=READ,
                because="a random word is a special token: draw ids from len(SPECIAL) on")


@exercise("L2.1", beside=["test_what_is_asked"])
def test_special(student):
    """Special tokens and padding are never chosen."""
    texts = WORDS.clone()
    texts[:, 0], texts[:, -1], texts[100:, 40:] = 2, 3, 0
    inputs, targets = masked(student, texts, share=0.5)
    special = texts < SPECIAL
    expect.true(
        not bool((targets[special] != -100).any()), expected="no special token in the targets",
        got=f"{int((targets[special] != -100).sum())} of them", read=READ,
        because="special tokens are hidden too: choose among ids from len(SPECIAL) on")
    expect.close(inputs[special], texts[special], what="inputs at special tokens", read=READ,
                 otherwise="special tokens stay")


@exercise("L2.1", beside=["test_what_is_asked"])
def test_draws(student):
    """What is hidden depends on the generator alone; a share outside (0, 1) is refused."""
    first = masked(student)[1]
    expect.true(torch.equal(masked(student)[1], first), expected="the same gaps with the same seed",
                got="others", because="draw from the given generator", read="exercise L2.1")
    for share in (0.0, 1.0):
        expect.raises(lambda share=share: masked(student, share=share), read="exercise L2.1",
                      otherwise="raise a ValueError unless 0 < share < 1")

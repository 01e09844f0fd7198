"""Hidden tests of exercise 4.1: the mask of the decoder's self-attention."""

import torch

from autograder.a3.answers import answered
from autograder.a4.decoder_reference import causal, real
from grader.checking import expect
from grader.checking.exercise import exercise
from grader.checking.known_mistakes import known_mistakes

MISTAKE = known_mistakes(__file__)

READ = "§3.2.3; exercise 4.1"
WAY = "real tokens, (batch, 1, 1, n), and tokens that are not later, (1, 1, n, n): both must hold"


def check(got, ids, pad_id, what):
    n = ids.shape[1]
    padding, order = real(ids, pad_id), causal(n)
    shape = (len(ids), 1, n, n)
    expect.dtype(got, "bool", what=what, otherwise="combine booleans with `&`", read=READ)
    queries = padding.transpose(-1, -2)
    causes = {
        "the axis for heads is missing: (batch, 1, n, n)": (padding & order)[:, 0],
        MISTAKE.target_future_visible: padding,
        MISTAKE.target_causal_mask_alone: order,
        MISTAKE.target_pads_visible: order.expand(shape),
        "the future is visible: only the padding is hidden": padding.expand(shape),
        MISTAKE.target_masks_combined_by_or: padding | order,
        MISTAKE.target_queries_hidden: queries & order,
        "the queries at the padding see nothing: hide only keys": padding & queries & order,
        "inverted: True means may attend": ~(padding & order),
        "future leak by one: a position sees the next token": padding
        & torch.ones(n, n, dtype=torch.bool).tril(1),
        MISTAKE.causal_diagonal_blocked: padding & torch.ones(n, n, dtype=torch.bool).tril(-1),
    }
    if pad_id:
        causes[MISTAKE.target_pad_id_ignored] = real(ids, 0) & order
    expect.close(got, padding & order, otherwise=WAY, read=READ, what=what)


def draw(rng, pad_id, n=6):
    """Sentences of 6, 4, 2 and 1 tokens."""
    ids = torch.from_numpy(rng.integers(1, 9, size=(4, n)))
    ids[ids == pad_id] = 9
    for row, length in enumerate((n, 4, 2, 1)):
        ids[row, length:] = pad_id
    return ids


def ask(student, *arguments, **options):
    return answered(lambda: student.call(student.target_mask, *arguments, **options), WAY, READ)


@exercise("4.1", weight=2, after=["causal_mask"])
def test_values(student, rng):
    """True at real tokens that are not later, (batch, 1, n, n) and boolean."""
    for n in (6, 4):
        ids = draw(rng, 0, n)
        called = ask(student, ids)
        check(called.value, ids, 0, "target_mask(token_ids)")
        expect.unchanged(called.changed)


@exercise("4.1", after=["causal_mask"])
def test_another_pad_id(student, rng):
    """`pad_id` marks padding anywhere in a sentence; then 0 is an ordinary token."""
    ids = draw(rng, 3)
    ids[0, 2], ids[1, 0] = 0, 3
    check(ask(student, ids, 3).value, ids, 3, "target_mask(token_ids, 3)")
    check(ask(student, ids, pad_id=3).value, ids, 3, "target_mask(token_ids, pad_id=3)")


@exercise("4.1", after=["causal_mask"])
def test_without_padding(student, rng):
    """Without padding, each sentence gets the causal mask; also one sentence, and one token."""
    for shape in ((3, 5), (1, 4), (2, 1)):
        ids = torch.from_numpy(rng.integers(1, 9, size=shape))
        check(ask(student, ids).value, ids, 0, f"target_mask for sentences of shape {shape}")

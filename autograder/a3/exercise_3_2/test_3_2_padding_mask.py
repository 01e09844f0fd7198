"""Hidden tests of exercise 3.2: the padding mask."""

import torch

from grader.checking import expect
from grader.checking.exercise import exercise
from grader.checking.known_mistakes import known_mistakes

MISTAKE = known_mistakes(__file__)

READ = "exercise 3.2; the mask convention of assignment 2: True = may attend"


def check(got, token_ids, pad_id, what):
    real = (token_ids != pad_id)[:, None, None, :]
    batch, n = token_ids.shape
    expect.shape(
        got,
        (batch, 1, 1, n),
        what=what,
        otherwise="(batch, 1, 1, n): the axes of size 1 broadcast over heads and queries",
        read=READ,
    )
    expect.dtype(got, "bool", what=what, otherwise="a comparison returns booleans", read=READ)
    expect.close(
        got,
        real,
        otherwise="compare every id with pad_id",
        read=READ,
        what=what,
    )


def draw(rng, pad_id, n=7):
    ids = torch.from_numpy(rng.integers(1, 9, size=(4, n)))
    ids[ids == pad_id] = 9
    for row, length in enumerate((n, 5, 2, 1)):
        ids[row, length:] = pad_id
    return ids


@exercise("3.2", weight=2)
def test_values(student, rng):
    """True at real tokens, False at padding, (batch, 1, 1, n) and boolean."""
    ids = draw(rng, 0)
    called = student.call(student.padding_mask, ids)
    check(called.value, ids, 0, "padding_mask(token_ids)")
    expect.unchanged(called.changed)


@exercise("3.2")
def test_another_pad_id(student, rng):
    """`pad_id` marks padding anywhere in a sentence; then 0 is an ordinary token."""
    ids = draw(rng, 3)
    ids[0, 2], ids[1, 0] = 0, 3
    check(student.padding_mask(ids, 3), ids, 3, "padding_mask(token_ids, 3)")
    check(student.padding_mask(ids, pad_id=3), ids, 3, "padding_mask(token_ids, pad_id=3)")


@exercise("3.2")
def test_nothing_but_padding(student):
    """A sentence of only padding is all False, one without padding all True."""
    ids = torch.tensor([[0, 0, 0], [4, 5, 6]])
    check(student.padding_mask(ids), ids, 0, "padding_mask([[0, 0, 0], [4, 5, 6]])")


@exercise("3.2")
def test_broadcasts_to_scores(student, rng):
    """The mask fits scores of (batch, heads, queries, keys) and hides the same keys from all."""
    ids = draw(rng, 0, n=4)
    mask = student.padding_mask(ids)
    expect.true(
        torch.is_tensor(mask) and mask.ndim == 4,
        expected="a tensor of four axes",
        got=f"{type(mask).__name__} of {getattr(mask, 'ndim', 0)} axes",
        otherwise="(batch, 1, 1, n): the axes of size 1 broadcast over heads and queries",
        read=READ,
    )
    check(mask, ids, 0, "the mask")
    seen = mask.expand(4, 2, 4, 4)
    expect.close(seen[1, 0, 3], ids[1] != 0, read=READ, what="what query 3 of sentence 1 sees")

"""Hidden tests of exercise 4.1: the mask of the decoder's self-attention."""

from functools import partial

import torch

from grader.checking.question import question

ask = partial(question, "4.1", builds_on=["causal_mask"], read="§3.2.3; exercise 4.1")
BOTH = "real tokens, (batch, 1, 1, n), that are not later, (1, 1, n, n): both must be so"


def draw(rng, pad_id):
    """Sentences of 6, 4, 2 and 1 tokens."""
    ids = torch.from_numpy(rng.integers(1, 9, size=(4, 6)))
    real = torch.arange(6) < torch.tensor([6, 4, 2, 1])[:, None]
    return ids.where(ids != pad_id, 9).where(real, pad_id)


@ask(weight=3, advice=BOTH)
def test_values(its, rng):
    """True at real tokens that are not later, (batch, 1, n, n) and boolean, padded or not."""
    ids = draw(rng, 0)
    masks = [its.target_mask(one) for one in (ids, ids[1:], ids[:, :4], ids[:1], ids[:, :1])]
    return {f"mask {n}": mask for n, mask in enumerate(masks)} | {"dtype": str(masks[0].dtype)}


@ask(weight=2, advice="padding is every token equal to pad_id")
def test_another_pad_id(its, rng):
    """`pad_id` marks padding anywhere in a sentence; then 0 is an ordinary token."""
    ids = draw(rng, 3)
    ids[0, 2], ids[1, 0] = 0, 3
    return {"pad_id = 3": its.target_mask(ids, 3), "by name": its.target_mask(ids, pad_id=3)}

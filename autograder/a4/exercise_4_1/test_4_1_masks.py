"""Hidden tests of exercise 4.1: the causal mask, and the mask of the decoder's self-attention."""

from functools import partial

import torch

from grader.checking.question import question

ROWS = "row i is True up to column i, and False from there on"
READ = "§3.2.3; the mask convention of assignment 2: True = may attend"
ask = partial(question, "4.1", builds_on=["causal_mask"], read="§3.2.3; exercise 4.1")
BOTH = "real tokens, (batch, 1, 1, n), that are not later, (1, 1, n, n): both must be so"


@question("4.1", weight=3, advice=ROWS, read=READ)
def test_causal_mask(its):
    """True on the diagonal and below, (1, 1, n, n) and boolean."""
    masks = {f"causal_mask({n})": its.causal_mask(n) for n in (5, 2, 1)}
    return masks | {"dtypes": [str(mask.dtype) for mask in masks.values()]}


@question("4.1", advice="make it on `device`", read="the signature of 4.1", corner=True)
def test_device(its):
    """The mask is made on `device`, by default on the CPU."""
    # torch's "meta" device is on every machine: tensors without values
    where = its.make("lambda make: [make(4, *d).device.type for d in ((), ('meta',))]")
    return {"devices of causal_mask(4) and causal_mask(4, 'meta')": where(its.causal_mask)}


def draw(rng, pad_id):
    """Sentences of 6, 4, 2 and 1 tokens."""
    ids = torch.from_numpy(rng.integers(1, 9, size=(4, 6)))
    real = torch.arange(6) < torch.tensor([6, 4, 2, 1])[:, None]
    return ids.where(ids != pad_id, 9).where(real, pad_id)


@ask(weight=3, advice=BOTH)
def test_target_mask(its, rng):
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

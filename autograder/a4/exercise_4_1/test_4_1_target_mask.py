"""Hidden tests of exercise 4.1: the mask of the decoder's self-attention."""

import torch

from grader.checking.question import question

READ = "§3.2.3; exercise 4.1"
BOTH = "real tokens, (batch, 1, 1, n), that are not later, (1, 1, n, n): both must be so"


def draw(rng, pad_id, n=6):
    """Sentences of 6, 4, 2 and 1 tokens."""
    ids = torch.from_numpy(rng.integers(1, 9, size=(4, n)))
    real = torch.arange(n) < torch.tensor([n, 4, 2, 1])[:, None]
    return ids.where(ids != pad_id, 9).where(real, pad_id)


@question("4.1", weight=2, after=["causal_mask"], advice=BOTH, read=READ)
def test_values(its, rng):
    """True at real tokens that are not later, (batch, 1, n, n) and boolean."""
    called = {n: its.call(its.target_mask, draw(rng, 0, n)) for n in (6, 4)}
    return {f"the mask of {n} tokens": one.value for n, one in called.items()} | {
        "dtype": str(called[6].value.dtype),
        "arguments that it changed": [one.changed for one in called.values()],
    }


@question("4.1", after=["causal_mask"], advice="padding is every token equal to pad_id", read=READ)
def test_another_pad_id(its, rng):
    """`pad_id` marks padding anywhere in a sentence; then 0 is an ordinary token."""
    ids = draw(rng, 3)
    ids[0, 2], ids[1, 0] = 0, 3
    return {"pad_id = 3": its.target_mask(ids, 3), "by name": its.target_mask(ids, pad_id=3)}


@question("4.1", after=["causal_mask"], advice=BOTH, read=READ)
def test_without_padding(its, rng):
    """Without padding, each sentence gets the causal mask; also one sentence, and one token."""
    drawn = [torch.from_numpy(rng.integers(1, 9, shape)) for shape in ((3, 5), (1, 4), (2, 1))]
    return {f"token ids of shape {tuple(ids.shape)}": its.target_mask(ids) for ids in drawn}

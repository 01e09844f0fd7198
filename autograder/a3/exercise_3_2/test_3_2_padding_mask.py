"""Hidden tests of exercise 3.2: the padding mask."""

import torch

from grader.checking.question import question

READ = "exercise 3.2; the mask convention of assignment 2: True = may attend"
AXES = "(batch, 1, 1, n): the axes of size 1 broadcast over heads and queries"


def draw(rng, pad_id):
    """Four sentences of 7, 5, 2 and 1 tokens."""
    ids = torch.from_numpy(rng.integers(1, 9, size=(4, 7)))
    ids[ids == pad_id] = 9
    for row, length in enumerate((7, 5, 2, 1)):
        ids[row, length:] = pad_id
    return ids


@question("3.2", weight=2, advice=AXES, read=READ)
def test_values(its, rng):
    """True at real tokens, False at padding, (batch, 1, 1, n)."""
    called = its.call(its.padding_mask, draw(rng, 0))
    return {
        "the mask": called.value,
        "arguments that it changed": called.changed,
        "the mask of nothing but padding": its.padding_mask(torch.tensor([[0, 0, 0], [4, 5, 6]])),
        "the mask of one token": its.padding_mask(torch.tensor([[7]])),
    }


@question("3.2", advice="compare every id with pad_id", read=READ)
def test_another_pad_id(its, rng):
    """`pad_id` marks padding anywhere in a sentence, then 0 is an ordinary token; boolean."""
    ids = draw(rng, 3)
    ids[0, 2], ids[1, 0], ids[2, 0] = 0, 3, 1
    ids[3, :3] = torch.tensor([3, 8, 3])
    mask = its.padding_mask(ids, 3)
    return {"3": mask, "pad_id=3": its.padding_mask(ids, pad_id=3), "dtype": str(mask.dtype)}

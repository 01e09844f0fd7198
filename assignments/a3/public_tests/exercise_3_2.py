"""The visible checks of exercise 3.2: the padding mask."""

import torch

from grader.checking.question import question

SENTENCES = torch.tensor([[5, 7, 6, 3], [4, 8, 0, 0]])  # two real tokens in the second


@question("3.2", advice="two axes of size 1 between batch and keys", read="exercise 3.2")
def test_real_tokens(its):
    """True at real tokens, False at padding, with axes for heads and queries."""
    return its.padding_mask(SENTENCES)


@question("3.2", advice="compare every id with pad_id", read="exercise 3.2")
def test_other_padding(its):
    """`pad_id` says which id is padding; the mask is boolean."""
    mask = its.padding_mask(SENTENCES, pad_id=7)
    return {"the mask": mask, "its dtype": str(mask.dtype)}

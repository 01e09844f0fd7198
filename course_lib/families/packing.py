"""Packed rows: several texts in one row, kept apart by a block mask and positions that restart.

    texts = [[1, 1, 1, 2, 2, 0]]      # the text that each position of a row belongs to; 0: padding

A packed text gets what it gets in a row of its own, and fewer positions are padding.
"""

import torch
from jaxtyping import Bool, Int
from torch import Tensor


def block_mask(texts: Int[Tensor, "batch n"]) -> Bool[Tensor, "batch 1 n n"]:
    """Positions attend within their own text (True = may attend); nothing attends to padding."""
    same = texts[:, None, :, None] == texts[:, None, None, :]
    return same & (texts != 0)[:, None, None, :]


def restarted_positions(texts: Int[Tensor, "batch n"]) -> Int[Tensor, "batch n"]:
    """The position of each token in its own text, from 0; a text takes adjacent positions."""
    places = torch.arange(texts.shape[1], device=texts.device).expand_as(texts)
    begins = torch.ones_like(texts, dtype=torch.bool)
    begins[:, 1:] = texts[:, 1:] != texts[:, :-1]
    return places - torch.where(begins, places, 0).cummax(dim=1).values

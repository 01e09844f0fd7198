"""The padding mask, until assignment 3 is over."""

import torch


def padding_mask(token_ids, pad_id=0):
    """True for real tokens, `(batch, 1, 1, n)`: it broadcasts over heads and queries."""
    return torch.sgn(token_ids - pad_id).bool().unflatten(-1, (1, 1, -1))

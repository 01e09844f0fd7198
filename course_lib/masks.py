"""Padding and causal masks. Boolean, True = may attend (see `attention`).

Paper statements R10, R29 (lectures/paper_audit.md).
"""

import torch
from jaxtyping import Bool, Int
from torch import Tensor


def padding_mask(token_ids: Int[Tensor, "batch n"], pad_id: int = 0) -> Bool[Tensor, "batch 1 1 n"]:
    """Hide the padding from every query of every head: True at real tokens.

    The sentences of a batch are padded to one length with `pad_id`, which must not be attended to.
    The axes of size 1 broadcast over heads and queries.
    """
    # §3.2.3 — the form of the mask of Eq. 1; the paper leaves the masking of padding to its code
    return (token_ids != pad_id)[:, None, None, :]


def causal_mask(n: int, device: torch.device | str | None = None) -> Bool[Tensor, "1 1 n n"]:
    """No position attends to a later one (§3.2.3): True on the diagonal and below it.

    A position may attend to itself: its input token has already been generated.
    """
    # §3.1 — "predictions for position i can depend only on the known outputs at positions less
    # than i", because the targets are shifted by one
    return torch.ones(1, 1, n, n, dtype=torch.bool, device=device).tril()


def target_mask(token_ids: Int[Tensor, "batch n"], pad_id: int = 0) -> Bool[Tensor, "batch 1 n n"]:
    """The mask of a decoder's self-attention: real tokens that are not later (§3.2.3)."""
    return padding_mask(token_ids, pad_id) & causal_mask(token_ids.shape[1], token_ids.device)

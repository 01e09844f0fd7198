"""Masks: who may attend to whom. Boolean, True = may attend (see `attention`)."""

from jaxtyping import Bool, Int
from torch import Tensor


def padding_mask(token_ids: Int[Tensor, "batch n"], pad_id: int = 0) -> Bool[Tensor, "batch 1 1 n"]:
    """Hide the padding from every query of every head: True where a real token stands.

    Sentences of a batch are filled up to one length with `pad_id`; what fills them is no word and
    must not be attended to. The axes of size 1 broadcast over heads and queries.
    """
    # §3.2.3 — the form of the mask of Eq. 1; that padding is masked, the paper leaves to its code
    return (token_ids != pad_id)[:, None, None, :]

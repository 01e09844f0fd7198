"""Word dropout: in training, replace random words by [UNK], differently in each epoch."""

from collections.abc import Iterator
from typing import Any

import torch

from .tokenizer import CLS, PAD, UNK


class WordDropout:
    """Batches in which a share `rate` of the real tokens is [UNK] (Iyyer et al. 2015).

    Wraps batches whose first field is `token_ids`, padded with [PAD]. The model cannot rely on any
    single word, and gets to train on [UNK]. [CLS] is never dropped. What is dropped depends only on
    `seed` and the epoch. Raises ValueError unless 0 ≤ rate < 1.
    """

    def __init__(self, batches: Any, rate: float, seed: int = 0) -> None:
        if not 0 <= rate < 1:
            raise ValueError(f"rate = {rate}: give a share of words, at least 0 and less than 1")
        self.batches, self.rate, self.seed, self.epoch = batches, rate, seed, 0

    def set_epoch(self, epoch: int) -> None:
        """Choose the epoch whose order and whose dropped words the next iteration has."""
        self.epoch = epoch
        self.batches.set_epoch(epoch)

    def __len__(self) -> int:
        return len(self.batches)

    def __iter__(self) -> Iterator[Any]:
        generator = torch.Generator().manual_seed(2**20 * self.seed + self.epoch)
        kept = torch.tensor([PAD, CLS])
        for batch in self.batches:
            ids = batch.token_ids
            dropped = torch.rand(ids.shape, generator=generator) < self.rate
            dropped &= ~torch.isin(ids, kept)
            yield batch._replace(token_ids=ids.masked_fill(dropped, UNK))

"""A corpus as one stream of tokens, cut into blocks of equal length: no padding, no waste."""

from collections.abc import Iterator, Sequence
from itertools import chain

import numpy as np
import torch
from torch import Tensor


def stream(sequences: Sequence[Sequence[int]], end: int) -> Tensor:
    """All texts in a row, with `end` before each and after the last."""
    return torch.tensor([end, *chain.from_iterable([*sequence, end] for sequence in sequences)])


class TokenBlocks:
    """Batches (batch, length + 1) of a stream: a model reads all but the last token of a row.

    In every epoch the cuts begin at another token and the order is another, drawn from `seed` and
    the epoch, so call `set_epoch` before each epoch. What fills no batch is left out.
    Raises ValueError for a stream with less than one batch.
    """

    def __init__(self, tokens: Tensor, length: int, batch_size: int, seed: int = 0) -> None:
        self.tokens, self.length, self.batch_size, self.seed = tokens, length, batch_size, seed
        self.epoch = 0
        needed = batch_size * length + length
        if len(tokens) <= needed:
            raise ValueError(
                f"{len(tokens):,} tokens do not fill a batch: give more than {needed:,}, or "
                "shorter or fewer blocks"
            )

    def set_epoch(self, epoch: int) -> None:
        """Set the epoch, which determines the cuts and the order of the next iteration."""
        self.epoch = epoch

    def __len__(self) -> int:
        """Number of batches, the same in every epoch."""
        return (len(self.tokens) - self.length - 1) // (self.batch_size * self.length)

    def __iter__(self) -> Iterator[tuple[Tensor]]:
        rng = np.random.default_rng([self.seed, self.epoch])
        first = int(rng.integers(self.length))
        blocks = self.tokens[first:].unfold(0, self.length + 1, self.length)
        order = torch.from_numpy(rng.permutation(len(blocks)))
        for chosen in order[: len(self) * self.batch_size].split(self.batch_size):
            yield (blocks[chosen],)

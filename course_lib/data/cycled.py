"""Few labeled examples, seen again and again for a given number of steps."""

from collections.abc import Iterator, Sequence

import numpy as np
import torch

from .batching import Batch, pad


class CycledExamples:
    """`n_steps` batches of `rows` examples; every example is drawn once before one is again.

    So a training takes the same steps however few examples there are. The order is drawn from
    `seed` and the epoch, so call `set_epoch` before each.
    Raises ValueError without examples, or when there is not one label per sequence.
    """

    def __init__(
        self,
        sequences: Sequence[Sequence[int]],
        labels: Sequence[int],
        rows: int,
        n_steps: int,
        seed: int = 0,
    ) -> None:
        if not sequences or len(sequences) != len(labels):
            raise ValueError(
                f"{len(sequences)} sequences have {len(labels)} labels: give some, with one each"
            )
        self.sequences, self.rows, self.n_steps, self.seed = sequences, rows, n_steps, seed
        self.labels = torch.as_tensor(np.asarray(labels), dtype=torch.long)
        self.epoch = 0

    def set_epoch(self, epoch: int) -> None:
        """Set the epoch, which determines the order of the next iteration."""
        self.epoch = epoch

    def __len__(self) -> int:
        return self.n_steps

    def __iter__(self) -> Iterator[Batch]:
        rng, order = np.random.default_rng([self.seed, self.epoch]), np.empty(0, dtype=np.int64)
        for _ in range(self.n_steps):
            while len(order) < self.rows:
                order = np.concatenate([order, rng.permutation(len(self.sequences))])
            chosen, order = order[: self.rows], order[self.rows :]
            yield Batch(pad([self.sequences[i] for i in chosen]), self.labels[chosen])

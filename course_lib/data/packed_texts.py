"""Whole texts packed into rows of one length: hardly any padding, and no text reads another."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor


class PackedBatch(NamedTuple):
    """Each (batch, length): what is read, the next token of each, and the number of its text.

    The texts of a row are numbered from 1; 0 is padding, in all three.
    """

    token_ids: Tensor
    labels: Tensor
    texts: Tensor


class PackedTexts:
    """Batches of `batch_size` rows of whole texts, each text once per epoch.

    Each text has `end` before and after it. One that needs more than a row is cut, and what follows
    a cut is read as a text of its own. Which texts share a row is drawn from `seed` and the epoch,
    so call `set_epoch` before each epoch; the number of rows is always the same.
    """

    def __init__(
        self,
        sequences: Sequence[Sequence[int]],
        end: int,
        length: int,
        batch_size: int,
        seed: int = 0,
    ) -> None:
        whole = ([end, *sequence, end] for sequence in sequences)
        self.pieces = [
            torch.tensor(text[cut : cut + length + 1])
            for text in whole
            for cut in range(0, len(text) - 1, length)
        ]
        self.length, self.batch_size, self.seed = length, batch_size, seed
        self.epoch = 0
        self._lengths = np.array([len(piece) - 1 for piece in self.pieces], dtype=np.int64)
        self._n_rows = len(fill_rows(self._lengths, length))

    def set_epoch(self, epoch: int) -> None:
        """Set the epoch, which determines the rows and the order of the next iteration."""
        self.epoch = epoch

    def __len__(self) -> int:
        """Number of batches, the same in every epoch; the last may have fewer rows."""
        return -(-self._n_rows // self.batch_size)

    def __iter__(self) -> Iterator[PackedBatch]:
        rng = np.random.default_rng([self.seed, self.epoch])
        shuffled = rng.permutation(len(self.pieces))
        rows = fill_rows(self._lengths[shuffled], self.length)
        order = rng.permutation(len(rows))
        for start in range(0, len(rows), self.batch_size):
            chosen = [rows[number] for number in order[start : start + self.batch_size]]
            yield self._batch([[self.pieces[shuffled[i]] for i in row] for row in chosen])

    @property
    def n_tokens(self) -> int:
        """Tokens that are read in an epoch, without padding."""
        return int(self._lengths.sum())

    @property
    def waste(self) -> float:
        """Share of padding among all positions of an epoch, 0 to 1."""
        return 1 - self.n_tokens / (self._n_rows * self.length) if self._n_rows else 0.0

    def _batch(self, rows: list[list[Tensor]]) -> PackedBatch:
        batch = PackedBatch(*torch.zeros(3, len(rows), self.length, dtype=torch.long))
        for row, pieces in enumerate(rows):
            start = 0
            for number, piece in enumerate(pieces, start=1):
                place = slice(start, start + len(piece) - 1)
                batch.token_ids[row, place], batch.labels[row, place] = piece[:-1], piece[1:]
                batch.texts[row, place] = number
                start = place.stop
        return batch


def fill_rows(lengths: np.ndarray, row: int) -> list[list[int]]:
    """The indices of each row: the longest first, each into the fullest row that has room for it.

    How many rows there are depends on the lengths alone, not on their order.
    Raises ValueError for a length above `row`.
    """
    rows: list[list[int]] = []
    with_room: list[list[int]] = [[] for _ in range(row + 1)]  # rows by their free positions
    for index in np.argsort(-lengths, kind="stable").tolist():
        length = int(lengths[index])
        if length > row:
            raise ValueError(f"a text of {length} tokens does not fit into a row of {row}")
        free = next((n for n in range(length, row + 1) if with_room[n]), None)
        if free is None:
            rows.append([])
            with_room[row].append(len(rows) - 1)
            free = row
        number = with_room[free].pop()
        rows[number].append(index)
        with_room[free - length].append(number)
    return rows

"""Batches of sentences of similar length, which need little padding."""

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor

from .tokenizer import PAD


class Batch(NamedTuple):
    """`token_ids` (batch, n), padded, and `labels` (batch,)."""

    token_ids: Tensor
    labels: Tensor


class Buckets:
    """Batches of indices of similar length; each index once per epoch.

    `lengths` (n, sides) are token counts. A batch has at most `max_tokens` tokens per side, padding
    included, and an index that is longer is a batch of its own. The order of equally long indices
    and of the batches is drawn from `seed` and the epoch, so call `set_epoch` before each epoch.
    """

    def __init__(self, lengths: np.ndarray, max_tokens: int, seed: int) -> None:
        self.seed, self.epoch, self._lengths = seed, 0, lengths
        self._ends = ends(lengths, max_tokens)

    def set_epoch(self, epoch: int) -> None:
        """Set the epoch, which determines the order of the next iteration."""
        self.epoch = epoch

    def __len__(self) -> int:
        """Number of batches, the same in every epoch."""
        return len(self._ends)

    def indices(self) -> Iterator[np.ndarray]:
        """The indices of each batch of the epoch."""
        rng = np.random.default_rng([self.seed, self.epoch])
        shuffled = rng.permutation(len(self._lengths))
        order = shuffled[by_length(self._lengths[shuffled])]
        batches = np.split(order, self._ends[:-1])
        for number in rng.permutation(len(batches)) if len(self) else []:
            yield batches[number]

    @property
    def waste(self) -> float:
        """Share of padding among all token ids of an epoch, of all sides, 0 to 1."""
        groups = np.split(self._lengths[by_length(self._lengths)], self._ends[:-1])
        computed = sum(len(group) * int(group.max(0).sum()) for group in groups if len(group))
        return 1 - int(self._lengths.sum()) / computed if computed else 0.0


class TokenBuckets(Buckets):
    """Batches of at most `max_tokens` tokens, padding included; each sentence once per epoch.

    §5.1 — "sentence pairs were batched together by approximate sequence length". See `Buckets`.
    Raises ValueError for a sentence without tokens, when there is not one label per sentence, and
    for a label below 0.
    """

    def __init__(
        self,
        sequences: Sequence[Sequence[int]],
        labels: Sequence[int],
        max_tokens: int = 2048,
        seed: int = 0,
    ) -> None:
        if len(sequences) != len(labels):
            raise ValueError(f"{len(sequences)} sequences have {len(labels)} labels: give one each")
        self.sequences = sequences
        self.labels = torch.as_tensor(np.asarray(labels), dtype=torch.long)
        if len(labels) and int(self.labels.min()) < 0:
            number = int(self.labels.argmin())
            raise ValueError(
                f"sentence {number} has the label {int(self.labels[number])}: labels are class "
                "numbers from 0; −1 marks a split whose labels are withheld, so use another split"
            )
        super().__init__(_lengths(sequences), max_tokens, seed)

    def __iter__(self) -> Iterator[Batch]:
        for indices in self.indices():
            token_ids = pad([self.sequences[i] for i in indices])
            yield Batch(token_ids, self.labels[torch.as_tensor(indices)])


def pad(sequences: Sequence[Sequence[int]], pad_id: int = PAD) -> Tensor:
    """Sequences as one tensor (batch, longest), filled up with `pad_id` on the right."""
    lengths = [len(sequence) for sequence in sequences]
    token_ids = torch.full((len(lengths), max(lengths, default=0)), pad_id, dtype=torch.long)
    for row, sequence in zip(token_ids, sequences, strict=True):
        row[: len(sequence)] = torch.as_tensor(sequence, dtype=torch.long)
    return token_ids


def padding_waste(batches: Iterable[Tensor], pad_id: int = PAD) -> float:
    """Share of `pad_id` among all token ids of some batches, 0 to 1."""
    padding = computed = 0
    for token_ids in batches:
        padding += int((token_ids == pad_id).sum())
        computed += token_ids.numel()
    return padding / computed if computed else 0.0


def batches_in_order(
    sequences: Sequence[Sequence[int]], max_tokens: int = 2048
) -> Iterator[tuple[Tensor, Tensor]]:
    """For prediction: pairs (indices, token_ids), every sequence once, the shortest first.

    `indices` says where results belong: `logits[indices] = model(token_ids)[0]`.
    """
    lengths = _lengths(sequences)
    for indices in np.split(by_length(lengths), ends(lengths, max_tokens)[:-1]):
        if len(indices):
            yield torch.as_tensor(indices), pad([sequences[i] for i in indices])


def _lengths(sequences: Sequence[Sequence[int]]) -> np.ndarray:
    """(n, 1)."""
    lengths = np.array([len(sequence) for sequence in sequences], dtype=np.int64)
    if (lengths == 0).any():
        empty = int(np.argmin(lengths))
        raise ValueError(f"sequence {empty} has no tokens: TextTokenizer.encode gives at least one")
    return lengths[:, None]


def by_length(lengths: np.ndarray) -> np.ndarray:
    """Indices that sort by the longest side, so that a batch has similar lengths."""
    return np.lexsort((*lengths.T, lengths.max(1)))


def ends(lengths: np.ndarray, max_tokens: int) -> list[int]:
    """Where to split sorted lengths so that count × longest stays within `max_tokens`."""
    found: list[int] = []
    start = 0
    longest = np.sort(lengths.max(1), kind="stable").tolist()
    for index, length in enumerate(longest):
        if index > start and (index + 1 - start) * length > max_tokens:
            found.append(index)
            start = index
    return [*found, len(longest)] if longest else found

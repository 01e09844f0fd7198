"""Batches of sentence pairs of similar length, which need little padding.

Row R44 of the paper page.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
from torch import Tensor

from .batching import pad
from .tokenization import TextTokenizer

START, END = TextTokenizer.START, TextTokenizer.END


class PairBatch(NamedTuple):
    """`source_ids` (batch, n_source) and `target_ids` (batch, n_target), padded.

    A target is START … END; the decoder input is `target_ids[:, :-1]`, the labels are
    `target_ids[:, 1:]`.
    """

    source_ids: Tensor
    target_ids: Tensor


class PairBuckets:
    """Batches of at most `max_tokens` tokens per side, padding included; each pair once per epoch.

    §5.1 — "sentence pairs were batched together by approximate sequence length". Sources and
    targets are as `TextTokenizer.encode` returns them; START and END are added to the targets here.
    The order is drawn from `seed` and the epoch, so call `set_epoch` before each epoch. A pair
    longer than `max_tokens` is a batch of its own.
    Raises ValueError when there is not one target per source, for a side without tokens, and for a
    target that already has START.
    """

    def __init__(
        self,
        source_ids: Sequence[Sequence[int]],
        target_ids: Sequence[Sequence[int]],
        max_tokens: int = 2048,
        seed: int = 0,
    ) -> None:
        if len(source_ids) != len(target_ids):
            raise ValueError(
                f"{len(source_ids)} sources have {len(target_ids)} targets: give one each"
            )
        _check(source_ids, target_ids)
        self.source_ids = source_ids
        self.target_ids = [[START, *target, END] for target in target_ids]
        self.seed = seed
        self.epoch = 0
        self._lengths = np.array(
            [(len(s), len(t)) for s, t in zip(source_ids, self.target_ids, strict=True)],
            dtype=np.int64,
        ).reshape(-1, 2)
        self._ends = _ends(self._lengths[_by_length(self._lengths)], max_tokens)

    def set_epoch(self, epoch: int) -> None:
        """Set the epoch, which determines the order of the next iteration."""
        self.epoch = epoch

    def __len__(self) -> int:
        """Number of batches, the same in every epoch."""
        return len(self._ends)

    def __iter__(self) -> Iterator[PairBatch]:
        rng = np.random.default_rng([self.seed, self.epoch])
        shuffled = rng.permutation(len(self.source_ids))
        order = shuffled[_by_length(self._lengths[shuffled])]
        batches = np.split(order, self._ends[:-1])
        for number in rng.permutation(len(batches)) if len(self) else []:
            indices = batches[number]
            yield PairBatch(
                pad([self.source_ids[i] for i in indices]),
                pad([self.target_ids[i] for i in indices]),
            )

    @property
    def waste(self) -> float:
        """Share of padding among all token ids of an epoch, both sides, 0 to 1."""
        groups = np.split(self._lengths[_by_length(self._lengths)], self._ends[:-1])
        computed = sum(len(group) * int(group.max(0).sum()) for group in groups if len(group))
        return 1 - int(self._lengths.sum()) / computed if computed else 0.0


def batch_count(lengths: np.ndarray, max_tokens: int) -> int:
    """How many batches `PairBuckets` makes of pairs of these lengths (pairs, 2), marks included."""
    return len(_ends(lengths[_by_length(lengths)], max_tokens))


def _check(source_ids: Sequence[Sequence[int]], target_ids: Sequence[Sequence[int]]) -> None:
    for name, side in (("source", source_ids), ("target", target_ids)):
        for index, ids in enumerate(side):
            if len(ids) == 0:
                raise ValueError(
                    f"{name} {index} has no tokens: TextTokenizer.encode gives at least one"
                )
    for index, ids in enumerate(target_ids):
        if ids[0] == START:
            raise ValueError(f"target {index} already begins with START: give it without")


def _by_length(lengths: np.ndarray) -> np.ndarray:
    """Indices that sort pairs by their longer side, so that a batch has similar lengths."""
    return np.lexsort((lengths[:, 0], lengths[:, 1], lengths.max(1)))


def _ends(lengths: np.ndarray, max_tokens: int) -> list[int]:
    """Where to split sorted lengths so that count × longest stays within `max_tokens`."""
    ends = []
    start = longest = 0
    for index, length in enumerate(lengths.max(1).tolist() if len(lengths) else []):
        longest = max(longest, length)
        if index > start and (index + 1 - start) * longest > max_tokens:
            ends.append(index)
            start, longest = index, length
    return [*ends, len(lengths)] if len(lengths) else ends

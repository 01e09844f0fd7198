"""Batches of sentence pairs of similar length, which need little padding.

Paper statement R44 (lectures/paper_audit.md).
"""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
from torch import Tensor

from .batching import Buckets, ends, pad
from .tokenizer import END, START


class PairBatch(NamedTuple):
    """`source_ids` (batch, n_source) and `target_ids` (batch, n_target), padded.

    A target is START … END; the decoder input is `target_ids[:, :-1]`, the labels are
    `target_ids[:, 1:]`.
    """

    source_ids: Tensor
    target_ids: Tensor


class PairBuckets(Buckets):
    """Batches of at most `max_tokens` tokens per side, padding included; each pair once per epoch.

    §5.1 — "sentence pairs were batched together by approximate sequence length". See `Buckets`.
    Sources and targets are as `TextTokenizer.encode` returns them; START and END are added to the
    targets here.
    Raises ValueError when there is not one target per source, for a side without tokens, and for a
    target that already has START or END.
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
        lengths = [(len(s), len(t)) for s, t in zip(source_ids, self.target_ids, strict=True)]
        super().__init__(np.array(lengths, dtype=np.int64).reshape(-1, 2), max_tokens, seed)

    def __iter__(self) -> Iterator[PairBatch]:
        for indices in self.indices():
            yield PairBatch(
                pad([self.source_ids[i] for i in indices]),
                pad([self.target_ids[i] for i in indices]),
            )


def batch_count(lengths: np.ndarray, max_tokens: int) -> int:
    """How many batches `PairBuckets` makes of pairs of these lengths (pairs, 2), marks included."""
    return len(ends(lengths, max_tokens))


def _check(source_ids: Sequence[Sequence[int]], target_ids: Sequence[Sequence[int]]) -> None:
    for name, side in (("source", source_ids), ("target", target_ids)):
        for index, ids in enumerate(side):
            if len(ids) == 0:
                raise ValueError(
                    f"{name} {index} has no tokens: TextTokenizer.encode gives at least one"
                )
    for index, ids in enumerate(target_ids):
        for name, mark, at in (("begins with START", START, 0), ("ends with END", END, -1)):
            if ids[at] == mark:
                raise ValueError(f"target {index} already {name}: give it without")

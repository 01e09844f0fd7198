"""Batches of a corpus in shards, of which a few are in memory at once."""

from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np

from ..pair_batching import PairBatch, PairBuckets, batch_count
from .token_shards import Shard, read_lengths, read_shard


class ShardedPairs:
    """The batches of `PairBuckets`, from groups of shards: each pair once per epoch.

    A group takes shards from all over the corpus, so that its sources mix in it: the first of each
    group's shards are from the beginning, the last from the end. `together` shards make a group.
    The order of the groups, and that within a group, is drawn from `seed` and the epoch, so call
    `set_epoch` before each epoch. Raises DataError for a missing or damaged shard.
    """

    def __init__(
        self,
        folder: Path,
        shards: Sequence[Shard],
        max_tokens: int,
        seed: int = 0,
        together: int = 4,
    ) -> None:
        n_groups = -(-len(shards) // together)
        self.folder, self.max_tokens, self.seed, self.epoch = folder, max_tokens, seed, 0
        self.groups = [shards[number::n_groups] for number in range(n_groups)]
        marks = np.array([0, 2])  # START and END of a target
        self._size = sum(
            batch_count(
                np.concatenate([read_lengths(folder, shard) for shard in group]) + marks, max_tokens
            )
            for group in self.groups
        )

    def set_epoch(self, epoch: int) -> None:
        """Set the epoch, which determines the order of the next iteration."""
        self.epoch = epoch

    def __len__(self) -> int:
        """Number of batches, the same in every epoch."""
        return self._size

    def __iter__(self) -> Iterator[PairBatch]:
        rng = np.random.default_rng([self.seed, self.epoch])
        for number in rng.permutation(len(self.groups)):
            buckets = self._buckets(int(number))
            buckets.set_epoch(self.epoch)
            yield from buckets

    def _buckets(self, number: int) -> PairBuckets:
        """The batches of one group."""
        read = [read_shard(self.folder, shard) for shard in self.groups[number]]
        source_ids = [ids for sources, _ in read for ids in sources]
        target_ids = [ids for _, targets in read for ids in targets]
        return PairBuckets(source_ids, target_ids, self.max_tokens, self.seed)

"""A training counted in steps and not in epochs: stretches of equally many batches."""

from collections.abc import Iterator
from itertools import islice
from typing import Any


class FixedLengthEpochs:
    """The batches of an endless training, cut into "epochs" of `n_batches` each.

    The data's own epochs follow each other without a gap: a stretch may begin within one and end
    within the next. Every stretch can be entered directly, so that a resumed training skips at most
    one epoch of the data.
    Raises ValueError for data without a batch, and for stretches without one.
    """

    def __init__(self, batches: Any, n_batches: int) -> None:
        if not len(batches) or n_batches < 1:
            raise ValueError(
                f"{len(batches)} batches cut into stretches of {n_batches}: give at least one each"
            )
        self.batches, self.n_batches, self.stretch = batches, n_batches, 0

    def set_epoch(self, epoch: int) -> None:
        """Set the stretch that the next iteration gives, from 0."""
        self.stretch = epoch

    def __len__(self) -> int:
        return self.n_batches

    def __iter__(self) -> Iterator[Any]:
        return islice(self._from(self.stretch * self.n_batches), self.n_batches)

    def _from(self, place: int) -> Iterator[Any]:
        """All batches from a place on, counted from the first of the first epoch."""
        epoch, skipped = divmod(place, len(self.batches))
        while True:
            self.batches.set_epoch(epoch)
            yield from islice(self.batches, skipped, None)
            epoch, skipped = epoch + 1, 0

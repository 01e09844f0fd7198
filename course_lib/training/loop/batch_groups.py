"""Groups of batches: one optimizer step trains on a group, however it is split among processes.

Two processes with one batch each take the same steps as one process that accumulates two.
"""

from collections.abc import Iterable, Iterator
from itertools import cycle, islice
from typing import Any

from torch import Tensor

Batch = Any  # a tuple of tensors, with the examples along their first axis


def groups(batches: Iterable[Batch], size: int) -> Iterator[tuple[list[Batch], bool]]:
    """Pairs (group of `size` batches, whether it is the last).

    A last group that is too small is filled up with the first batches, so that every process gets
    its batches. Raises ValueError when there is no batch.
    """
    source = iter(batches)
    first = group = list(islice(source, size))
    if not first:
        raise ValueError("there are no batches to train on")
    while group:
        following = list(islice(source, size))
        filled = [*group, *islice(cycle(first), size - len(group))]
        yield filled, not following
        group = following


def shares(group: list[Batch]) -> list[float]:
    """Each batch's share of the group's examples: the weight of its mean in the group's mean."""
    sizes = [len(batch[0]) for batch in group]
    return [size / sum(sizes) for size in sizes]


def tokens(group: list[Batch]) -> int:
    """Real tokens of a group: the first tensor of each batch holds ids, padding is 0."""
    return sum(int(batch[0].count_nonzero()) for batch in group)


def on_device(batch: Batch, device: Any) -> tuple[Tensor, ...]:
    """The tensors of a batch on a device."""
    return tuple(tensor.to(device, non_blocking=True) for tensor in batch)

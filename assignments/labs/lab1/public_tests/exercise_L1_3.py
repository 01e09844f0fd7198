"""The visible checks of exercise L1.3: what has been read."""

import torch

from grader.checking import expect
from grader.checking.exercise import exercise

# Expectations are set like tables: value, causes, hint, section.
# fmt: off

KEYS = torch.arange(48.0).reshape(2, 2, 3, 4)
VALUES = -KEYS


def extended(student):
    """A cache that has read two positions and then one, and what the last call returned."""
    cache = student.KeysAndValues()
    cache.method("extend", KEYS[:, :, :2], VALUES[:, :, :2])
    last = cache.method("extend", KEYS[:, :, 2:], VALUES[:, :, 2:])
    return cache, expect.parts(last, 2, read="exercise L1.3", otherwise="return (keys, values)")


@exercise("L1.3")
def test_extend(student):
    """`extend` returns everything read so far, the new positions last."""
    first, new = KEYS[:, :, :2], KEYS[:, :, 2:]
    _, (keys, values) = extended(student)
    expect.close(
        keys, KEYS, what="keys", read="exercise L1.3",
        otherwise="join along the third dimension, the positions")
    expect.close(
        values, VALUES, what="values", read="exercise L1.3",
        otherwise="join along the third dimension, the positions")


@exercise("L1.3")
def test_kept(student):
    """The cache keeps what it returned."""
    cache, _ = extended(student)
    for name, want in (("keys", KEYS), ("values", VALUES)):
        expect.close(cache.get(name), want, what=f"the cache's {name}", read="exercise L1.3",
                     otherwise="assign the joined tensors to self.keys and self.values")


@exercise("L1.3")
def test_rows(student):
    """`keep` chooses and orders the rows of both tensors; of an empty cache, it keeps nothing."""
    cache, _ = extended(student)
    cache.method("keep", torch.tensor([1]))
    expect.close(cache.get("keys"), KEYS[1:], what="keys of the row kept", read="exercise L1.3")
    expect.close(cache.get("values"), VALUES[1:], what="values of the row kept",
                 read="exercise L1.3")
    empty = student.KeysAndValues()
    empty.method("keep", torch.tensor([0]))
    expect.equal(empty.get("keys"), None, what="keys of an empty cache", read="exercise L1.3")

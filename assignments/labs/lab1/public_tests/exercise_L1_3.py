"""The visible checks of exercise L1.3: what has been read."""

import torch

from grader.checking.question import question

KEYS = torch.arange(48.0).reshape(2, 2, 3, 4)
READ = "exercise L1.3"


def _extended(its):
    """A cache that has read two positions and then one, and what the last call returned."""
    cache = its.KeysAndValues()
    cache.method("extend", KEYS[:, :, :2], -KEYS[:, :, :2])
    return cache, cache.method("extend", KEYS[:, :, 2:], -KEYS[:, :, 2:])


def _kept(cache):
    return {"the cache's keys": cache.get("keys"), "its values": cache.get("values")}


@question("L1.3", advice="join along the third dimension, the positions", read=READ)
def test_extend(its):
    """`extend` returns everything read so far, the new positions last."""
    keys, values = _extended(its)[1]
    return {"keys": keys, "values": values}


@question("L1.3", advice="assign the joined tensors to self.keys and self.values", read=READ)
def test_kept(its):
    """The cache keeps what it returned."""
    return _kept(_extended(its)[0])


@question("L1.3", advice="choose the same rows of both tensors", read=READ)
def test_rows(its):
    """`keep` chooses and orders the rows of both tensors; of an empty cache, it keeps nothing."""
    cache, empty = _extended(its)[0], its.KeysAndValues()
    for one in (cache, empty):
        one.method("keep", torch.tensor([1] if one is cache else [0]))
    return _kept(cache) | {"keys of an empty cache": empty.get("keys")}

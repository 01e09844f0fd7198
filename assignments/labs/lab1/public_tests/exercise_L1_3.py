"""The visible checks of exercise L1.3: what has been read."""

import torch

from grader.checking.question import question

KEYS = torch.arange(48.0).reshape(2, 2, 3, 4)
KEPT = ("keys", "values")
READ = "exercise L1.3"


@question("L1.3", advice="join along the positions, and assign to self.keys, values", read=READ)
def test_extend(its):
    """`extend` returns everything read so far, the new positions last, and keeps it."""
    cache = its.KeysAndValues()
    cache.method("extend", KEYS[:, :, :2], -KEYS[:, :, :2])
    keys, values = cache.method("extend", KEYS[:, :, 2:], -KEYS[:, :, 2:])
    return {"keys": keys, "values": values} | {f"its {n}": cache.get(n) for n in KEPT}


@question("L1.3", advice="choose the same rows of both tensors", read=READ)
def test_rows(its):
    """`keep` chooses and orders the rows of both tensors; of an empty cache, it keeps nothing."""
    cache, empty = its.KeysAndValues(), its.KeysAndValues()
    cache.method("extend", KEYS, -KEYS)
    cache.method("keep", torch.tensor([1]))
    empty.method("keep", torch.tensor([0]))
    return {n: cache.get(n) for n in KEPT} | {"keys of an empty cache": empty.get("keys")}

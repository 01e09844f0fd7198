"""Hidden tests of exercise 4.19: what a cache saves, and that an old one stays as it was."""

import torch

from autograder.a4.exercise_4_19.cached_decoding import (
    AFTER,
    READ,
    ROUNDING,
    SOURCE,
    model,
    prefixes,
)
from grader.checking.question import question

# Logs how many tokens the feed-forward networks and the projections of the source are given.
WATCH = (
    "[(lambda name, part: part.register_forward_pre_hook(lambda module, given: seen.append([name, "
    "int(given[0].shape[1])])))(name, part) for layer in model.decoder.layers for name, part in "
    "(('new', layer.feed_forward), ('source', layer.cross_attention.w_k))]"
)


@question("4.19", weight=8, after=AFTER, advice="keep what has already been read", read=READ)
def test_cost(its, rng):
    """A step reads only the new tokens, and projects the source only once."""
    known, whole, seen, answer = model(its, rng), prefixes(rng, 6), its.make("[]"), {}
    its.make(WATCH, model=known, seen=seen)
    step, cache = its.cached_step(known), its.start_cache(known, SOURCE)
    for n, new in ((1, 1), (2, 1), (3, 1), (4, 1), (6, 2)):
        before = len(seen.get())
        _, cache = step(whole[:, :n], cache)
        calls = seen.get()[before:]
        read = [tokens for name, tokens in calls if name == "new"]
        answer[f"with {n} tokens, of which {new} new, only new ones are read"] = (
            max(read, default=0) <= new
        )
        answer[f"with {n} tokens, the source is not projected again"] = ["source", 4] not in calls
    return answer


@question("4.19", after=AFTER, advice="make new tensors", atol=ROUNDING, read=READ)
def test_old_cache_stays(its, rng):
    """A step does not change the old cache: using it again gives the same result."""
    known, whole, answer = model(its, rng), prefixes(rng, 3), {}
    step, cache = its.cached_step(known), its.start_cache(known, SOURCE)
    names = [f"layers.{i}.{part}" for i in (0, 1) for part in ("keys", "values", "source_keys")]
    for n in (1, 2, 3):
        old, before = cache, [cache.get(name).clone() for name in names]
        logs, cache = step(whole[:, :n], old)
        same = [torch.equal(one, old.get(name)) for one, name in zip(before, names, strict=True)]
        answer[f"the cache of {n - 1} tokens is as before the step"] = all(same)
        again, _ = step(whole[:, :n], old)
        answer |= {f"log probabilities after {n} tokens": logs, f"again after {n} tokens": again}
    return answer

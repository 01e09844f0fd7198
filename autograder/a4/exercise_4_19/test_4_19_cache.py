"""Hidden tests of exercise 4.19: steps with a cache, exact and cheap, even when rows move."""

from functools import partial

import torch

from autograder.a4.drawn_weights import load, normal, prefixes
from grader.checking.question import question, refusal

READ = "§3.2.3; the docstrings of 4.19"
# Logits are large with these weights: in float32 two correct results may differ by 1e-5.
ROUNDING = 2e-4
SOURCE = torch.tensor([[5, 6, 7, 8], [10, 4, 0, 0], [9, 5, 7, 0]])
SAME = "the same log probabilities as without a cache"
PARTS = ["start_cache", "cached_layer"]
ask = partial(question, "4.19", read=READ, builds_on=PARTS, atol=ROUNDING, rtol=0.0)
KEYS = "append the keys and values of the new tokens, made from what `enter` returns"
# Logs how many tokens the feed-forward networks and the projections of the source are given.
WATCH = (
    "[(lambda name, part: part.register_forward_pre_hook(lambda module, given: seen.append([name, "
    "int(given[0].shape[1])])))(name, part) for layer in model.decoder.layers for name, part in "
    "(('new', layer.feed_forward), ('source', layer.cross_attention.w_k))]"
)
PROJECT = "the memory through the cross-attention's projections, split into heads; no target yet"


def model(its, rng, norm_first=False, pad_id=0):
    """A Transformer of two layers in evaluation mode, with random weights."""
    made = its.Transformer(11, 2, 8, 2, 16, norm_first=norm_first, pad_id=pad_id)
    return load(made, rng, pad_id)


@question("4.19", weight=4, read="§3.2.3; the docstrings of 4.19", advice=KEYS)
def test_layer(its, rng):
    """One layer: its output for the new tokens, and the cache with their keys and values added."""
    answer, source_mask = {}, torch.tensor([[1, 1, 1, 1], [1, 1, 0, 0]]).bool()[:, None, None]
    for norm_first in (False, True):
        layer = load(its.DecoderLayer(8, 2, 16, norm_first=norm_first), rng)
        for known, new in ((0, 1), (3, 1), (2, 3)):
            parts = [normal(rng, 2, 2, n, 4) for n in (known, known, 4, 4)]
            mask = torch.ones(2, 1, new, known + new, dtype=torch.bool).tril(known)
            mask[1, :, :, : min(known, 1)] = False
            given = normal(rng, 2, new, 8), its.LayerCache(*parts), mask, source_mask
            output, cache = its.cached_layer(layer, *given)
            what = f"of {new} new tokens after {known}, norm_first={norm_first}"
            answer[f"the output {what}"] = output
            for name in ("keys", "values", "source_keys", "source_values"):
                answer[f"the {name} {what}"] = cache.get(name)
    return answer


@ask(weight=8, advice="keep what has already been read")
def test_cost(its, rng):
    """A step reads only the new tokens, and projects the source only once."""
    known, whole, seen, answer = model(its, rng), prefixes(rng, 3, 6), its.make("[]"), {}
    its.make(WATCH, model=known, seen=seen)
    step, cache = its.cached_step(known), its.start_cache(known, SOURCE)
    for n, new in ((1, 1), (2, 1), (3, 1), (4, 1), (6, 2)):
        before = len(seen.get())
        _, cache = step(whole[:, :n], cache)
        calls = seen.get()[before:]
        read = max((tokens for name, tokens in calls if name == "new"), default=0)
        answer[f"with {n} tokens, of which {new} new, only new ones are read"] = read <= new
        answer[f"with {n} tokens, the source is not projected again"] = ["source", 4] not in calls
    return answer


@question("4.19", weight=3, atol=ROUNDING, read=READ, advice=PROJECT)
def test_start_cache(its, rng):
    """The new cache has keys and values of the source, none of the target, in every layer."""
    cache = its.start_cache(model(its, rng, norm_first=True), SOURCE)
    answer = {"layers": cache.method("layers.__len__"), "mask": cache.get("source_mask")}
    for layer in (0, 1):
        for name in ("source_keys", "source_values", "keys", "values"):
            value = cache.get(f"layers.{layer}.{name}")
            answer[f"{name} of layer {layer}"] = value if "source" in name else list(value.shape)
    return answer


def decoded(its, known, whole, lengths, what):
    """Log probabilities after the first n tokens of `whole`, for all n, each step made twice."""
    step, cache, answer = its.cached_step(known), its.start_cache(known, SOURCE), {}
    for n in lengths:
        logs, after = step(whole[:, :n], cache)
        again, _ = step(whole[:, :n], cache)
        answer |= {f"after {n} tokens{what}": logs, f"again after {n} tokens{what}": again}
        cache = after
    return answer


@ask(weight=6, advice=f"{SAME}; no token sees a later one, nor padding; the old cache stays")
def test_every_step(its, rng):
    """The same as without a cache, for one token and for several, with padding, and once more."""
    answer = {}
    for norm_first, lengths in ((False, range(1, 7)), (True, (1, 4, 5, 6)), (False, (3, 4, 7))):
        what = f" of {lengths}, norm_first={norm_first}"
        answer |= decoded(its, model(its, rng, norm_first), prefixes(rng, 3, 7), lengths, what)
    padded = torch.tensor([[2, 5, 0, 7, 4], [2, 0, 8, 9, 6], [2, 4, 5, 6, 0]])
    for pad_id in (0, 5):  # start with two: a single new token would hide a missing mask
        known = model(its, rng, pad_id=pad_id)
        answer |= decoded(its, known, padded, range(2, 6), f", pad_id={pad_id}")
    return answer


@ask(weight=3, advice=SAME)
def test_rows_that_move(its, rng):
    """The same after rows are dropped, swapped and duplicated, as in a beam."""
    known, whole, answer = model(its, rng, True), torch.full((3, 1), 2), {}
    step, cache = its.cached_step(known), its.start_cache(known, SOURCE)
    for rows in ([0, 0, 1, 1, 2, 2], [1, 0, 3, 3, 5, 4], [3, 2, 5, 5], [1, 0, 2, 2], [3, 0]):
        logs, cache = step(whole, cache)
        answer[f"log probabilities of {len(whole)} rows of {whole.shape[1]} tokens"] = logs
        cache = cache.method("reorder", torch.tensor(rows))
        whole = torch.cat([whole[rows], prefixes(rng, len(rows), 2)[:, 1:]], dim=1)
    return answer


@ask(weight=0.5, advice="there is nothing to read: ValueError", corner=True)
def test_nothing_new(its, rng):
    """Prefixes that have not grown raise a ValueError."""
    known, whole = model(its, rng), prefixes(rng, 3, 2)
    step = its.cached_step(known)
    _, cache = step(whole, its.start_cache(known, SOURCE))
    return {
        f"{n} tokens, and two in the cache": refusal(lambda n=n: step(whole[:, :n], cache))
        for n in (2, 1)
    }

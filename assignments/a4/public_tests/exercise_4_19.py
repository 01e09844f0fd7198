"""The visible checks of exercise 4.19: a cache."""

import zlib
from functools import partial

import numpy as np
import torch

from grader.checking.question import question, refusal

STEPS = ("start_cache", "cached_layer")  # what `cached_step` builds on
READ = "exercise 4.19"
ask = partial(question, "4.19", read=READ, after=STEPS)
SOURCE = torch.tensor([[5, 9, 4, 6], [8, 7, 0, 0], [6, 6, 10, 0]])
PREFIXES = torch.tensor([[2, 6, 4, 7], [2, 9, 7, 5], [2, 10, 8, 8]])
ADVICE = (
    "right for one token, wrong for two? Then its position, or what the cache holds; "
    "wrong from the first: the norm, or the source"
)


def made(its, norm_first=False):
    """A Transformer with known weights, in evaluation mode."""
    model = its.Transformer(11, 2, 8, 2, 12, 0.0, norm_first)
    state = model.state_dict()
    for name in model.parameters():
        drawn = np.random.RandomState(zlib.crc32(name.encode())).normal(size=state[name].shape)
        state[name] = torch.tensor(0.7 * drawn + name.endswith("norm.weight")).float()
    model.load_state_dict(state)
    model.eval()
    return model


def apart(logs, model, source, prefixes):
    """The largest difference from the log probabilities that decoding the whole prefixes gives."""
    memory, mask = model.method("encode", source)
    logits, _ = model.method("decode", prefixes, memory, mask)
    return (logs - logits[:, -1].log_softmax(-1)).abs().max()


@ask(weight=2, read="§3.2.3", advice="the memory, projected", after=())
def test_before_the_first_token(its):
    """The cache starts with keys and values of the source in every layer, none of the target."""
    cache = its.start_cache(made(its), SOURCE)
    answer = {"the number of layers": cache.method("layers.__len__")}
    for name in ("source_keys", "source_values"):
        answer |= {f"{name} of layer {i}": cache.get(f"layers.{i}.{name}") for i in (0, 1)}
    shapes = {
        f"the shape of {n}": list(cache.get(f"layers.1.{n}").shape) for n in ("keys", "values")
    }
    return answer | shapes | {"source_mask": cache.get("source_mask")}


@ask(weight=3, advice=ADVICE)
def test_same_as_without(its):
    """Token by token, the same probabilities as for whole prefixes, in post-norm and pre-norm."""
    answer = {}
    for norm_first, lengths in ((False, (1, 2, 3, 4)), (True, (1, 3, 4))):
        model = made(its, norm_first)
        step, cache = its.cached_step(model), its.start_cache(model, SOURCE)
        for n in lengths:
            logs, cache = step(PREFIXES[:, :n], cache)
            what = f"after {n} tokens, norm_first={norm_first}"
            answer[f"the difference {what}"] = apart(logs, model, SOURCE, PREFIXES[:, :n])
            answer[f"keys in the cache {what}"] = cache.get("layers.0.keys").shape[2]
    return answer


@ask(advice="all a step needs must be in its cache, and nowhere else")
def test_rows_that_move(its):
    """The same log probabilities after beams are reordered, dropped and duplicated."""
    model = made(its)
    step, cache = its.cached_step(model), its.start_cache(model, SOURCE)
    _, cache = step(PREFIXES[:, :1], cache)
    _, cache = step(PREFIXES[:, :2], cache)
    rows = torch.tensor([2, 0, 2, 1])
    prefixes = torch.cat([PREFIXES[rows, :2], torch.tensor([[4], [5], [6], [7]])], dim=1)
    logs, _ = step(prefixes, cache.method("reorder", rows))
    return {"the difference": apart(logs, model, SOURCE[rows], prefixes)}


@ask(advice="new tokens must not see later ones")
def test_nothing_new(its):
    """Prefixes that have not grown raise a ValueError; several new tokens are allowed."""
    model = made(its)
    step, cache = its.cached_step(model), its.start_cache(model, SOURCE)
    logs, cache = step(PREFIXES[:, :3], cache)
    return {
        "the difference after three new tokens": apart(logs, model, SOURCE, PREFIXES[:, :3]),
        "without a new token": refusal(lambda: step(PREFIXES[:, :3], cache)),
    }


@ask(advice="another beam may continue from it: make new tensors")
def test_old_cache_stays(its):
    """A step does not change the old cache: another beam may continue from it."""
    model = made(its)
    step, old = its.cached_step(model), its.start_cache(model, SOURCE)
    answer = {}
    for n in (1, 2):
        _, new = step(PREFIXES[:, :n], old)
        answer[f"tokens in the cache before step {n}"] = old.get("layers.0.keys").shape[2]
        logs, _ = step(PREFIXES[:, :n], old)
        answer[f"the difference in step {n}, made twice"] = apart(
            logs, model, SOURCE, PREFIXES[:, :n]
        )
        old = new
    return answer

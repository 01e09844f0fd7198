"""The visible checks of exercise 4.19: a cache."""

from functools import partial

import numpy as np
import torch

from grader.checking.question import question, refusal

STEPS = ("start_cache", "cached_layer")  # what `cached_step` builds on
ask = partial(question, "4.19", read="exercise 4.19", builds_on=STEPS)
SOURCE = torch.tensor([[5, 9, 4, 6], [8, 7, 0, 0], [6, 6, 10, 0]])
PREFIXES = torch.tensor([[2, 6, 4, 7], [2, 9, 7, 5], [2, 10, 8, 8]])
ADVICE = (
    "right for one token, wrong for two? Then its position, or what the cache holds; wrong from "
    "the first: the norm, or the source; wrong again: make new tensors, the old cache stays"
)

WATCH = (
    "[layer.feed_forward.register_forward_pre_hook(lambda module, given: "
    "seen.append(int(given[0].shape[1]))) for layer in model.decoder.layers]"
)


def begun(its, norm_first=False):
    """A Transformer with known weights, in evaluation mode, its step, and its first cache."""
    model = its.Transformer(11, 2, 8, 2, 12, 0.0, norm_first)
    state, drawn = model.state_dict(), np.random.RandomState(0)
    for name in sorted(model.parameters()):
        values = 0.7 * drawn.normal(size=state[name].shape) + name.endswith("norm.weight")
        state[name] = torch.tensor(values).float()
    model.load_state_dict(state)
    model.eval()
    return model, its.cached_step(model), its.start_cache(model, SOURCE)


def apart(logs, model, source, prefixes):
    """The largest difference from the log probabilities that decoding the whole prefixes gives."""
    logits, _ = model.method("decode", prefixes, *model.method("encode", source))
    return (logs - logits[:, -1].log_softmax(-1)).abs().max()


@question("4.19", weight=2, read="§3.2.3", advice="the memory, projected")
def test_before_the_first_token(its):
    """The cache starts with keys and values of the source in every layer, none of the target."""
    _, _, cache = begun(its)
    names = [f"layers.{i}.{name}" for i in (0, 1) for name in ("source_keys", "source_values")]
    answer = {name: cache.get(name) for name in ["source_mask", *names]}
    answer["the number of layers"] = cache.method("layers.__len__")
    for name in ("keys", "values"):
        answer[f"the shape of {name}"] = list(cache.get(f"layers.1.{name}").shape)
    return answer


@ask(weight=5, advice=ADVICE)
def test_same_as_without(its):
    """One or several new tokens, in both orders, also again: the same as for whole prefixes."""
    answer = {}
    for norm_first, lengths in ((False, (1, 2, 3, 4)), (True, (1, 3, 4)), (False, (3, 4))):
        model, step, cache = begun(its, norm_first)
        for n in lengths:
            what = f"after {n} tokens of {lengths}, norm_first={norm_first}"
            steps = [step(PREFIXES[:, :n], cache) for _ in ("first", "again")]
            answer[f"the differences {what}, and again"] = [
                apart(logs, model, SOURCE, PREFIXES[:, :n]) for logs, _ in steps
            ]
            cache = steps[0][1]
            answer[f"keys in the cache {what}"] = cache.get("layers.0.keys").shape[2]
    return answer | {"without a new token": refusal(lambda: step(PREFIXES, cache))}


@ask(advice="embed all, then keep the new: `[:, known:]`")
def test_what_is_read(its):
    """With a cache, a layer reads the new tokens alone."""
    model, step, cache = begun(its)
    _, cache = step(PREFIXES[:, :2], cache)
    seen = its.make("[]")
    its.make(WATCH, model=model, seen=seen)
    step(PREFIXES[:, :3], cache)
    return {"no layer reads more than the one new token": max([1, *seen.get()]) == 1}


@ask(advice="all a step needs must be in its cache, and nowhere else")
def test_rows_that_move(its):
    """The same log probabilities after beams are reordered, dropped and duplicated."""
    model, step, cache = begun(its)
    for n in (1, 2):
        _, cache = step(PREFIXES[:, :n], cache)
    rows = torch.tensor([2, 0, 2, 1])
    prefixes = torch.cat([PREFIXES[rows, :2], torch.tensor([[4], [5], [6], [7]])], dim=1)
    logs, _ = step(prefixes, cache.method("reorder", rows))
    return {"the difference": apart(logs, model, SOURCE[rows], prefixes)}

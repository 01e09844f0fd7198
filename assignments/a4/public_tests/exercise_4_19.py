"""The visible checks of exercise 4.19: a cache."""

import torch

from grader.checking import expect
from grader.checking.exercise import exercise

# Expectations are set like tables: value, causes, hint, section.
# fmt: off

STEPS = ("start_cache", "cached_layer")  # what `cached_step` builds on
SOURCE = torch.tensor([[5, 9, 4, 6], [8, 7, 0, 0], [6, 6, 10, 0]])
PREFIXES = torch.tensor([[2, 6, 4, 7], [2, 9, 7, 5], [2, 10, 8, 8]])


def made(student, norm_first=False):
    model = student.Transformer(11, 2, 8, 2, 12, 0.0, norm_first)
    model.eval()
    return model


def whole(model, source, prefixes):
    """The log probabilities after each prefix, decoding the whole prefix."""
    memory, mask = model.method("encode", source)
    logits, _ = model.method("decode", prefixes, memory, mask)
    return logits[:, -1].log_softmax(-1)


def asked(step, prefixes, cache):
    return expect.parts(step(prefixes, cache), 2, read="exercise 4.19",
                        otherwise="return (log probabilities, cache)")


@exercise("4.19")
def test_before_the_first_token(student):
    """The cache starts with keys and values of the source in every layer, none of the target."""
    model = made(student)
    cache = student.start_cache(model, SOURCE)
    layers = cache.get("layers")
    expect.equal(len(layers), 2, what="the number of layers", read="exercise 4.19")
    for name, n in (("source_keys", 4), ("source_values", 4), ("keys", 0), ("values", 0)):
        expect.shape(layers[1].get(name), (3, 2, n, 4), what=name, read="exercise 4.19",
                     otherwise="rows, heads, tokens, features per head")
    memory, mask = model.method("encode", SOURCE)
    state = model.state_dict()

    def projected(letter, attention="cross_attention"):
        name = f"decoder.layers.0.{attention}.w_{letter}"
        flat = memory @ state[f"{name}.weight"].T + state[f"{name}.bias"]
        return flat.unflatten(-1, (2, 4)).transpose(1, 2)

    for name, letter in (("source_keys", "k"), ("source_values", "v")):
        expect.close(
            layers[0].get(name), projected(letter), atol=1e-5, what=f"{name} of layer 0",
            otherwise="the memory through the cross-attention's projections, split into heads",
            read="§3.2.3")
    expect.close(cache.get("source_mask"), mask, what="source_mask", read="exercise 4.19")


@exercise("4.19", weight=2, after=STEPS)
def test_same_as_without(student):
    """Token by token, the same probabilities as for whole prefixes, in post-norm and pre-norm."""
    for norm_first in (False, True):
        model = made(student, norm_first)
        step, cache = student.cached_step(model), student.start_cache(model, SOURCE)
        for n in range(1, 5):
            got, cache = asked(step, PREFIXES[:, :n], cache)
            expect.close(
                got, whole(model, SOURCE, PREFIXES[:, :n]), atol=1e-4, read="exercise 4.19",
                what=f"log probabilities after {n} tokens, norm_first={norm_first},",
                otherwise="right for one token, wrong for two? Then its position, or what the "
                          "cache holds; wrong from the first: the norm, or the source"
                          if n > 1 else "compare one layer with its cached form")
            expect.equal(cache.get("layers.0.keys").shape[2], n, what="keys in the cache",
                         otherwise="one more for each token", read="exercise 4.19")


@exercise("4.19", after=STEPS)
def test_rows_that_move(student):
    """The same log probabilities after beams are reordered, dropped and duplicated."""
    model = made(student)
    step, cache = student.cached_step(model), student.start_cache(model, SOURCE)
    _, cache = asked(step, PREFIXES[:, :1], cache)
    _, cache = asked(step, PREFIXES[:, :2], cache)
    rows = torch.tensor([2, 0, 2, 1])
    cache = cache.method("reorder", rows)
    prefixes = torch.cat([PREFIXES[rows, :2], torch.tensor([[4], [5], [6], [7]])], dim=1)
    expect.close(asked(step, prefixes, cache)[0], whole(model, SOURCE[rows], prefixes), atol=1e-4,
                 what="log probabilities after reordering", read="exercise 4.19",
                 otherwise="all a step needs must be in its cache, and nowhere else")


@exercise("4.19", after=STEPS)
def test_nothing_new(student):
    """Prefixes that have not grown raise a ValueError; several new tokens are allowed."""
    model = made(student)
    step, cache = student.cached_step(model), student.start_cache(model, SOURCE)
    got, cache = asked(step, PREFIXES[:, :3], cache)
    expect.close(got, whole(model, SOURCE, PREFIXES[:, :3]), atol=1e-4, read="exercise 4.19",
                 what="log probabilities after three new tokens at once",
                 otherwise="new tokens must not see later ones")
    expect.raises(lambda: step(PREFIXES[:, :3], cache), read="exercise 4.19",
                  otherwise="raise a ValueError: the cache already holds all tokens")


@exercise("4.19", after=STEPS)
def test_old_cache_stays(student):
    """A step does not change the old cache: another beam may continue from it."""
    model = made(student)
    step, old = student.cached_step(model), student.start_cache(model, SOURCE)
    for n in (1, 2):
        before = [old.get(f"layers.{i}.{name}") for i in (0, 1) for name in ("keys", "values")]
        _, new = asked(step, PREFIXES[:, :n], old)
        after = [old.get(f"layers.{i}.{name}") for i in (0, 1) for name in ("keys", "values")]
        same = all(torch.equal(a, b) for a, b in zip(before, after, strict=True))
        expect.true(same, expected=f"the old cache with {n - 1} tokens, as before the step",
                    got=f"keys of shape {tuple(after[0].shape)}", read="exercise 4.19",
                    because="the step writes into the old cache: create new tensors")
        old = new

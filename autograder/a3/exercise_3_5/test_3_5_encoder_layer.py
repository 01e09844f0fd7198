"""Hidden tests of exercise 3.5: one encoder layer, with given weights."""

import torch

from autograder.a3.tensors import filled, is_none, normal
from grader.checking.question import question

READ = "§3.1, Encoder"
WAY = "first enter and leave `attention_residual`, then `feed_forward_residual`"


def build(its, rng, dropout=0.1, norm_first=False):
    return filled(its.EncoderLayer(8, 2, 12, dropout, norm_first), rng)


def ask(its, module, rng):
    """A module's outputs and weights, without and with a mask."""
    found, padded = {}, torch.arange(5) < torch.tensor([3, 5])[:, None, None, None]
    for name, mask in {"no mask": None, "a mask": padded}.items():
        called = its.call(module, normal(rng, 2, 5, 8), mask, need_weights=True)
        found[f"output, {name}"], found[f"weights, {name}"] = called.value
        found[f"arguments changed, {name}"] = called.changed
    return found


@question("3.5", weight=2, advice=WAY, read=READ)
def test_post_norm(its, rng):
    """Self-attention, then the feed-forward network, each added and then normalized."""
    return ask(its, build(its, rng), rng)


@question("3.5", weight=2, advice=WAY, read=READ)
def test_pre_norm(its, rng):
    """With `norm_first`, both sub-layers get the normalized input."""
    return ask(its, build(its, rng, norm_first=True), rng)


@question("3.5", advice="pass `dropout` to the attention and to both residuals", read="§5.4")
def test_dropout(its, rng):
    """The dropout rate reaches the attention and both residual connections, in training only."""
    module, x = build(its, rng, 1.0, norm_first=True), normal(rng, 2, 4, 8)
    found = {"the output in evaluation mode, dropout = 1": module(x)[0]}
    module.train()
    inner = module.get("attention")
    inner.train()
    return found | {"in training mode": module(x)[0], "of its attention": inner(x, x, x)[0]}


@question("3.5", advice="return None unless `need_weights` is True", read="the docstring of 3.5")
def test_weights_only_when_asked_for(its, rng):
    """`need_weights` switches between each head's weights and None."""
    module, x = build(its, rng), normal(rng, 1, 3, 8)
    return is_none(lambda **options: module(x, **options))


@question(
    "3.5", weight=2, atol=1e-3, rtol=1e-3, advice="no `.detach()`, no `torch.no_grad()`", read=READ
)
def test_gradients(its, rng):
    """The gradients of x and of every parameter are those of the formula."""
    module, x, cotangent = build(its, rng), normal(rng, 2, 3, 8), normal(rng, 2, 3, 8)
    found = its.vjp(module, x, cotangent=cotangent, parameters=True)
    return {"x": found.arguments[0]} | {f"`{n}`": one for n, one in found.parameters.items()}

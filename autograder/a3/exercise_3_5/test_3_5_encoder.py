"""Hidden tests of exercise 3.5: one encoder layer and a stack of them, with given weights."""

import torch

from autograder.a2.by_default import by_default
from autograder.a3.tensors import filled, normal
from grader.checking.question import question

READ = "§3.1, Encoder"
WAY = "first enter and leave `attention_residual`, then `feed_forward_residual`"
NEXT = "the output of one layer is the input of the next"
PARTS = ["EncoderLayer"]


def build_layer(its, rng, norm_first=False):
    return filled(its.EncoderLayer(8, 2, 12, norm_first=norm_first), rng)


def in_both_orders(its, rng, build):
    """Outputs and weights of post-norm and pre-norm modules, without and with a mask."""
    found, padded = {}, torch.arange(5) < torch.tensor([3, 5])[:, None, None, None]
    for order in (False, True):
        for name, mask in {"no mask": None, "a mask": padded}.items():
            module = build(its, rng, norm_first=order)
            called = its.call(module, normal(rng, 2, 5, 8), mask, need_weights=True)
            case = f"norm_first={order}, {name}"
            found[f"output, {case}"], found[f"weights, {case}"] = called.value
            found[f"arguments changed, {case}"] = called.changed
            found[f"the weights are a list, {case}"] = isinstance(called.value[1], (list, tuple))
        found[f"weights unasked, norm_first={order}"] = module(normal(rng, 1, 3, 8))[1]
    return found


@question("3.5", weight=3, advice=WAY, read=READ)
def test_post_norm(its, rng):
    """Self-attention, then the feed-forward network, each added and normalized, in both orders."""
    return in_both_orders(its, rng, build_layer)


@question(
    "3.5", weight=3, atol=1e-3, rtol=1e-3, advice="no `.detach()`, no `torch.no_grad()`", read=READ
)
def test_gradients(its, rng):
    """The gradients of x and of every parameter are those of the formula."""
    module, x, cotangent = build_layer(its, rng), normal(rng, 2, 3, 8), normal(rng, 2, 3, 8)
    found = its.vjp(module, x, cotangent=cotangent, parameters=True)
    return {"x": found.arguments[0]} | {f"`{n}`": one for n, one in found.parameters.items()}


def build_stack(its, rng, norm_first=False):
    return filled(its.Encoder(3, 8, 2, 12, norm_first=norm_first), rng)


@question("3.5", weight=3, builds_on=PARTS, advice=NEXT, read=READ)
def test_stack(its, rng):
    """Three layers in sequence; with `norm_first` alone, a last norm follows."""
    return in_both_orders(its, rng, build_stack)


@question("3.5", builds_on=PARTS, advice="a new list for each call, or None", read="its docstring")
def test_weights_only_when_asked_for(its, rng):
    """Without `need_weights` the result is (output, None), with it one per layer."""
    module, x = build_stack(its, rng), normal(rng, 1, 3, 8)
    found = {f"None with {o}": module(x, **o)[1] is None for o in ({}, {"need_weights": False})}
    module(x, need_weights=True)
    return found | {"weights in a later call": len(module(x, need_weights=True)[1])}


@question(
    "3.5", weight=2, builds_on=PARTS, advice="pass `dropout` to each part that has one", read="§5.4"
)
def test_dropout(its, rng):
    """`dropout` reaches the attention, both residual connections and every layer of a stack."""
    layer, x = filled(its.EncoderLayer(8, 2, 12, 1.0, True), rng), normal(rng, 2, 3, 8)
    stack, inner = filled(its.Encoder(3, 8, 2, 12, 1.0, True), rng), layer.get("attention")
    layer.train()
    stack.train()
    sizes, wide = {"d_model": 8, "d_ff": 4}, normal(rng, 1, 2, 512)
    found = by_default(its, "EncoderLayer", wide) | by_default(its, "Encoder", wide, **sizes)
    found |= {"a layer": layer(x)[0], "its attention": inner(x, x, x)[0]}
    return found | {"a stack": stack(x)[0]}

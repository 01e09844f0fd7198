"""Hidden tests of exercise 3.5: one encoder layer, with given weights."""

import torch

from autograder.a3.tensors import filled, normal
from grader.checking.question import question

READ = "§3.1, Encoder"
WAY = "first enter and leave `attention_residual`, then `feed_forward_residual`"


def build(its, rng, norm_first=False):
    return filled(its.EncoderLayer(8, 2, 12, norm_first=norm_first), rng)


def ask(its, rng, build):
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
    return ask(its, rng, build)


@question(
    "3.5", weight=3, atol=1e-3, rtol=1e-3, advice="no `.detach()`, no `torch.no_grad()`", read=READ
)
def test_gradients(its, rng):
    """The gradients of x and of every parameter are those of the formula."""
    module, x, cotangent = build(its, rng), normal(rng, 2, 3, 8), normal(rng, 2, 3, 8)
    found = its.vjp(module, x, cotangent=cotangent, parameters=True)
    return {"x": found.arguments[0]} | {f"`{n}`": one for n, one in found.parameters.items()}

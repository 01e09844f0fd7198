"""Hidden tests of exercise 2.6: the residual connection, post-norm and pre-norm."""

import torch

from autograder.a2.tensors import normal
from grader.checking.question import question

DROPPED = "dropout of the sub-layer's output alone, at the rate of the constructor"


def training(its, x, y, **options):
    """The module's `leave` in training, and what its `enter` makes of x."""
    module = its.ResidualConnection(16, 0.5, **options)
    module.train()
    read = its.call(module.get("enter"), x, seed=1).value
    return its.call(module.get("leave"), x, y, seed=1).value, read


@question("2.6", weight=5, advice=DROPPED, read="§5.4")
def test_dropout(its, rng):
    """In training, dropout is applied to the sub-layer's output, before the addition."""
    x = 3 + normal(rng, 4, 16)
    left, read = training(its, x, torch.ones_like(x), norm_first=True)
    added, plain = left - x, its.ResidualConnection(16, norm_first=True)
    ones = its.call(plain.get("leave"), 0 * x, torch.ones_like(x), seed=1).value
    return {
        "what the sub-layer reads": read,
        "after a sub-layer of zeros": training(its, x, torch.zeros_like(x), norm_first=True)[0],
        "some of its ones are dropped, not all": 0 < int((added > 0.5).sum()) < added.numel(),
        "what kept ones are by default": round(float(ones.max()), 2),
        "kept ones are doubled": torch.allclose(added, 2.0 * (added > 0.5), atol=1e-3),
    }


@question("2.6", weight=5, advice=DROPPED, read="§5.4")
def test_dropout_of_post_norm(its, rng):
    """In post-norm order the sub-layer gets x itself, and dropout is applied to its output."""
    x = 3 + normal(rng, 4, 16)
    (left, read), (none, _) = (training(its, x, f(x)) for f in (torch.ones_like, torch.zeros_like))
    found = {"what the sub-layer reads": read, "after a sub-layer of zeros": none}
    return found | {"some of its ones are dropped": not torch.allclose(left, none, atol=1e-2)}


@question("2.6", weight=4, advice="one LayerNorm, made in `__init__`, in both orders")
def test_one_normalisation(its, rng):
    """The module has one LayerNorm of d_model features, and uses its gain and bias."""
    module, gain, bias = its.ResidualConnection(8), normal(rng, 8), normal(rng, 8)
    module.eval()
    state = module.state_dict()
    module.load_state_dict({n: gain if bool(v.all()) else bias for n, v in state.items()})
    x, shapes = normal(rng, 3, 8), [list(state[name].shape) for name in module.parameters()]
    return {"after `leave`": module.method("leave", x, 2 * x), "shapes of the parameters": shapes}


@question("2.6", weight=5, advice="`.detach()` or `torch.no_grad()` cuts one of the two paths")
def test_gradients(its, rng):
    """In both orders, values and gradients around the sub-layer and through it."""
    found, x, y, cotangent = {}, *(normal(rng, 3, 8) for _ in range(3))
    modules = {order: its.ResidualConnection(8, 0.5, norm_first=order) for order in (False, True)}
    for order, module in modules.items():
        module.eval()
        read = its.vjp(module.get("enter"), x, cotangent=cotangent)
        left = its.vjp(module.get("leave"), x, y, cotangent=cotangent)
        of = f", norm_first={order}"
        found |= {f"what `enter` returns{of}": read.value, f"what `leave` returns{of}": left.value}
        found |= {f"gradient of `enter`{of}": read.arguments[0]}
        found |= {f"gradient of `leave` by {'xy'[i]}{of}": left.arguments[i] for i in (0, 1)}
    return found

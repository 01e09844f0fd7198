"""The visible checks of exercise 2.6: the residual connection."""

from itertools import product

import torch

from grader.checking.question import question

X = torch.arange(24.0).sin().reshape(2, 3, 4)
ORDERS = {"post-norm": False, "pre-norm": True}


def around_a_square(its, mode="train", **options):
    """What a residual connection makes of x, around a sub-layer that squares its input."""
    module = its.ResidualConnection(4, **options)
    module.method(mode)
    read = its.vjp(module.get("enter"), X)
    left = its.vjp(module.get("leave"), X, read.value * read.value, cotangent=X.cos())
    gradients = read.arguments[0], left.arguments[0], left.arguments[1]
    names = [f"gradient of {name}" for name in ("`enter` by x", "`leave` by x", "`leave` by y")]
    found = {"the output": left.value, "the sub-layer's input": read.value}
    return found | dict(zip(names, gradients, strict=True))


@question("2.6", weight=2, advice="which of the two is normalized, x or the sum?", read="§3.1")
def test_post_norm(its):
    """LayerNorm(x + Sublayer(x)); with `norm_first`, x + Sublayer(LayerNorm(x))."""
    found = {order: around_a_square(its, dropout=0.0, norm_first=ORDERS[order]) for order in ORDERS}
    module = its.ResidualConnection(4)
    module.method("eval")
    state = module.state_dict()
    module.load_state_dict({name: 2 * value for name, value in state.items()})
    doubled = {
        "parameters": len(module.parameters()),
        "of a doubled gain": module.method("leave", X, X),
    }
    found = {f"{name}, {o}": value for o, one in found.items() for name, value in one.items()}
    return found | doubled


@question("2.6", weight=2, advice="x + dropout(…), normalized afterwards in post-norm", read="§5.4")
def test_dropout_spares_x(its):
    """Dropout is applied only to the sub-layer's output: with a rate of 1, x remains."""
    found = {}
    for order, mode in product(ORDERS, ("train", "eval")):
        part = around_a_square(its, mode, dropout=1.0, norm_first=ORDERS[order])
        found |= {f"{name}, {order}, {mode}": part[name] for name in list(part)[:2]}
    return found

"""Hidden tests of exercise 2.6: the residual connection, post-norm and pre-norm."""

import torch

from autograder.a2.tensors import normal
from grader.checking.question import question

POST, PRE = "§3.1, LayerNorm(x + Sublayer(x))", "Xiong et al. 2020, Figure 1"
DROPPED = "dropout of the sub-layer's output alone, at the rate of the constructor"
ORDERS = {"post-norm": {}, "pre-norm": {"norm_first": True}}


def around(its, x, f, dropout=0.1, **options):
    """What a module in evaluation mode makes of x around the sub-layer f."""
    module = its.ResidualConnection(x.shape[-1], dropout, **options)
    module.eval()
    return module.method("leave", x, f(module.method("enter", x)))


def orders(its, rng, options):
    x, other, one = 2 + 3 * normal(rng, 2, 3, 8), normal(rng, 8, 8), normal(rng, 8)
    return {
        "of a square": around(its, x, torch.square, **options),  # not affine: no norm undoes it
        "of a product": around(its, x, lambda x: (x @ other).tanh(), **options),
        "of zeros": around(its, x[0], torch.zeros_like, **options),
        "of one token itself": around(its, one, torch.clone, **options),
    }


@question("2.6", weight=2, advice="LayerNorm(x + sublayer(x))", read=POST)
def test_post_norm(its, rng):
    """By default: add, then normalize; any leading axes work."""
    return orders(its, rng, {})


@question("2.6", weight=2, advice="x + sublayer(LayerNorm(x))", read=PRE)
def test_pre_norm(its, rng):
    """With `norm_first`: normalize, apply the sub-layer, then add x itself."""
    return orders(its, rng, {"norm_first": True})


@question("2.6", advice="make new tensors: `x + …`, and no `inplace=True`", read="exercise 2.6")
def test_inputs_unchanged(its, rng):
    """`enter` and `leave` leave x and y as they are, in training, too."""
    found, x, y = {}, normal(rng, 2, 3, 8), normal(rng, 2, 3, 8)
    for order, options in ORDERS.items():
        module = its.ResidualConnection(8, 0.5, **options)
        module.train()
        found[f"changed by `enter`, {order}"] = its.call(module.get("enter"), x).changed
        found[f"changed by `leave`, {order}"] = its.call(module.get("leave"), x, y).changed
    return found


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
    added = left - x
    return {
        "what the sub-layer reads": read,
        "after a sub-layer of zeros": training(its, x, torch.zeros_like(x), norm_first=True)[0],
        "some of its ones are dropped, not all": 0 < int((added > 0.5).sum()) < added.numel(),
        "kept ones are doubled": torch.allclose(added, 2.0 * (added > 0.5), atol=1e-3),
        "in evaluation, ones are added": around(its, x, torch.ones_like, 0.5, norm_first=True),
    }


@question("2.6", weight=5, advice=DROPPED, read="§5.4")
def test_dropout_of_post_norm(its, rng):
    """In post-norm order the sub-layer gets x itself, and dropout is applied to its output."""
    x = 3 + normal(rng, 4, 16)
    (left, read), (none, _) = (training(its, x, f(x)) for f in (torch.ones_like, torch.zeros_like))
    found = {"what the sub-layer reads": read, "after a sub-layer of zeros": none}
    return found | {"some of its ones are dropped": not torch.allclose(left, none, atol=1e-2)}


@question("2.6", weight=3, advice="one LayerNorm, made in `__init__`, in both orders", read=POST)
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
    """Gradients flow both around the sub-layer and through it."""
    found, x, y, cotangent = {}, *(normal(rng, 3, 8) for _ in range(3))
    modules = {order: its.ResidualConnection(8, 0.0, **ORDERS[order]) for order in ORDERS}
    for order, module in modules.items():
        read = its.vjp(module.get("enter"), x, cotangent=cotangent).arguments
        left = its.vjp(module.get("leave"), x, y, cotangent=cotangent).arguments
        gradients = {"`enter` by x": read[0], "`leave` by x": left[0], "`leave` by y": left[1]}
        found |= {f"the gradient of {name}, {order}": one for name, one in gradients.items()}
    return found

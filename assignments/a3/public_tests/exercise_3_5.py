"""The visible checks of exercise 3.5: the encoder, a layer and the stack."""

import numpy as np
import torch

from grader.checking.question import question

MASK = torch.tensor([True, True, False])[None, None, None]
PARTS = ["EncoderLayer"]


def draw(seed, *shape):
    return torch.tensor(np.random.RandomState(seed).randn(*shape), dtype=torch.float32)


X = draw(99, 1, 3, 4)


def filled(module):
    """The module in evaluation mode, with drawn parameters."""
    state = module.state_dict()
    module.load_state_dict({n: draw(i, *state[n].shape) for i, n in enumerate(sorted(state))})
    module.eval()
    return module


def both(its, build):
    """Outputs, weights and gradients of the modules for both orders."""
    found = {}
    for order in (False, True):
        module = filled(build(order))
        output, weights = module(X, MASK, True)
        one = {"output": output, "weights": weights, "weights unasked": module(X, MASK)[1]}
        one |= {"the weights are a list": isinstance(weights, (list, tuple))}
        one["gradient of x"] = its.vjp(module, X, cotangent=draw(7, 1, 3, 4)).arguments[0]
        found |= {f"{name}, norm_first={order}": value for name, value in one.items()}
    return found


@question("3.5", weight=2, advice="enter, attend, leave; enter, feed forward, leave", read="§3.1")
def test_post_norm_parity(its):
    """In both orders: output, weights and gradient of a layer with given parameters."""
    return both(its, lambda order: its.EncoderLayer(4, 2, 5, norm_first=order))


@question(
    "3.5", weight=3, builds_on=PARTS, advice="pass `dropout` to each part that has one", read="§5.4"
)
def test_layer_dropout(its):
    """`dropout` reaches the attention, both residual connections and every layer of a stack."""
    module = filled(its.EncoderLayer(4, 2, 5, dropout=1.0, norm_first=True))
    module.train()
    inner, stack = module.get("attention"), filled(its.Encoder(2, 4, 2, 5, 1.0, True))
    stack.train()
    found = {"a layer in training mode": module(X)[0], "its attention": inner(X, X, X)[0]}
    return found | {"a stack": stack(X)[0]}


@question("3.5", builds_on=PARTS, advice="register every layer, each with its own", read="§3.1")
def test_own_parameters(its):
    """Each layer has its own parameters, all registered with the model."""
    found = {}
    for order in (False, True):
        names = its.Encoder(2, 4, 2, 5, norm_first=order).parameters()
        found[f"the parts, norm_first={order}"] = sorted({name.split(".")[0] for name in names})
        found[f"the number of parameters, norm_first={order}"] = len(names)
    return found


@question("3.5", weight=2, builds_on=PARTS, advice="x goes through all layers in turn", read="§3.1")
def test_one_after_the_other(its):
    """The layers follow one another; in pre-norm order a LayerNorm ends the stack."""
    return both(its, lambda order: its.Encoder(2, 4, 2, 5, norm_first=order))

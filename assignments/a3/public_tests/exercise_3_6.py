"""The visible checks of exercise 3.6: the stack."""

import torch

from course_lib.checking import expect
from course_lib.checking.exercise import exercise

# Expectations are set like tables: value, causes, hint, section.
# fmt: off


def draw(seed, *shape):
    return torch.randn(shape, generator=torch.Generator().manual_seed(seed))


def plain_norm(x):
    """Layer normalization without gain and bias."""
    centered = x - x.mean(-1, keepdim=True)
    return centered / torch.sqrt((centered * centered).mean(-1, keepdim=True) + 1e-6)


REAL = torch.tensor([[True, True, True, True], [True, True, False, False]])
MASK = REAL[:, None, None, :]


@exercise("3.6")
def test_own_parameters(student):
    """Each layer has its own parameters, all registered with the model."""
    names = student.Encoder(3, 8, 2, 12).parameters()
    each = 16  # four projections, two linear layers, two norms; a weight and a bias each
    expect.equal(
        len(names), 3 * each, what="the number of parameter tensors of three layers",
        causes={"the same layer three times: create a new one each time": each,
                "layers in a plain list are not registered: use nn.ModuleList": 0,
                "a norm at the end of post-norm": 3 * each + 2},
        otherwise="three layers, and no norm at the end of post-norm", read="§3.1")


@exercise("3.6")
def test_one_after_the_other(student):
    """The layers follow one another; in pre-norm order a LayerNorm ends the stack."""
    x = draw(0, 2, 4, 8)
    for norm_first in (False, True):
        module = student.Encoder(2, 8, 2, 12, dropout=0.0, norm_first=norm_first)
        first = module.get("layers.0")(x, MASK)[0]
        both = module.get("layers.1")(first, MASK)[0]
        output, _ = expect.parts(module(x, MASK), 2, read="exercise 3.6")
        ends = {"the last LayerNorm is missing" if norm_first else
                "one LayerNorm too many: only pre-norm needs one at the end":
                    both if norm_first else plain_norm(both)}
        expect.close(
            output, plain_norm(both) if norm_first else both, atol=1e-5,
            what=f"output with norm_first={norm_first}",
            causes={"only the first layer is used": first, **ends},
            otherwise="x goes through all layers in turn, with the mask", read="exercise 3.6")


@exercise("3.6")
def test_weights_of_every_layer(student):
    """With `need_weights`, a list with one tensor per layer."""
    module, x = student.Encoder(3, 8, 2, 12, dropout=0.0), draw(0, 2, 4, 8)
    _, weights = expect.parts(module(x, MASK, True), 2)
    expect.parts(weights, 3, otherwise="append the weights of every layer", read="exercise 3.6")
    first = expect.parts(module.get("layers.0")(x, MASK, True), 2)[1]
    expect.close(
        weights[0], first, atol=1e-5, what="the first layer's",
        otherwise="from the input up: the first layer's weights come first", read="exercise 3.6")
    expect.equal(
        expect.parts(module(x, MASK), 2)[1], None, what="the weights with need_weights=False",
        causes={"a list of None is not None": [None] * 3}, read="exercise 3.6")


@exercise("3.6")
def test_dropout_of_the_layers(student):
    """`dropout` reaches every layer."""
    rates = [student.Encoder(2, 8, 2, 12, dropout=0.7).get(
        f"layers.{i}.attention.dropout.p") for i in (0, 1)]
    expect.close(rates, [0.7, 0.7], what="the rate in the attention of each layer",
                 causes={"`dropout` is not passed on: this is the default": [0.1, 0.1]},
                 otherwise="pass `dropout` to every layer", read="exercise 3.6")

"""The visible checks of exercise 2.6: the residual connection."""

import torch

from course_lib.checking import expect
from course_lib.checking.exercise import exercise

# Expectations are set like tables: value, causes, hint, section.
# fmt: off


def draw(seed, *shape):
    return torch.randn(shape, generator=torch.Generator().manual_seed(seed))


def plain_norm(x):
    """Layer normalisation without gain and bias."""
    centred = x - x.mean(-1, keepdim=True)
    return centred / torch.sqrt((centred * centred).mean(-1, keepdim=True) + 1e-6)


@exercise("2.6")
def test_post_norm(student):
    """The paper's order: LayerNorm(x + Sublayer(x))."""
    x = draw(0, 2, 3, 4)
    got = student.ResidualConnection(4, dropout=0.0)(x, student.make("lambda x: x * x"))
    expect.close(
        got, plain_norm(x + x * x), atol=1e-5,
        causes={"that is pre-norm, x + Sublayer(LayerNorm(x)): the default is the paper's order":
                    x + plain_norm(x) ** 2,
                "the input is not added to the sub-layer's output": plain_norm(x * x),
                "only the sub-layer's output is normalised: normalise the sum":
                    x + plain_norm(x * x),
                "the sum is not normalised": x + x * x},
        otherwise="the sub-layer sees x; the sum is normalised", read="§3.1")


@exercise("2.6")
def test_pre_norm(student):
    """With `norm_first`: x + Sublayer(LayerNorm(x))."""
    x = draw(0, 2, 3, 4)
    got = student.ResidualConnection(4, dropout=0.0, norm_first=True)(
        x, student.make("lambda x: x * x"))
    expect.close(
        got, x + plain_norm(x) ** 2, atol=1e-5,
        causes={"that is post-norm: `norm_first` changes nothing, or the orders are swapped":
                    plain_norm(x + x * x),
                "the normalised x is added: what goes round the sub-layer is x itself":
                    plain_norm(x) + plain_norm(x) ** 2},
        otherwise="only the sub-layer sees the normalised x", read="exercise 2.6")


@exercise("2.6")
def test_dropout_spares_x(student):
    """Dropout falls on the sub-layer's output alone: with dropout 1, x is all that is left."""
    x = draw(0, 2, 3, 4)
    got = student.ResidualConnection(4, dropout=1.0, norm_first=True)(
        x, student.make("lambda x: x * x"))
    expect.close(
        got, x,
        causes={"dropout falls on the sum, and x is lost with it": torch.zeros(2, 3, 4),
                "dropout is not used": x + plain_norm(x) ** 2},
        otherwise="x + dropout(…)", read="§5.4")
    got = student.ResidualConnection(4, dropout=1.0)(x, student.make("lambda x: x * x"))
    expect.close(
        got, plain_norm(x), atol=1e-5, what="post-norm",
        causes={"dropout falls on the sum, or after the norm: x is lost with it":
                    torch.zeros(2, 3, 4),
                "dropout is not used": plain_norm(x + x * x)},
        otherwise="LayerNorm(x + dropout(…))", read="§5.4")


@exercise("2.6")
def test_one_call(student):
    """The sub-layer is called exactly once."""
    for norm_first in (False, True):
        module = student.ResidualConnection(4, dropout=0.0, norm_first=norm_first)
        calls = student.make("[]")
        module(draw(0, 2, 3, 4),
               student.make("lambda x: (calls.append(1), x)[1]", calls=calls))
        expect.equal(
            calls.method("__len__"), 1, what=f"calls with norm_first={norm_first}",
            causes={"keep the sub-layer's output in a variable": 2}, read="exercise 2.6")

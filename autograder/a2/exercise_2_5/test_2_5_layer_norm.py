"""Hidden tests of exercise 2.5: layer normalization.

Inputs have four features with a standard deviation of exactly 1e-2 in every row, where an unbiased
variance or an ε outside the root is off by far more than rounding, whatever the seed. At
d_model = 512 the difference would be too small to see.
"""

import numpy as np
import torch

# Imported by name before any rule removes it: students may not call it, the tests may.
from torch import native_layer_norm

from autograder.a2.tensors import flow, normal
from grader.checking import expect
from grader.checking.exercise import exercise
from grader.checking.known_mistakes import known_mistakes

MISTAKE = known_mistakes(__file__)

NORM = "§3.1; Ba et al. 2016, Eq. 4"


def small(rng, *shape):
    drawn = rng.normal(size=shape)
    centered = drawn - drawn.mean(-1, keepdims=True)
    rows = centered / centered.std(-1, keepdims=True) + 0.3 * rng.normal(size=(*shape[:-1], 1))
    return torch.from_numpy((1e-2 * rows).astype(np.float32))


def expected(x, gain=None, bias=None, eps=1e-6):
    return native_layer_norm(x, (x.shape[-1],), gain, bias, eps)[0]


def normalized(x, dim=-1, unbiased=False, outside=False, eps=1e-6):
    variance = x.var(dim, unbiased=unbiased, keepdim=True)
    root = variance.sqrt() + eps if outside else (variance + eps).sqrt()
    return (x - x.mean(dim, keepdim=True)) / root


def gain_and_bias(norm):
    """Names of the two parameters, identified by their initial values: the names are free.

    Raises Failure unless there are exactly two, one of ones and one of zeros.
    """
    state = {name: value for name, value in norm.state_dict().items() if name in norm.parameters()}
    gains = [name for name, value in state.items() if bool((value == 1).all())]
    biases = [name for name, value in state.items() if bool((value == 0).all())]
    expect.true(
        len(gains) == len(biases) == 1 and len(state) == 2,
        expected="two parameters: a gain initialized to ones, a bias initialized to zeros",
        got=", ".join(f"{name} = {expect.show(value)}" for name, value in state.items()) or "none",
        because="" if state else MISTAKE.layer_norm_no_parameters,
        otherwise="two attributes, `nn.Parameter(torch.ones(d_model))` and one of zeros",
        read=NORM,
    )
    return gains[0], biases[0]


@exercise("2.5")
def test_module(student, rng):
    """An `nn.Module` with a trainable gain of ones and a trainable bias of zeros."""
    norm = student.LayerNorm(4)
    expect.true(
        "torch.nn.modules.module.Module" in norm.bases(),
        expected="a subclass of torch.nn.Module",
        got=f"{norm.type_name}, which is not a subclass of it",
    )
    names = gain_and_bias(norm)
    for name in names:
        expect.shape(norm.state_dict()[name], (4,), what=f"`{name}`", read=NORM)
    expect.true(
        all(norm.parameters().values()),
        expected="trainable parameters",
        got="requires_grad=False",
    )
    for shape in [(4,), (3, 4), (2, 3, 2, 4)]:
        x = small(rng, *shape)
        called = student.call(norm, x)
        expect.close(
            called.value,
            expected(x),
            atol=1e-4,
            otherwise="normalize over the last axis, whatever the leading axes",
            read=NORM,
            what=f"the output for shape {shape}",
        )
        expect.dtype(called.value, "float32", what="the output")
        expect.unchanged(called.changed)


@exercise("2.5", weight=2)
def test_variance_and_epsilon(student, rng):
    """The variance is the biased one, and ε is added inside the square root."""
    x = small(rng, 6, 4)
    centered = x - x.mean(-1, keepdim=True)
    expect.close(
        student.LayerNorm(4)(x),
        expected(x),
        atol=1e-4,
        otherwise="(x − mean) / √(variance + ε), mean and variance over the features of one token",
        read=NORM,
    )


@exercise("2.5")
def test_epsilon_is_the_argument(student, rng):
    """The `eps` argument is used."""
    x = small(rng, 5, 4)
    for eps in (1e-4, 1e-3):
        expect.close(
            student.LayerNorm(4, eps=eps)(x),
            expected(x, eps=eps),
            atol=1e-4,
            otherwise="√(variance + eps)",
            read=NORM,
        )


@exercise("2.5")
def test_large_mean(student, rng):
    """The variance is the mean of (x − mean)², which stays accurate for a mean of thousands."""
    # Integers below 2²⁴: float32 represents x, the mean and x − mean exactly.
    steps = torch.from_numpy(rng.permuted(np.tile([-3.0, -1.0, 1.0, 3.0], (6, 1)), axis=1)).float()
    x = steps + torch.from_numpy(4096.0 + rng.integers(0, 512, size=(6, 1))).float()
    difference = x.square().mean(-1, keepdim=True) - x.mean(-1, keepdim=True).square()
    expect.close(
        student.LayerNorm(4)(x),
        expected(x.double()),
        atol=1e-4,
        otherwise="(x − mean) / √(variance + ε), with the variance computed from x − mean",
        read=NORM,
    )


@exercise("2.5")
def test_each_token_by_itself(student, rng):
    """Mean and variance are over the features of one token, not over tokens or the batch."""
    x = small(rng, 3, 5, 4)
    x[1] += 0.1
    whole = x - x.mean()
    expect.close(
        student.LayerNorm(4)(x),
        expected(x),
        atol=1e-4,
        otherwise="mean and variance over the last axis only, with keepdim=True",
        read=NORM,
    )


@exercise("2.5")
def test_gain_and_bias_are_applied(student, rng):
    """The result is gain · normalized + bias, feature by feature."""
    norm = student.LayerNorm(4)
    names = gain_and_bias(norm)
    gain, bias = (normal(rng, 4) for _ in range(2))
    state = norm.state_dict()
    norm.load_state_dict({**state, names[0]: gain, names[1]: bias})
    x = small(rng, 2, 3, 4)
    plain = expected(x)
    expect.close(
        norm(x),
        expected(x, gain, bias),
        atol=1e-4,
        otherwise="gain · normalized + bias",
        read=NORM,
    )


@exercise("2.5")
def test_gradients(student, rng):
    """Gradients of x, gain and bias equal torch's, including through mean and variance."""
    norm = student.LayerNorm(4)
    names = gain_and_bias(norm)
    x, cotangent = small(rng, 3, 4), normal(rng, 3, 4)
    leaf, gain, bias = (t.clone().requires_grad_() for t in (x, torch.ones(4), torch.zeros(4)))
    wanted = torch.autograd.grad(expected(leaf, gain, bias), (leaf, gain, bias), cotangent)
    root = (x.var(-1, unbiased=False, keepdim=True) + 1e-6).sqrt()
    got = student.vjp(norm, x, cotangent=cotangent, parameters=True)
    expect.close(
        flow(got.arguments, 0, x),
        wanted[0],
        atol=1e-3,
        rtol=1e-4,
        otherwise="a wrong variance or ε also changes the gradient; "
        "otherwise something cuts the graph",
        read=NORM,
        what="the gradient with respect to x",
    )
    for name, want in zip(names, wanted[1:], strict=True):
        expect.close(
            flow(got.parameters, name, want),
            want,
            atol=1e-4,
            otherwise=f"the result must depend on `{name}`, an nn.Parameter",
            read=NORM,
            what=f"the gradient of `{name}`",
        )

"""Hidden tests of exercise 2.5: layer normalization.

Tokens have four features, where an unbiased variance is off by far more than rounding, and where ε
matters their standard deviation is exactly 1e-2. At d_model = 512 no difference would show.
"""

import torch

from autograder.a2.tensors import normal
from grader.checking.question import question

NORM, TOKEN = "§3.1; Ba et al. 2016, Eq. 4", "mean and variance of the last axis, with keepdim=True"
FORMULA = "gain · (x − mean) / √(variance + ε) + bias"


def tokens(rng, *shape):
    """Random rows with a standard deviation of 1e-2."""
    centered = normal(rng, *shape)
    centered = centered - centered.mean(-1, True)
    return 1e-2 * (centered / centered.std(-1, correction=0, keepdim=True) + 0.3)


def trained(its, rng):
    """A norm with random parameters, whose names are free: ones are the gain, zeros the bias."""
    norm = its.LayerNorm(4)
    names = sorted(norm.state_dict(), key=lambda name: -norm.state_dict()[name].sum())
    norm.load_state_dict({name: normal(rng, 4) for name in names})
    return norm, names


@question("2.5", advice="two nn.Parameter: a gain of ones and a bias of zeros", read=NORM)
def test_module(its, rng):
    """An `nn.Module` with a trainable gain of ones and a trainable bias of zeros."""
    norm = its.LayerNorm(4)
    found = {
        f"the output for shape {s}": norm(normal(rng, *s)) for s in ((4,), (3, 4), (2, 3, 2, 4))
    }
    called = its.call(norm, normal(rng, 3, 1, 4))
    state, found["arguments that it changed"] = norm.state_dict(), called.changed
    found["its dtype"] = str(called.value.dtype)
    found["parameters, sorted"] = sorted(state[name].tolist() for name in norm.parameters())
    return found | {"all are trained": all(norm.parameters().values())}


@question("2.5", weight=2, advice=FORMULA, read=NORM)
def test_variance_and_epsilon(its, rng):
    """The variance is the biased one, and ε is added inside the square root, twice the same."""
    x, norm = tokens(rng, 6, 4), its.LayerNorm(4)
    return {"the output": norm(x), "of other inputs after it": norm(100 * tokens(rng, 6, 4))}


@question("2.5", advice="√(variance + eps)", read=NORM)
def test_epsilon_is_the_argument(its, rng):
    """The `eps` argument is used."""
    return {f"eps = {eps}": its.LayerNorm(4, eps=eps)(tokens(rng, 5, 4)) for eps in (1e-4, 1e-3)}


@question("2.5", advice="compute the variance from x − mean", read=NORM)
def test_large_mean(its, rng):
    """The variance is the mean of (x − mean)², which stays accurate for a mean of thousands."""
    # Integers below 2²⁴: float32 represents x, the mean and x − mean exactly.
    steps = torch.tensor([-3.0, -1.0, 1.0, 3.0])[torch.from_numpy(rng.permutation(4))]
    return its.LayerNorm(4)(steps + torch.from_numpy(rng.integers(4096, 4608, (6, 1))))


@question("2.5", weight=2, advice=TOKEN, read=NORM)
def test_each_token_by_itself(its, rng):
    """Mean and variance are over the features of one token, not over tokens or the batch."""
    return its.LayerNorm(4)(normal(rng, 3, 5, 4) + normal(rng, 3, 1, 1))


@question("2.5", weight=2, advice=FORMULA, read=NORM)
def test_gain_and_bias_are_applied(its, rng):
    """The result is gain · normalized + bias, feature by feature."""
    return trained(its, rng)[0](normal(rng, 2, 3, 4))


@question("2.5", weight=3, advice="a wrong variance changes it, too; or something cuts the graph")
def test_gradients(its, rng):
    """Gradients of x, gain and bias include those through mean and variance."""
    norm, names = trained(its, rng)
    got = its.vjp(norm, normal(rng, 3, 4), cotangent=normal(rng, 3, 4), parameters=True)
    gain, bias = (got.parameters[name] for name in names)
    return {"of x": got.arguments[0], "of the gain": gain, "of the bias": bias}

"""Hidden tests of exercise 2.5: layer normalization.

Tokens have four features, where an unbiased variance is off by far more than rounding, and where ε
matters their standard deviation is exactly 1e-2. At d_model = 512 no difference would show.
"""

import torch

from autograder.a2.tensors import normal
from grader.checking.question import question

NORM = "§3.1; Ba et al. 2016, Eq. 4"
FORMULA = "gain · (x − mean) / √(variance + ε) + bias"


def tokens(rng, *shape):
    """Random rows with a standard deviation of 1e-2."""
    centered = normal(rng, *shape)
    centered = centered - centered.mean(-1, True)
    return 1e-2 * (centered / centered.std(-1, correction=0, keepdim=True) + 0.3)


@question("2.5", weight=2, advice="two nn.Parameter: a gain of ones and a bias of zeros", read=NORM)
def test_module(its, rng):
    """An `nn.Module` with a trainable gain of ones and a trainable bias of zeros."""
    norm = its.LayerNorm(4)
    shapes, state = ((4,), (3, 4), (2, 3, 2, 4)), norm.state_dict()
    found = {f"the output for shape {s}": norm(normal(rng, *s)) for s in shapes}
    found["its dtype"] = str(norm(normal(rng, 3, 1, 4)).dtype)
    found["parameters, sorted"] = sorted(state[name].tolist() for name in norm.parameters())
    return found | {"all are trained": all(norm.parameters().values())}


@question("2.5", weight=3, advice=FORMULA, read=NORM)
def test_variance_and_epsilon(its, rng):
    """The variance is the biased one, and the given ε is added inside the square root."""
    x, norm = tokens(rng, 6, 4), its.LayerNorm(4)
    found = {"the output": norm(x), "of other inputs after it": norm(100 * tokens(rng, 6, 4))}
    far = 4096.0 + torch.from_numpy(rng.integers(-9, 10, size=(6, 4))).float()
    found["at a mean of about 4,096"] = norm(far)
    return found | {f"eps = {eps}": its.LayerNorm(4, eps=eps)(x) for eps in (1e-4, 1e-3)}


@question("2.5", weight=3, advice="a wrong variance changes it, too; or something cuts the graph")
def test_gradients(its, rng):
    """Gradients of x, gain and bias include those through mean and variance."""
    norm = its.LayerNorm(4)
    # The names are free: ones are the gain, zeros the bias.
    state = norm.state_dict()
    names = sorted(norm.parameters(), key=lambda name: -state[name].sum())
    norm.load_state_dict({name: normal(rng, 4) for name in names})
    got = its.vjp(norm, normal(rng, 3, 4), cotangent=normal(rng, 3, 4), parameters=True)
    gain, bias = (got.parameters[name] for name in names)
    found = {"the output": got.value, "the gradient of x": got.arguments[0]}
    return found | {"that of the gain": gain, "that of the bias": bias}

"""How the hidden tests of 4.19 decode: a model with known weights, step by step with a cache."""

import math

import numpy as np
import torch

READ = "§3.2.3; the docstrings of 4.19"
AFTER = ["start_cache", "cached_layer"]
SAME = "the same log probabilities as without a cache"
# Logits reach 50 with these weights, so two correct results differ by up to 1.1e-5 in float32
# across processors.
ROUNDING = 2e-4
MATRIX = "embedding.tokens.weight"
SOURCE = torch.tensor([[5, 6, 7, 8], [10, 4, 0, 0], [9, 5, 7, 0]])


def model(its, rng, norm_first=False, **options):
    """A Transformer of two layers in evaluation mode, with random weights."""
    made = its.Transformer(11, 2, 8, 2, 16, norm_first=norm_first, **options)
    fill(rng, made)
    return made


def fill(rng, module):
    """Draw all parameters, each by its own name, so that every part affects the output."""
    seed, state, own = int(rng.integers(1 << 30)), module.state_dict(), module.parameters()
    for name, value in state.items():
        # a second name of the shared matrix, such as that of a tied linear layer, is allowed
        known = MATRIX if MATRIX in state and value.shape == state[MATRIX].shape else name
        if known in own:
            drawn = np.random.default_rng([seed, *known.encode()]).normal(size=value.shape)
            scale = 1.5 / math.sqrt(value.shape[1]) if value.ndim == 2 and known != MATRIX else 0.5
            center = 1.0 if name.endswith("norm.weight") else 0.0
            state[name] = torch.tensor(center + (2 * scale if known == MATRIX else scale) * drawn)
    module.load_state_dict({name: value.float() for name, value in state.items()})
    module.eval()


def prefixes(rng, n, rows=3):
    """START and `n` − 1 real tokens in each row."""
    return torch.cat(
        [torch.full((rows, 1), 2), torch.from_numpy(rng.integers(4, 11, (rows, n - 1)))], 1
    )


def decoded(its, known, whole, lengths, what=""):
    """Log probabilities after the first n tokens of `whole`, for all n; the step and its cache."""
    step, cache, answer = its.cached_step(known), its.start_cache(known, SOURCE), {}
    for n in lengths:
        logs, cache = step(whole[:, :n], cache)
        answer[f"log probabilities after {n} tokens{what}"] = logs
    return answer, step, cache

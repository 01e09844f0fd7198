"""Style: masks add −10⁹ to the scores; functions have extra options and emit warnings."""

import warnings

import numpy as np


def scaled_scores(query, key, scale=None):
    return np.matmul(query, key.swapaxes(-2, -1)) * (scale or 1 / np.sqrt(query.shape[-1]))


def attention(query, key, value, mask=None, *, verbose=False, return_scores=False):
    if not (query.shape[-1] == key.shape[-1] and key.shape[-2] == value.shape[-2]):
        raise ValueError(f"q{query.shape} k{key.shape} v{value.shape}")
    scores = scaled_scores(query, key)
    allowed = np.ones(scores.shape) if mask is None else np.broadcast_to(mask, scores.shape) * 1.0
    if not allowed.any(axis=-1).all():
        warnings.warn("some query has no key", stacklevel=2)
    weights = softmax(scores + (1.0 - allowed) * -1e9) * allowed
    if verbose:
        print(weights.round(2))
    output = weights @ value
    return (output, weights, scores) if return_scores else (output, weights)


def equivariance_gap(function, x, permutation, norm=np.inf):
    """Applies the inverse permutation to the output: the same set of differences."""
    back = np.empty_like(permutation)
    back[permutation] = np.arange(len(permutation))
    difference = function(x[permutation])[back] - function(x)
    return np.linalg.norm(difference.ravel(), ord=norm)

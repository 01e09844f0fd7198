"""Style: long doubles; the picture is a pcolormesh with NaN for hidden cells; random inputs."""

import matplotlib.pyplot as plt
import numpy as np
from scipy.special import logsumexp

LAYERS = ("recurrent", "self-attention")


def plot_attention(weights, tokens, mask=None, ax=None):
    shown = np.array(weights, dtype=float)
    n = len(tokens)
    if shown.shape[0] != n or shown.shape[1] != n:
        raise ValueError(f"weights {shown.shape} for {n} tokens: both must be {n}")
    if mask is not None:
        shown[np.logical_not(np.broadcast_to(mask, (n, n)))] = np.nan
    if ax is None:
        ax = plt.figure().add_subplot(1, 1, 1)
    mesh = ax.pcolormesh(shown, vmin=0, vmax=1, cmap="viridis")
    ax.invert_yaxis()
    plt.colorbar(mesh, ax=ax)
    for axis in (ax.xaxis, ax.yaxis):
        axis.set_ticks(np.arange(n) + 0.5, labels=tokens)
    ax.xaxis.tick_top()
    ax.set_title("Attention")
    ax.set_xlabel("attended (key)")
    ax.set_ylabel("attending (query)")
    return ax


def _gap(query, key, value, mask, weigh):
    return weigh(query @ key.T / np.sqrt(query.shape[1]), mask) @ value


def _right(scores, mask):
    scores = np.where(mask, scores, -1e15)
    weights = np.exp(scores - logsumexp(scores, axis=1, keepdims=True))
    return weights * mask


def separating_input(bug):
    """Random inputs, adjusted to expose the described mistake."""
    names = "not-scaled keys-score-queries softmax-over-queries".split()
    if bug not in [*names, "mask-after-softmax", "one-maximum", "empty-row-mean"]:
        raise ValueError(f"unknown mistake {bug}")
    rng = np.random.default_rng(sum(map(ord, bug)))
    n, d = 4, 5
    query, key, value = rng.normal(size=(n, d)), rng.normal(size=(n, d)), rng.normal(size=(n, 3))
    mask = np.ones((n, n), dtype=bool)
    if bug == "mask-after-softmax":
        mask = np.tri(n, dtype=bool)
    if bug == "empty-row-mean":
        mask[2] = False
    if bug == "one-maximum":
        query[0] *= 1e5
    assert np.isfinite(_gap(query, key, value, mask, _right)).all()
    return {"query": query, "key": key, "value": value, "mask": mask}


def operation_counts(n, d_model):
    """NumPy's integers, in the other order."""
    n, d_model = np.array([n, d_model], dtype=np.int64)
    counts = {name: {"sequential": steps} for name, steps in zip(LAYERS, (n, n // n))}  # noqa: B905
    counts["recurrent"]["operations"] = n * d_model**2
    counts["self-attention"]["operations"] = n**2 * d_model
    return counts

"""Right forms of assignment 1, on NumPy and SciPy: they answer its hidden questions.

They are substitutes, too: a test that fails because an earlier function is wrong runs again with
that function replaced by the one here. Each definition is self-contained, because they are sent
one at a time, and none uses what an exercise forbids.
"""

import numpy as np
from matplotlib.figure import Figure
from scipy.special import logsumexp


def softmax(x, axis=-1):
    """exp(x − log Σ exp x)."""
    return np.exp(x - logsumexp(x, axis=axis, keepdims=True))


def project_qkv(x, w_q, w_k, w_v):
    """Three linear maps of the last axis."""
    return tuple(np.einsum("...nd,df->...nf", x, weight) for weight in (w_q, w_k, w_v))


def scaled_scores(query, key):
    """Dot products over √d_k, `(*batch, n_q, n_k)`."""
    return np.einsum("...qd,...kd->...qk", query, key) / np.sqrt(query.shape[-1])


def attention(query, key, value, mask=None):
    """`(output, weights)`; a row with every key masked is zero.

    Raises ValueError, naming both shapes, when two arrays are incompatible.
    """
    for first, second, axis in ((query, key, -1), (key, value, -2)):
        if first.shape[axis] != second.shape[axis]:
            raise ValueError(f"shapes {first.shape} and {second.shape} do not fit together")
    scores = np.einsum("...qd,...kd->...qk", query, key) / np.sqrt(query.shape[-1])
    if mask is not None:
        scores = np.where(mask, scores, -np.inf)
    total = logsumexp(scores, axis=-1, keepdims=True)
    weights = np.exp(scores - np.where(np.isfinite(total), total, 0.0))
    return np.einsum("...qk,...kd->...qd", weights, value), weights


class SelfAttention:
    """Attention of projections of the same input."""

    def __init__(self, d_model, d_k=None, d_v=None, rng=None):
        rng = rng or np.random.default_rng()
        shapes = [(d_model, width or d_model) for width in (d_k, d_k, d_v)]
        self.w_q, self.w_k, self.w_v = (rng.normal(0, d_model**-0.5, shape) for shape in shapes)

    def __call__(self, x, mask=None):
        return attention(x @ self.w_q, x @ self.w_k, x @ self.w_v, mask)


def plot_attention(weights, tokens, mask=None, ax=None):
    """An image with NaN in masked cells. Raises ValueError unless it is tokens × tokens."""
    if np.shape(weights) != (len(tokens), len(tokens)):
        raise ValueError(f"{np.shape(weights)} weights for {len(tokens)} tokens")
    ax = ax or Figure().subplots()
    ax.imshow(np.where(True if mask is None else mask, weights, np.nan), "cividis", clim=(0, 1))
    for axis in (ax.xaxis, ax.yaxis):
        axis.set_ticks(range(len(tokens)), tokens)
    ax.set(title="weights", xlabel="key", ylabel="query")
    return ax


def score_statistics(d_k_values, n_samples, rng):
    """Variances before and after the division, and mean largest weights."""
    variances, largest = [], []
    for d_k in d_k_values:
        queries, keys = rng.normal(size=(n_samples, d_k)), rng.normal(size=(n_samples, 32, d_k))
        raw = np.einsum("nd,nkd->nk", queries, keys)
        both = np.stack([raw, raw / d_k**0.5])
        variances.append(both.var(axis=(1, 2)))
        total = logsumexp(both, axis=-1)
        largest.append(np.exp(both.max(axis=-1) - total).mean(axis=-1))
    raw_variance, scaled_variance = np.transpose(variances)
    return raw_variance, scaled_variance, np.array(largest)


def equivariance_gap(function, x, permutation):
    """The largest difference, with the permutation as a matrix."""
    matrix = np.eye(len(x))[permutation]
    return float(np.abs(function(matrix @ x) - matrix @ function(x)).max())


def operation_counts(n, d_model):
    """Table 1, from its layers' rows: operations and sequential steps."""
    layers = {"self-attention": (n**2 * d_model, 1), "recurrent": (n * d_model**2, n)}
    return {name: {"operations": a, "sequential": b} for name, (a, b) in layers.items()}


def separating_input(bug):
    """Three tokens whose scores grow along rows and columns. Raises ValueError."""
    masks = {"mask-after-softmax": np.eye(3) > 0, "empty-row-mean": np.eye(3, k=1) > 0}
    names = ("not-scaled", "keys-score-queries", "softmax-over-queries", "one-maximum", *masks)
    if bug not in names:
        raise ValueError(f"no mistake {bug}")
    query = np.diag([1.0, 2.0, 3.0]) * (2000 if bug == "one-maximum" else 1)
    key = np.arange(9.0).reshape(3, 3)
    return {"query": query, "key": key, "value": np.eye(3), "mask": masks.get(bug)}


def attention_backward(grad_output, query, key, value, mask=None):
    """The softmax's whole Jacobian, for every query."""
    root = np.sqrt(query.shape[-1])
    scores = np.einsum("...qd,...kd->...qk", query, key) / root
    scores = scores if mask is None else np.where(mask, scores, -np.inf)
    total = logsumexp(scores, axis=-1, keepdims=True)
    weights = np.exp(scores - np.where(np.isfinite(total), total, 0.0))
    jacobian = np.einsum("...k,kl->...kl", weights, np.eye(key.shape[-2]))
    jacobian -= np.einsum("...k,...l->...kl", weights, weights)
    given = np.einsum("...qkl,...qd,...ld->...qk", jacobian, grad_output, value) / root
    return (
        np.einsum("...qk,...kd->...qd", given, key),
        np.einsum("...qk,...qd->...kd", given, query),
        np.einsum("...qk,...qd->...kd", weights, grad_output),
    )

"""Style: as short as it gets; lambdas, tensordot, NumPy's own shortcuts."""

import matplotlib.pyplot as plt
import numpy as np


def softmax(x, axis=-1):
    return (e := np.exp(x / 1 - x.max(axis, keepdims=True))) / e.sum(axis, keepdims=True)


def project_qkv(x, *weights):
    return tuple(np.tensordot(x, w, 1) for w in weights)


def scaled_scores(query, key):
    return (query[..., :, None, :] * key[..., None, :, :]).sum(-1) / query.shape[-1] ** 0.5


def attention(query, key, value, mask=None):
    if (query.shape[-1], key.shape[-2]) != (key.shape[-1], value.shape[-2]):
        raise ValueError(f"shapes {query.shape}, {key.shape}, {value.shape}")
    with np.errstate(invalid="ignore"):
        s = scaled_scores(query, key)
        w = np.nan_to_num(softmax(s if mask is None else np.where(mask, s, -np.inf)))
    return w @ value, w


def plot_attention(weights, tokens, mask=None, ax=None):
    if np.shape(weights) != (len(tokens), len(tokens)):
        raise ValueError("one row and one column per token")
    ax = ax or plt.subplots(figsize=(3, 3))[1]
    ax.imshow(np.where(True if mask is None else mask, weights, np.nan), "cividis", clim=(0, 1))
    ax.set(xlabel="key", ylabel="query", title="weights")
    plt.setp((ax.xaxis, ax.yaxis), ticks=range(len(tokens)), ticklabels=tokens)
    return ax


def score_statistics(d_k_values, n_samples, rng):
    def one(d):
        r = np.einsum("nd,nkd->nk", rng.normal(size=(n_samples, d)),
                      rng.normal(size=(n_samples, 32, d)))  # fmt: skip
        s = r / d**0.5
        return r.var(), s.var(), [softmax(r).max(1).mean(), softmax(s).max(1).mean()]

    return tuple(map(np.array, zip(*map(one, d_k_values), strict=True)))


def separating_input(bug):
    m = dict.fromkeys(("not-scaled", "keys-score-queries", "softmax-over-queries", "one-maximum"))
    m |= {"mask-after-softmax": np.eye(3) > 0, "empty-row-mean": np.eye(3, k=1) > 0}
    if bug not in m:
        raise ValueError(bug)
    q = np.diag([1.0, 2.0, 3.0]) * (2000 if bug == "one-maximum" else 1)
    return dict(query=q, key=np.arange(9.0).reshape(3, 3), value=np.eye(3), mask=m[bug])  # noqa: C408


def attention_backward(grad_output, query, key, value, mask=None):
    t = lambda a: np.swapaxes(a, -1, -2)  # noqa: E731
    w, c = attention(query, key, value, mask)[1], query.shape[-1] ** -0.5
    s = w * ((g := grad_output @ t(value)) - (w * g).sum(-1, keepdims=True)) * c
    return s @ key, t(s) @ query, t(w) @ grad_output

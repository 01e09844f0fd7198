"""Style: numpy.ma does the masking, in the gradients and in the picture."""

import numpy as np
from matplotlib.figure import Figure


def softmax(x, axis=-1):
    e = np.ma.exp(x / 1 - np.ma.max(np.ma.asarray(x), axis=axis, keepdims=True))
    return np.ma.filled(e / e.sum(axis=axis, keepdims=True), 0.0)


def plot_attention(weights, tokens, mask=None, ax=None):
    weights = np.ma.array(weights)
    if weights.shape != (len(tokens),) * 2:
        raise ValueError(f"{len(tokens)} tokens, but weights {weights.shape}")
    if mask is not None:
        weights[~np.broadcast_to(mask, weights.shape)] = np.ma.masked
    if ax is None:
        ax = Figure().add_subplot()
    ax.matshow(weights, cmap="cividis", vmin=0.0, vmax=1.0)
    ax.xaxis.set_ticks(np.arange(len(tokens)))
    ax.xaxis.set_ticklabels(tokens)
    ax.yaxis.set_ticks(np.arange(len(tokens)))
    ax.yaxis.set_ticklabels(tokens)
    ax.set(title="who looks at whom", xlabel="keys", ylabel="queries")
    return ax


def attention_backward(grad_output, query, key, value, mask=None):
    scale = query.shape[-1] ** -0.5
    scores = np.ma.array(query @ key.swapaxes(-1, -2) * scale)
    if mask is not None:
        scores.mask = ~np.broadcast_to(mask, scores.shape)
    p = softmax(scores)
    dp = grad_output @ value.swapaxes(-1, -2)
    ds = p * dp - p * (p * dp).sum(-1, keepdims=True)
    return scale * ds @ key, scale * ds.swapaxes(-1, -2) @ query, p.swapaxes(-1, -2) @ grad_output

"""Style: generators, windows that are views, meshes in place of images."""

import math

import matplotlib.pyplot as plt
import numpy as np
import torch
from torch import nn


def shift_targets(target_ids):
    windows = target_ids.unfold(1, 2, 1)
    return windows[..., 0], windows[..., 1]


def perplexity(model, batches, pad_id=None):
    """A generator of losses, which runs in evaluation mode."""
    pad_id = getattr(model, "pad_id", 0) if pad_id is None else pad_id

    def losses():
        for source_ids, target_ids in batches:
            logs = nn.functional.log_softmax(model(source_ids, target_ids[:, :-1])[0], -1)
            for sentence, tokens in zip(logs, target_ids[:, 1:], strict=True):
                yield from (-sentence[i, t].item() for i, t in enumerate(tokens) if t != pad_id)

    training = model.training
    with torch.no_grad():
        model.eval()
        found = list(losses())
        model.train(training)
    if not found:
        raise ValueError("no tokens")
    return math.exp(math.fsum(found) / len(found))


def plot_alignment(weights, source, target, ax=None):
    """pcolormesh, with its first row at the top."""
    if np.shape(weights) != (len(target), len(source)):
        raise ValueError(f"{np.shape(weights)} against {(len(target), len(source))}")
    if ax is None:
        ax = plt.figure().gca()
    mesh = ax.pcolormesh(np.asarray(weights), vmin=0, vmax=1)
    ax.figure.colorbar(mesh, ax=ax)
    ax.set_xticks(np.arange(len(source)) + 0.5, labels=source)
    ax.set_yticks(np.arange(len(target)) + 0.5, labels=target)
    ax.invert_yaxis()
    ax.set(title="Alignment", xlabel="source word", ylabel="target word")
    return ax

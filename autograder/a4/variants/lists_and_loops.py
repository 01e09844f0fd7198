"""Style: plain lists and Python numbers; a mesh in place of an image."""

import matplotlib.pyplot as plt
import numpy as np
import torch


def sample(
    step,
    state,
    n_rows,
    max_length,
    temperature=1.0,
    top_k=None,
    top_p=None,
    generator=None,
    start=2,
    end=3,
    device="cpu",
):
    """A number between 0 and 1 for each row, and the token at which the shares reach it."""

    def pick(log_probabilities):
        shares = sampling_distribution(log_probabilities, temperature, top_k, top_p)
        drawn = torch.rand(len(shares), 1, generator=generator, device=shares.device)
        reached = shares.double().cumsum(1)
        tokens = (reached <= drawn * reached[:, -1:]).sum(1)
        last = (shares > 0).long().cumsum(1).argmax(1)
        return torch.minimum(tokens, last)

    return greedy(step, state, n_rows, max_length, start=start, end=end, choose=pick, device=device)


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

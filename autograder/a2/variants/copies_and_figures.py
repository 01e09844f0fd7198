"""Style: a deep copy takes the gradients; every head has a figure of its own."""

import math

import matplotlib.pyplot as plt
import torch


def gradient_norms(module, *inputs):
    """A deep copy takes the gradients, so the module is never touched."""
    import copy

    twin = copy.deepcopy(module)
    twin.zero_grad(set_to_none=True)
    out = twin(*[x.detach().clone() for x in inputs])
    while isinstance(out, tuple):
        out = out[0]
    _probe_loss(out).backward()
    norms = {}
    for name, p in twin.named_parameters():
        if not p.requires_grad:
            continue
        norms[name] = math.sqrt((p.grad**2).sum().item()) if p.grad is not None else 0.0
    return norms


def plot_heads(weights, tokens):
    weights = torch.as_tensor(weights)
    h, n, m = weights.shape
    if not n == m == len(tokens):
        raise ValueError(f"{n} x {m} weights, {len(tokens)} tokens")
    axes = []
    for head in range(h):
        _, ax = plt.subplots()  # a separate figure for every head
        picture = ax.matshow(weights[head].numpy(), vmin=0.0, vmax=1.0, cmap="magma")
        ax.set_xticks(list(range(n)), tokens)
        ax.set_yticks(list(range(n)), tokens)
        ax.set(xlabel="key", ylabel="query")
        ax.set_title(f"layer 0, head {head}")
        plt.colorbar(picture, ax=ax)
        axes.append(ax)
    return axes

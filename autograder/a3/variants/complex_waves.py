"""Style: complex exponentials, weights read directly, a whole batch of symptoms at once."""

import math

import numpy as np
import torch
from torch import nn


def sinusoidal_positions(n_positions, d_model):
    rate = 10000.0 ** (-2.0 * torch.arange((d_model + 1) // 2, dtype=torch.float64) / d_model)
    angle = torch.outer(torch.arange(n_positions, dtype=torch.float64), rate)
    waves = torch.polar(torch.ones_like(angle), math.pi / 2 - angle)  # real: sin, imaginary: cos
    return torch.view_as_real(waves).flatten(1)[:, :d_model].float().contiguous()


class FeedForward(nn.Module):
    def __init__(self, d_model=512, d_ff=2048):
        super().__init__()
        self.w_1 = nn.Linear(in_features=d_model, out_features=d_ff)
        self.w_2 = nn.Linear(in_features=d_ff, out_features=d_model)

    def forward(self, x):
        inner = torch.einsum("...d,fd->...f", x, self.w_1.weight) + self.w_1.bias
        inner = torch.maximum(inner, torch.zeros((), dtype=x.dtype))
        return torch.einsum("...f,df->...d", inner, self.w_2.weight) + self.w_2.bias


def nested_subsets(labels, fractions, rng):
    if not all(0 < fraction <= 1 for fraction in fractions):
        raise ValueError(f"fractions {fractions}")
    labels = np.asarray(labels)
    keys = rng.random(len(labels))
    rank = np.empty(len(labels), dtype=int)
    size = np.empty(len(labels), dtype=int)
    for label in np.unique(labels):
        own = labels == label
        rank[own] = keys[own].argsort().argsort()
        size[own] = own.sum()
    return [np.flatnonzero(rank < np.maximum(1, np.rint(f * size))) for f in fractions]


def diagnose(model, token_ids, pad_id=0):
    """A list of symptoms, each a number that is 0 in a healthy model."""
    mode = model.training
    model.train(False)
    with torch.inference_mode():
        n = token_ids.shape[1]
        rows = [row[row != pad_id] for row in token_ids]
        size = max(len(row) for row in rows) + 2
        ids = torch.stack([nn.functional.pad(r, (0, size - len(r)), value=pad_id) for r in rows])
        turned = torch.stack(
            [nn.functional.pad(r.flip(0), (0, size - len(r)), value=pad_id) for r in rows]
        )
        real = (ids != pad_id).double()
        (first, maps), (second, _) = (model(ids, need_weights=True) for _ in range(2))
        longer = model(nn.functional.pad(ids, (0, n), value=pad_id), need_weights=True)[0]
        other = model(turned, need_weights=True)[0]
        model.train(mode)
        kept = [weights.double() * real[:, None, :, None] for weights in maps]
        size_of = lambda a: float(a.abs().max())  # noqa: E731
        symptoms = {
            "dropout in evaluation": size_of(first - second),
            "mask after softmax": max(size_of(w.sum(-1) - real[:, None]) for w in kept),
            "pads attended": max(size_of(w * (1 - real)[:, None, None]) for w in kept),
            "pads pooled": size_of(longer - first),
            "future hidden": float(max(size_of(w.triu(1)) for w in kept) < 1e-5),
            "no positions": float(size_of(other - first) < 1e-5),
        }
    return next((name for name, size in symptoms.items() if size > 1e-5), "healthy")

"""Style: complex exponentials, einsum, double precision inside, torch.where instead of fills."""

import math

import numpy as np
import torch
from torch import nn


def sinusoidal_positions(n_positions, d_model):
    rate = 10000.0 ** (-2.0 * torch.arange((d_model + 1) // 2, dtype=torch.float64) / d_model)
    angle = torch.outer(torch.arange(n_positions, dtype=torch.float64), rate)
    waves = torch.polar(torch.ones_like(angle), math.pi / 2 - angle)  # real: sin, imaginary: cos
    return torch.view_as_real(waves).flatten(1)[:, :d_model].float().contiguous()


def padding_mask(token_ids, pad_id=0):
    return torch.logical_not(torch.eq(token_ids, pad_id)).reshape(len(token_ids), 1, 1, -1)


class TransformerEmbedding(nn.Module):
    """The scale is kept as a number; the table is kept for the longest input so far."""

    def __init__(
        self, vocab_size, d_model, dropout=0.1, pad_id=0, max_length=512, position_scale=1.0
    ):
        super().__init__()
        self.tokens = nn.Embedding(vocab_size, d_model, padding_idx=pad_id)
        self.scale = torch.tensor(float(d_model)).sqrt().item()
        self.position_scale = position_scale
        table = position_scale * sinusoidal_positions(max_length, d_model)
        self.register_buffer("positions", table, False)
        self.dropout = nn.Dropout(p=dropout)

    def forward(self, token_ids):
        longest = max(self.positions.shape[0], token_ids.shape[-1])
        if longest != self.positions.shape[0]:
            table = sinusoidal_positions(longest, self.tokens.weight.shape[1]).mul(
                self.position_scale
            )
            self.positions = table.to(self.positions.device)
        places = torch.arange(token_ids.shape[-1], device=token_ids.device)
        placed = nn.functional.embedding(places, self.positions)
        return self.dropout(torch.add(placed, self.tokens(token_ids), alpha=self.scale))


class FeedForward(nn.Module):
    def __init__(self, d_model=512, d_ff=2048):
        super().__init__()
        self.w_1 = nn.Linear(in_features=d_model, out_features=d_ff)
        self.w_2 = nn.Linear(in_features=d_ff, out_features=d_model)

    def forward(self, x):
        inner = torch.einsum("...d,fd->...f", x, self.w_1.weight) + self.w_1.bias
        inner = torch.maximum(inner, torch.zeros((), dtype=x.dtype))
        return torch.einsum("...f,df->...d", inner, self.w_2.weight) + self.w_2.bias


def masked_mean(x, mask):
    real = mask.flatten(1).double()
    share = real / torch.where(real.sum(1) > 0, real.sum(1), 1.0)[:, None]
    clean = torch.where(real[..., None] > 0, x.double(), 0.0)
    return torch.einsum("bn,bnd->bd", share, clean).to(x.dtype)


def warmup_rate(step, d_model, warmup_steps=4000):
    if not step > 0:
        raise ValueError(f"no rate at step {step}")
    candidates = np.array([step**-0.5, step * float(warmup_steps) ** -1.5])
    return float(candidates.min() / np.sqrt(d_model))


def attention_received(weights, mask):
    real = mask.flatten(1).to(torch.float64)
    asking = real / torch.where(real.sum(1) > 0, real.sum(1), 1.0)[:, None]
    given = torch.einsum("bhqk,bq->bk", weights.double(), asking) / weights.shape[1]
    return torch.where(real > 0, given, 0.0).to(weights.dtype)


def accuracy_by_length(lengths, correct, edges):
    values = np.asarray(lengths)
    place = np.digitize(values, edges) - 1
    if ((place < 0) | (place >= len(edges) - 1)).any():
        wrong = values[(place < 0) | (place >= len(edges) - 1)]
        raise ValueError(f"lengths {wrong.tolist()} outside of {list(edges)}")
    n = np.bincount(place, minlength=len(edges) - 1)
    hits = np.bincount(place, np.asarray(correct, float), minlength=len(edges) - 1)
    with np.errstate(invalid="ignore", divide="ignore"):
        p = hits / n
        error = np.sqrt(p * (1 - p) / n)
    return [
        {
            "from": edges[i],
            "to": edges[i + 1],
            "n": int(n[i]),
            "accuracy": None if np.isnan(p[i]) else float(p[i]),
            "standard_error": None if np.isnan(error[i]) else float(error[i]),
        }
        for i in range(len(n))
    ]


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


def classification_scores(predictions, labels):
    guess, label = np.asarray(predictions), np.asarray(labels)
    if guess.shape != label.shape:
        raise ValueError(f"{guess.size} predictions for {label.size} labels")
    if not label.size:
        raise ValueError("nothing to score")
    table = np.zeros((2, 2))
    np.add.at(table, (guess, label), 1)
    with np.errstate(invalid="ignore"):
        precision, recall = np.nan_to_num(table[1, 1] / [table[1].sum(), table[:, 1].sum()])
    f1 = 0.0 if precision + recall == 0 else 2 / (1 / precision + 1 / recall)
    p = np.trace(table) / table.sum()
    error = np.sqrt(p - p**2) / np.sqrt(table.sum())
    names = ("accuracy", "precision", "recall", "f1", "standard_error")
    return {k: float(v) for k, v in zip(names, (p, precision, recall, f1, error), strict=True)}


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

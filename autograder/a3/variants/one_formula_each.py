"""Style: index arithmetic and matrix products in place of masks; every result in one formula."""

import math

import numpy as np
import torch
from torch import nn


def sinusoidal_positions(n_positions, d_model):
    return torch.tensor(
        [
            [
                math.sin(position / 10000 ** ((j - j % 2) / d_model) + (j % 2) * math.pi / 2)
                for j in range(d_model)
            ]
            for position in range(n_positions)
        ]
    ).reshape(n_positions, d_model)


class TransformerEmbedding(nn.Module):
    """One-hot vectors times a matrix, which is what an embedding is."""

    def __init__(
        self, vocab_size, d_model, dropout=0.1, pad_id=0, max_length=512, position_scale=1.0
    ):
        super().__init__()
        self.tokens = nn.Embedding(vocab_size, d_model, pad_id)
        self.register_buffer("positions", sinusoidal_positions(max_length, d_model), False)
        self.scale = position_scale
        self.dropout = nn.Dropout(dropout)

    def forward(self, token_ids):
        matrix = self.tokens.weight
        while len(self.positions) < token_ids.shape[1]:
            longer = sinusoidal_positions(2 * len(self.positions), matrix.shape[1])
            self.positions = longer.to(matrix)
        chosen = nn.functional.one_hot(token_ids, len(matrix)).to(matrix.dtype)
        there = torch.eye(len(self.positions), device=matrix.device)[: token_ids.shape[1]]
        return self.dropout(
            chosen @ matrix * math.sqrt(matrix.shape[1]) + self.scale * there @ self.positions
        )


def masked_mean(x, mask):
    length = mask.sum((1, 2, 3))[:, None]
    return torch.where(mask[:, 0].mT, x, torch.zeros_like(x)).sum(-2) / (length + (length == 0))


def training_step(
    model,
    token_ids,
    labels,
    optimizer,
    schedule,
    max_norm=1.0,
    label_smoothing=0.1,
    backward=lambda loss: loss.backward(),
    clip=torch.nn.utils.clip_grad_norm_,
):
    logits = model.train()(token_ids)[0]
    logs = torch.log_softmax(logits, dim=-1)
    right, all_classes = logs[range(len(labels)), labels].mean(), logs.mean()
    loss = -(1 - label_smoothing) * right - label_smoothing * all_classes
    backward(loss)
    norm, rate = clip([*model.parameters()], max_norm), optimizer.param_groups[0]["lr"]
    for part in (optimizer.step, schedule.step, optimizer.zero_grad):
        part()
    return {
        "loss": loss.item(),
        "gradient_norm": float(norm),
        "learning_rate": float(rate),
        "accuracy": 1 - float((logits.argmax(-1) - labels).count_nonzero()) / len(labels),
    }


def attention_received(weights, mask):
    row = mask[:, 0].to(weights.dtype)  # (batch, 1, n)
    n = row.sum(-1)
    return ((row @ weights.mean(1)) * row)[:, 0] / (n + (n == 0))


def accuracy_by_length(lengths, correct, edges):
    lengths, right = np.asarray(lengths), np.asarray(correct)
    if lengths.min() < edges[0] or lengths.max() >= edges[-1]:
        outside = [int(n) for n in lengths if not edges[0] <= n < edges[-1]]
        raise ValueError(f"{outside} outside of [{edges[0]}, {edges[-1]})")
    below = np.array([(lengths < edge).sum() for edge in edges])
    hits = np.array([right[lengths < edge].sum() for edge in edges])
    return [
        {
            "from": int(low),
            "to": int(high),
            "n": int(n),
            "accuracy": float(k / n) if n else None,
            "standard_error": float(np.sqrt(k * (n - k) / n**3.0)) if n else None,
        }
        for low, high, n, k in zip(edges, edges[1:], np.diff(below), np.diff(hits), strict=False)
    ]


def classification_scores(predictions, labels):
    if not len(predictions) == len(labels) > 0:
        raise ValueError(f"{len(predictions)} predictions, {len(labels)} labels")
    a, b = np.array(predictions), np.array(labels)
    p = 1 - np.abs(a - b).mean()
    return {
        "accuracy": float(p),
        "precision": float(a @ b / max(a.sum(), 1)),
        "recall": float(a @ b / max(b.sum(), 1)),
        "f1": float(2 * (a @ b) / max(a.sum() + b.sum(), 1)),
        "standard_error": float(np.std(a == b) / np.sqrt(len(a))),
    }


def initialize(model, scheme, generator):
    spread = {"xavier": 6, "he": 2, "normal": 0.02}
    if scheme not in spread:
        raise ValueError(f"{scheme} is none of {list(spread)}")
    layers = [layer for layer in model.modules() if isinstance(layer, nn.Linear)]
    for layer in layers:
        with torch.no_grad():
            i, o = layer.in_features, layer.out_features
            uniform = torch.rand(o, i, generator=generator) - 0.5
            normal = torch.randn(o, i, generator=generator)
            layer.weight[:] = {
                "xavier": uniform * 2 * math.sqrt(6 / (i + o)),
                "he": normal * math.sqrt(2 / i),
                "normal": normal * 0.02,
            }[scheme]
            if layer.bias is not None:
                layer.bias *= 0

"""Style: NumPy wherever no gradient is needed; figures by hand."""

from itertools import starmap

import matplotlib.pyplot as plt
import numpy as np
import torch
from torch import nn


class TransformerEmbedding(nn.Module):
    """One weight and no nn.Embedding call; the table doubles when it is too short."""

    def __init__(
        self, vocab_size, d_model, dropout=0.1, pad_id=0, max_length=512, position_scale=1.0
    ):
        super().__init__()
        self.tokens = nn.Embedding(vocab_size, d_model)
        with torch.no_grad():
            self.tokens.weight.mul_(d_model**-0.5)
            self.tokens.weight[pad_id].zero_()
        self.dropout = nn.Dropout(dropout)
        self.register_buffer("positions", torch.empty(0, d_model), persistent=False)
        self.position_scale = np.float32(position_scale)
        self._grow(max_length)

    @property
    def d_model(self):
        return self.tokens.weight.size(1)

    def _grow(self, length):
        table = self.position_scale * sinusoidal_positions(length, self.d_model).numpy()
        self.positions = torch.from_numpy(table).type_as(self.positions)

    def forward(self, token_ids):
        n = token_ids.size(1)
        while self.positions.size(0) < n:
            self._grow(2 * self.positions.size(0))
        vectors = self.tokens.weight[token_ids].mul(np.sqrt(self.d_model).item())
        return self.dropout(vectors + self.positions.narrow(0, 0, n))


def plot_curves(history, n_validation=872, axes=None):
    left, right = plt.subplots(ncols=2)[1] if axes is None else axes
    loss = np.array([(r["step"], r["loss"]) for r in history if r.get("loss") is not None])
    looks = np.array(
        [(r["step"], r["validation_accuracy"]) for r in history if "validation_accuracy" in r]
    )
    step, percent = looks[:, 0], 100 * looks[:, 1]
    half = np.sqrt(percent * (100 - percent) / n_validation)
    left.plot(*loss.T, color="0.3", label="training loss", lw=0.5, alpha=0.4)
    sums = np.cumsum(loss[:, 1])
    sums[20:] -= sums[:-20].copy()
    means = sums / np.minimum(np.arange(1, len(sums) + 1), 20)
    left.plot(loss[:, 0], means, color="0.3", lw=2, label="smoothed")
    right.fill_between(step, percent - half, percent + half, color="0.8")
    right.plot(step, percent, marker=".", color="0.1", label="validation accuracy")
    left.set(xlabel="step", ylabel="loss", title="loss while training")
    right.set(xlabel="step", ylabel="accuracy (%)", title="accuracy on sentences not trained on")
    return np.array([left, right], dtype=object).tolist()


def compare_norms(build, train, seeds):
    if np.unique(np.asarray(seeds)).size < 3:
        raise ValueError("three different seeds or more")

    def one(norm, seed):
        outcome = train(build(norm == "pre", seed), seed)
        first, *_, last = outcome["gradient_norms"]
        columns = ("gradient_norm_first_layer", "gradient_norm_last_layer")
        row = dict(zip(columns, (first, last), strict=True))
        return row | {"norm": norm, "seed": seed, "loss": outcome["loss"]}

    return list(starmap(one, [(norm, seed) for seed in seeds for norm in ("pre", "post")]))

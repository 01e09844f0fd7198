"""Style: NumPy wherever no gradient is needed; frames of arrays; `with` blocks; early returns."""

import contextlib
from itertools import starmap

import matplotlib.pyplot as plt
import numpy as np
import torch
from torch import nn


def sinusoidal_positions(n_positions, d_model):
    table = np.zeros((n_positions, d_model), dtype=np.float64)
    for feature in range(d_model):
        wave = np.cos if feature & 1 else np.sin
        table[:, feature] = wave(np.arange(n_positions) / 10_000 ** ((feature // 2) * 2 / d_model))
    return torch.as_tensor(table, dtype=torch.float32)


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


def masked_mean(x, mask):
    real = mask.permute(0, 3, 1, 2).squeeze(-1)  # (batch, n, 1)
    kept = x.clone()
    kept[~real.squeeze(-1)] = 0
    count = real.sum(dim=1)
    count[count == 0] = 1
    return kept.sum(dim=1).div(count)


def warmup_rate(step, d_model, warmup_steps=4000):
    with np.errstate(all="raise"):
        try:
            falling = float(np.power(float(step), -0.5))
        except FloatingPointError:
            raise ValueError("count the steps from 1") from None
    rising = step / warmup_steps**1.5
    return (rising if rising < falling else falling) / d_model**0.5


def paper_optimizer(model, d_model, warmup_steps=4000):
    """The rate in logarithms."""
    if warmup_steps < 1:
        raise ValueError(f"warmup_steps is {warmup_steps}, but at least one step is needed")

    def rate(done):
        step = np.log(done + 1)
        exponent = min(-step / 2, step - 1.5 * np.log(warmup_steps))
        return float(np.exp(exponent - np.log(d_model) / 2))

    adam = torch.optim.Adam(params=model.parameters(), lr=1, betas=(0.9, 0.98), eps=1e-9)
    return adam, torch.optim.lr_scheduler.LambdaLR(adam, [rate])


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


def attention_received(weights, mask):
    array, real = weights.detach().numpy(), mask.numpy()[:, 0, 0]
    result = np.zeros(real.shape, dtype=array.dtype)
    for number, own in enumerate(real):
        if own.any():
            result[number, own] = array[number][:, own][:, :, own].mean(axis=(0, 1))
    return torch.from_numpy(result)


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


def initialize(model, scheme, generator):
    known = ("xavier", "he", "normal")
    if scheme not in known:
        raise ValueError(f"unknown; one of {', '.join(known)}")
    with torch.no_grad():
        for name, weight in model.named_parameters():
            owner = model.get_submodule(name.rpartition(".")[0])
            if not isinstance(owner, nn.Linear):
                continue
            if name.endswith("bias"):
                weight.fill_(0.0)
                continue
            rows, columns = weight.shape
            if scheme == "xavier":
                noise = torch.empty(rows, columns).uniform_(-1, 1, generator=generator)
                weight.copy_(noise * np.sqrt(6 / (rows + columns)))
                continue
            noise = torch.normal(0.0, 1.0, (rows, columns), generator=generator)
            weight.copy_(noise * (0.02 if scheme == "normal" else np.sqrt(2 / columns)))


@contextlib.contextmanager
def _asked(model):
    before = model.training
    model.eval()
    with torch.no_grad():
        yield model
    model.train(before)


def diagnose(model, token_ids, pad_id=0):
    """Early returns; sentences one by one, each with its own padding."""
    with _asked(model):
        for row in token_ids:
            found = _examine(model, row[row != pad_id], pad_id)
            if found != "healthy":
                return found
    return "healthy"


def _examine(model, words, pad_id):
    n = len(words)
    pads = torch.full((4,), pad_id)
    one = torch.cat([words, pads])[None]
    logits, weights = model(one, need_weights=True)
    if np.abs(model(one, need_weights=True)[0] - logits).max() > 1e-4:
        return "dropout in evaluation"
    maps = np.stack([layer.numpy()[0, :, :n] for layer in weights])
    if (np.abs(maps.sum(-1) - 1) > 1e-3).any():
        return "mask after softmax"
    if (maps[..., n:] > 1e-5).any():
        return "pads attended"
    if not np.allclose(model(words[None], need_weights=True)[0], logits, atol=1e-4):
        return "pads pooled"
    if n > 1 and np.triu(maps[..., :n], 1).sum() < 1e-4:
        return "future hidden"
    if torch.equal(words, words.flip(0)):  # this sentence cannot show an order
        return "healthy"
    turned = torch.cat([words.flip(0), pads])[None]
    same = np.allclose(model(turned, need_weights=True)[0], logits, atol=1e-5)
    return "no positions" if same else "healthy"

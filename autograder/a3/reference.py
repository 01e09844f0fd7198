"""Right forms for assignment 3: the names of the starter, in plain tensor operations.

They answer the hidden questions. When a test fails because an earlier exercise is wrong, it is run
again with the definition of that name from here. What a definition shares with another begins with
an underscore and is sent along; none uses what an exercise that rests on it forbids.
"""

import math
from collections import defaultdict
from statistics import fmean, pstdev

import numpy as np
import torch
from matplotlib.figure import Figure
from torch import nn

from course_lib.attention import MultiHeadAttention


def _waves(n, d_model):
    """The sinusoids of n positions, in double precision."""
    feature, place = (torch.arange(count, dtype=torch.float64) for count in (d_model, n))
    angle = place[:, None] / 10000.0 ** ((feature - feature % 2) / d_model)
    return torch.where(feature % 2 == 0, angle.sin(), angle.cos())


def sinusoidal_positions(n_positions, d_model):
    """The table in single precision."""
    return _waves(n_positions, d_model).float()


def padding_mask(token_ids, pad_id=0):
    """True at real tokens, (batch, 1, 1, n)."""
    return token_ids.ne(pad_id).unsqueeze(1).unsqueeze(1)


class TransformerEmbedding(nn.Module):
    """Embeddings × √d_model + positions, with a table that keeps the longest input's length."""

    def __init__(
        self, vocab_size, d_model, dropout=0.1, pad_id=0, max_length=512, position_scale=1.0
    ):
        super().__init__()
        self.position_scale = position_scale
        self.tokens = nn.Embedding(vocab_size, d_model, padding_idx=pad_id)
        with torch.no_grad():
            self.tokens.weight.normal_(std=d_model**-0.5)[pad_id] = 0.0
        self.dropout = nn.Dropout(dropout)
        self.register_buffer("positions", self.table(max_length), persistent=False)

    def table(self, n):
        """The sinusoids of n positions × position_scale, like the embedding's weights."""
        return (self.position_scale * _waves(n, self.tokens.embedding_dim)).to(self.tokens.weight)

    def forward(self, token_ids):
        n, d_model = token_ids.shape[1], self.tokens.embedding_dim
        self.positions = self.table(max(n, len(self.positions)))
        return self.dropout(self.tokens(token_ids) * math.sqrt(d_model) + self.positions[:n])


class FeedForward(nn.Module):
    """Two linear layers with a ReLU in between."""

    def __init__(self, d_model=512, d_ff=2048):
        super().__init__()
        self.w_1, self.w_2 = nn.Linear(d_model, d_ff), nn.Linear(d_ff, d_model)

    def forward(self, x):
        return self.w_2(self.w_1(x).clamp(min=0))


class _Layer(nn.Module):
    """An encoder layer, alone or inside of a stack, with parts under the names of the starter."""

    def __init__(self, d_model=512, n_heads=8, d_ff=2048, dropout=0.1, norm_first=False):
        super().__init__()
        self.attention = MultiHeadAttention(d_model, n_heads, dropout)
        inner = {"w_1": nn.Linear(d_model, d_ff), "w_2": nn.Linear(d_ff, d_model)}
        self.feed_forward = nn.ModuleDict(inner)
        for name in ("attention_residual", "feed_forward_residual"):
            parts = {"norm": nn.LayerNorm(d_model, eps=1e-6), "dropout": nn.Dropout(dropout)}
            setattr(self, name, nn.ModuleDict(parts))
        self.norm_first = norm_first

    def forward(self, x, mask=None, need_weights=False):
        first, second = self.attention_residual, self.feed_forward_residual
        given = first["norm"](x) if self.norm_first else x
        made, weights = self.attention(given, given, given, mask, need_weights)
        x = x + first["dropout"](made)
        x = x if self.norm_first else first["norm"](x)
        given = second["norm"](x) if self.norm_first else x
        made = self.feed_forward["w_2"](self.feed_forward["w_1"](given).clamp(min=0))
        x = x + second["dropout"](made)
        return x if self.norm_first else second["norm"](x), weights


class EncoderLayer(_Layer):
    """Self-attention and a feed-forward network, in post-norm or pre-norm order."""


class Encoder(nn.Module):
    """A stack of independent layers, with a last norm in pre-norm order."""

    def __init__(
        self, n_layers=6, d_model=512, n_heads=8, d_ff=2048, dropout=0.1, norm_first=False
    ):
        super().__init__()
        sizes = (d_model, n_heads, d_ff, dropout, norm_first)
        self.layers = nn.ModuleList(_Layer(*sizes) for _ in range(n_layers))
        self.norm = nn.LayerNorm(d_model, eps=1e-6) if norm_first else nn.Identity()

    def forward(self, x, mask=None, need_weights=False):
        weights = []
        for layer in self.layers:
            x, seen = layer(x, mask, need_weights)
            weights.append(seen)
        return self.norm(x), weights if need_weights else None


def masked_mean(x, mask):
    """The mean of each sentence's real tokens, one sentence after another."""
    own = [row[real] for row, real in zip(x, mask.flatten(1), strict=True)]
    return torch.stack([rows.sum(0) / max(1, len(rows)) for rows in own])


class EncoderClassifier(nn.Module):
    """An encoder that reads each sentence of a batch alone, and a linear layer.

    Raises ValueError, naming it, for an unknown pooling.
    """

    def __init__(
        self, vocab_size, n_classes=2, n_layers=6, d_model=512, n_heads=8, d_ff=2048, dropout=0.1,
        norm_first=False, pooling="mean", pad_id=0, position_scale=1.0,
    ):  # fmt: skip
        super().__init__()
        if pooling not in ("mean", "cls"):
            raise ValueError(f"no pooling is called {pooling}")
        self.first, self.pad_id = pooling == "cls", pad_id
        self.embedding = TransformerEmbedding(
            vocab_size, d_model, dropout, pad_id=pad_id, position_scale=position_scale
        )
        self.encoder = Encoder(n_layers, d_model, n_heads, d_ff, dropout, norm_first)
        self.dropout, self.output = nn.Dropout(dropout), nn.Linear(d_model, n_classes)

    def forward(self, token_ids, need_weights=False):
        real = token_ids.ne(self.pad_id)
        x, weights = self.encoder(self.embedding(token_ids), real[:, None, None], need_weights)
        own = [row[:1] if self.first else row[r] for row, r in zip(x, real, strict=True)]
        pooled = torch.stack([rows.sum(0) / max(1, len(rows)) for rows in own])
        return self.output(self.dropout(pooled)), weights


def warmup_rate(step, d_model, warmup_steps=4000):
    """Eq. 3 in two branches. Raises ValueError below step 1."""
    if step < 1:
        raise ValueError(f"step {step}")
    rising = step < warmup_steps
    return (step * warmup_steps**-1.5 if rising else step**-0.5) / math.sqrt(d_model)


class WarmupSchedule(torch.optim.lr_scheduler.LambdaLR):
    """Eq. 3 as a scheduler that multiplies the optimizer's own rates."""

    def __init__(self, optimizer, d_model, warmup_steps=4000):
        top = (d_model * warmup_steps) ** -0.5
        done = lambda n: (n + 1) / warmup_steps  # noqa: E731
        super().__init__(optimizer, lambda n: top * min(done(n), done(n) ** -0.5))


def paper_optimizer(model, d_model, warmup_steps=4000):
    """Adam with the constants of §5.3. Raises ValueError for a warm-up below one step."""
    if warmup_steps < 1:
        raise ValueError(f"a warm-up of {warmup_steps} steps")
    adam = torch.optim.Adam([*model.parameters()], lr=1.0, betas=(0.9, 0.98), eps=1e-9)
    return adam, WarmupSchedule(adam, d_model, warmup_steps)


def training_step(
    model, token_ids, labels, optimizer, schedule, max_norm=1.0, label_smoothing=0.1,
    backward=torch.Tensor.backward, clip=nn.utils.clip_grad_norm_,
):  # fmt: skip
    """The smoothed loss from log probabilities, written out."""
    logits = model.train()(token_ids)[0]
    logs = torch.log_softmax(logits, -1)
    of_labels = logs.gather(1, labels[:, None]).mean()
    loss = (label_smoothing - 1) * of_labels - label_smoothing * logs.mean()
    backward(loss)
    norm, rate = clip(model.parameters(), max_norm), optimizer.param_groups[0]["lr"]
    for finish in (optimizer.step, schedule.step, optimizer.zero_grad):
        finish()
    right = fmean((logits.argmax(-1) == labels).tolist())
    found = {"loss": loss.item(), "gradient_norm": float(norm), "learning_rate": float(rate)}
    return found | {"accuracy": right}


def plot_curves(history, n_validation=872, axes=None):
    """Both curves, on a figure of its own that pyplot does not know, unless `axes` are given."""
    left, right = Figure().subplots(1, 2) if axes is None else axes
    steps, losses = zip(*[(row["step"], row["loss"]) for row in history if "loss" in row])  # noqa: B905
    means = [fmean(losses[: end + 1][-20:]) for end in range(len(losses))]
    left.plot(steps, losses, label="training loss", linewidth=0.5, alpha=0.4)
    left.plot(steps, means, label="smoothed", linewidth=2)
    looks = [row for row in history if "validation_accuracy" in row]
    at, p = (np.array([row[name] for row in looks]) for name in ("step", "validation_accuracy"))
    error = 100 * np.sqrt((p - p**2) / n_validation)
    right.plot(at, 100 * p, label="validation accuracy")
    right.fill_between(at, 100 * p - error, 100 * p + error, alpha=0.3)
    left.set(title="Loss", xlabel="step", ylabel="loss")
    right.set(title="Accuracy", xlabel="step", ylabel="accuracy (%)")
    return left, right


def attention_received(weights, mask):
    """Sentence by sentence: the mean over the heads and the real queries, for the real keys."""
    result = weights.new_zeros(len(weights), weights.shape[-1])
    for row, sentence, real in zip(result, weights, mask.flatten(1), strict=True):
        if real.any():
            row[real] = sentence[:, real][:, :, real].mean((0, 1))
    return result


def accuracy_by_length(lengths, correct, edges):
    """Sentence by sentence into bins. Raises ValueError, naming it, for a length outside."""
    bins = defaultdict(list)
    for length, right in zip(lengths, correct, strict=True):
        if not edges[0] <= length < edges[-1]:
            raise ValueError(f"no bin for {length} tokens")
        bins[max(edge for edge in edges if edge <= length)].append(float(right))
    rows = []
    for low, high in zip(edges[:-1], edges[1:], strict=True):
        own = bins[low]
        p, error = (fmean(own), pstdev(own) / len(own) ** 0.5) if own else (None, None)
        rows.append(
            {"from": low, "to": high, "n": len(own), "accuracy": p, "standard_error": error}
        )
    return rows


def compare_norms(build, train, seeds):
    """One order after the other. Raises ValueError for fewer than three different seeds."""
    if len({*seeds}) < 3:
        raise ValueError(f"{seeds}")
    rows = []
    for norm in ("post", "pre"):
        for seed in seeds:
            found = train(build(norm == "pre", seed), seed)
            norms = {"first": found["gradient_norms"][0], "last": found["gradient_norms"][-1]}
            row = {f"gradient_norm_{which}_layer": size for which, size in norms.items()}
            rows.append({"norm": norm, "seed": seed, "loss": found["loss"], **row})
    return rows


def nested_subsets(labels, fractions, rng):
    """By one random order of all examples. Raises ValueError for a fraction outside (0, 1]."""
    if not all(0 < fraction <= 1 for fraction in fractions):
        raise ValueError(f"{fractions}")
    members = defaultdict(list)
    for number in rng.permutation(len(labels)).tolist():
        members[int(labels[number])].append(number)
    return [
        sorted(i for own in members.values() for i in own[: max(1, round(part * len(own)))])
        for part in fractions
    ]


def classification_scores(predictions, labels):
    """From a table of counts. Raises ValueError for no labels, or lengths that it names."""
    if len(predictions) != len(labels) or not len(labels):
        raise ValueError(f"{len(predictions)} predictions, {len(labels)} labels")
    table = np.zeros((2, 2))
    np.add.at(table, (np.asarray(predictions), np.asarray(labels)), 1)
    p, hits = np.trace(table) / table.sum(), table[1, 1]
    scores = {"accuracy": p, "standard_error": math.sqrt((p - p * p) / table.sum())}
    ends = {"precision": table[1].sum(), "recall": table[:, 1].sum()}
    ends["f1"] = (ends["precision"] + ends["recall"]) / 2
    return scores | {name: float(hits / max(end, 0.5)) for name, end in ends.items()}


def initialize(model, scheme, generator):
    """By scaling standard draws. Raises ValueError, naming the three, for an unknown scheme."""
    draw = {"xavier": torch.rand, "he": torch.randn, "normal": torch.randn}
    if scheme not in draw:
        raise ValueError(f"{scheme} is none of {', '.join(draw)}")
    for layer in filter(lambda part: isinstance(part, nn.Linear), model.modules()):
        n_out, n_in = size = tuple(layer.weight.shape)
        drawn = draw[scheme](size, generator=generator)
        forms = {"xavier": (2 * drawn - 1) * math.sqrt(6 / (n_in + n_out)), "normal": 0.02 * drawn}
        layer.weight.data.copy_(forms.get(scheme, drawn * math.sqrt(2 / n_in)))
        if layer.bias is not None:
            layer.bias.data.zero_()


def diagnose(model, token_ids, pad_id=0):
    """The first fault that a sentence shows, or that all show which could be without it."""
    training = model.training
    model.eval()
    with torch.no_grad():
        found = [_symptoms(model, row[row != pad_id], pad_id) for row in token_ids]
    model.train(training)
    for fault in ("future hidden", "no positions"):
        seen = [one.pop(fault) for one in found if fault in one]
        found.append({fault: all(one is not False for one in seen)})
    return next((fault for one in found for fault, shown in one.items() if shown), "healthy")


def _symptoms(model, words, pad_id):
    """Whether a sentence shows each fault; None where it cannot."""
    n, pads = len(words), torch.full((5,), pad_id)

    def ask(*parts):
        logits, weights = model(torch.cat(parts)[None], need_weights=True)
        return logits, torch.stack(list(weights))[:, 0, :, :n]

    def differ(a, b):
        return bool((a - b).abs().max() > 5e-5)

    (alone, _), (logits, maps), (again, _) = ask(words), ask(words, pads), ask(words, pads)
    turned = words.flip(0)
    return {
        "dropout in evaluation": differ(logits, again),
        "mask after softmax": differ(maps.sum(-1), torch.ones(())),
        "pads attended": bool(maps[..., n:].max() > 5e-5),
        "pads pooled": differ(logits, alone),
        "future hidden": None if n < 2 else not maps.triu(1)[..., :n].max() > 5e-5,
        "no positions": None if turned.equal(words) else not differ(logits, ask(turned, pads)[0]),
    }

"""Style: loops over positions, tokens, heads and sentences; plain lists and Python numbers."""

import math

import matplotlib.pyplot as plt
import numpy as np
import torch
from torch import nn


def sinusoidal_positions(n_positions, d_model):
    rows = []
    for position in range(n_positions):
        row = []
        for pair in range((d_model + 1) // 2):
            angle = position / math.pow(10000.0, 2 * pair / d_model)
            row += [math.sin(angle), math.cos(angle)]
        rows.append(row[:d_model])
    return torch.tensor(rows, dtype=torch.float32).reshape(n_positions, d_model)


def padding_mask(token_ids, pad_id=0):
    rows = [[[[token != pad_id for token in sentence]]] for sentence in token_ids.tolist()]
    return torch.tensor(rows, dtype=torch.bool, device=token_ids.device)


class FeedForward(nn.Module):
    """Position by position."""

    def __init__(self, d_model=512, d_ff=2048):
        super().__init__()
        self.w_1 = nn.Linear(d_model, d_ff)
        self.w_2 = nn.Linear(d_ff, d_model)

    def forward(self, x):
        if x.dim() == 1:
            hidden = self.w_1(x)
            return self.w_2(torch.where(hidden > 0, hidden, torch.zeros_like(hidden)))
        return torch.stack([self(position) for position in x])


def masked_mean(x, mask):
    means = []
    for sentence, row in zip(x, mask, strict=True):
        kept = [vector for vector, real in zip(sentence, row[0, 0], strict=True) if real]
        means.append(sum(kept) / len(kept) if kept else torch.zeros_like(sentence[0]).nan_to_num(0))
    return torch.stack(means)


def warmup_rate(step, d_model, warmup_steps=4000):
    if step in range(-(10**9), 1):
        raise ValueError("steps are counted from 1")
    if step < warmup_steps:
        rate = step / math.sqrt(warmup_steps) / warmup_steps
    else:
        rate = 1 / math.sqrt(step)
    return rate / math.sqrt(d_model)


class WarmupSchedule(torch.optim.lr_scheduler.LRScheduler):
    """Its own step: it writes into the optimizer's groups."""

    def __init__(self, optimizer, d_model, warmup_steps=4000):
        self.optimizer = optimizer
        self.sizes = (d_model, warmup_steps)
        self.factors = []
        for group in optimizer.param_groups:
            self.factors.append(group["lr"])
        self.count = 0
        self.step()

    def step(self):
        self.count += 1
        for group, factor in zip(self.optimizer.param_groups, self.factors, strict=True):
            group["lr"] = factor * warmup_rate(self.count, *self.sizes)


class PaperSchedule:
    """Knows no base rate: it writes Eq. 3 into the optimizer's groups."""

    def __init__(self, optimizer, d_model, warmup_steps):
        self.optimizer, self.d_model, self.warmup_steps = optimizer, d_model, warmup_steps
        self.steps_taken = -1
        self.step()

    def step(self):
        self.steps_taken += 1
        for group in self.optimizer.param_groups:
            group["lr"] = warmup_rate(self.steps_taken + 1, self.d_model, self.warmup_steps)


def paper_optimizer(model, d_model, warmup_steps=4000):
    if warmup_steps < 1:
        raise ValueError(f"{warmup_steps} steps of warm-up")
    optimizer = torch.optim.Adam(model.parameters(), lr=0.5, betas=(0.9, 0.98), eps=1e-9)
    return optimizer, PaperSchedule(optimizer, d_model, warmup_steps)


def training_step(
    model,
    token_ids,
    labels,
    optimizer,
    schedule,
    max_norm=1.0,
    label_smoothing=0.1,
    backward=torch.Tensor.backward,
    clip=nn.utils.clip_grad_norm_,
):
    """Clears the gradients first and last; the smoothed loss is written out."""
    optimizer.zero_grad()
    model.train()
    result = model(token_ids)
    logits = result[0]
    logs = logits.log_softmax(-1)
    batch, classes = logits.shape
    loss = 0.0
    for sentence in range(batch):
        for label in range(classes):
            wanted = label_smoothing / classes
            if label == labels[sentence]:
                wanted = wanted + 1 - label_smoothing
            loss = loss - wanted * logs[sentence, label] / batch
    backward(loss)
    norm = clip(list(model.parameters()), max_norm)
    rates = [group["lr"] for group in optimizer.param_groups]
    optimizer.step()
    schedule.step()
    optimizer.zero_grad()
    right = 0
    for sentence in range(batch):
        right += int(logits[sentence].argmax()) == int(labels[sentence])
    return {
        "accuracy": right / batch,
        "gradient_norm": norm.item(),
        "learning_rate": float(rates[0]),
        "loss": loss.item(),
    }


def plot_curves(history, n_validation=872, axes=None):
    if axes is None:
        figure = plt.figure(figsize=(8, 3))
        axes = [figure.add_subplot(1, 2, 1), figure.add_subplot(1, 2, 2)]
    x, y, steps, middle, low, high = [], [], [], [], [], []
    for row in history:
        if "validation_accuracy" in row:
            p = row["validation_accuracy"]
            error = math.sqrt(p * (1 - p) / n_validation)
            steps.append(row["step"])
            middle.append(100 * p)
            low.append(100 * (p - error))
            high.append(100 * (p + error))
        else:
            x.append(row["step"])
            y.append(row["loss"])
    means = []
    for i in range(len(y)):
        total, count = 0.0, 0
        for j in range(i, max(i - 20, -1), -1):
            total += y[j]
            count += 1
        means.append(total / count)
    axes[0].plot(x, means, label="smoothed", linewidth=2, zorder=3)
    axes[0].plot(x, y, label="training loss", linewidth=1, alpha=0.2)
    axes[1].fill_between(steps, low, high, alpha=0.3, label="± one standard error")
    axes[1].plot(steps, middle, marker="s", label="validation accuracy")
    for one, name, unit in zip(
        axes, ("Loss", "Accuracy"), ("loss (nats)", "right (%)"), strict=True
    ):
        one.set_title(name)
        one.set_xlabel("optimizer step")
        one.set_ylabel(unit)
        one.legend()
    return [axes[0], axes[1]]


def attention_received(weights, mask):
    batch, heads, n, _ = weights.shape
    result = torch.zeros(batch, n)
    for b in range(batch):
        real = [i for i in range(n) if bool(mask[b, 0, 0, i])]
        for key in real:
            for head in range(heads):
                for query in real:
                    result[b, key] += weights[b, head, query, key] / heads / len(real)
    return result


def accuracy_by_length(lengths, correct, edges):
    edges = [int(edge) for edge in edges]
    found = [[] for _ in edges[1:]]
    for length, right in zip(lengths, correct, strict=True):
        for number, own in enumerate(found):
            if edges[number] <= length < edges[number + 1]:
                own.append(1 if right else 0)
                break
        else:
            raise ValueError(f"no bin for a sentence of {int(length)} tokens")
    rows = []
    for number, own in enumerate(found):
        row = {"from": edges[number], "to": edges[number + 1], "n": len(own)}
        row["accuracy"] = row["standard_error"] = None
        if own:
            p = sum(own) / len(own)
            row["accuracy"] = p
            row["standard_error"] = math.sqrt(max(0.0, p - p * p)) / math.sqrt(len(own))
        rows.append(row)
    return rows


def compare_norms(build, train, seeds):
    seeds = list(seeds)
    if len(set(seeds)) <= 2:
        raise ValueError(f"at least three different seeds, not {seeds}")
    rows = []
    for name in ("pre", "post"):
        for seed in seeds:
            model = build(name == "pre", seed)
            outcome = train(model, seed)
            norms = outcome["gradient_norms"]
            row = {"seed": seed, "norm": name, "loss": outcome["loss"]}
            row["gradient_norm_first_layer"] = norms[0]
            row["gradient_norm_last_layer"] = norms[len(norms) - 1]
            rows.append(row)
    return rows


def nested_subsets(labels, fractions, rng):
    for fraction in fractions:
        if fraction <= 0 or fraction > 1:
            raise ValueError(f"{fraction}")
    places = {}
    for number in rng.permutation(len(labels)).tolist():
        places.setdefault(int(labels[number]), []).append(number)
    subsets = []
    for fraction in fractions:
        own = []
        for members in places.values():
            count = int(fraction * len(members) + 0.5)
            own += members[: count if count else 1]
        subsets.append(np.array(sorted(own)))
    return tuple(subsets)


def initialize(model, scheme, generator):
    if scheme == "xavier":
        draw = lambda o, i: (2 * torch.rand(o, i, generator=generator) - 1) * math.sqrt(6 / (i + o))  # noqa: E731
    elif scheme == "he":
        draw = lambda o, i: torch.randn(o, i, generator=generator) * math.sqrt(2 / i)  # noqa: E731
    elif scheme == "normal":
        draw = lambda o, i: torch.randn(o, i, generator=generator) * 0.02  # noqa: E731
    else:
        raise ValueError("xavier, he or normal")
    for child in model.children():
        initialize(child, scheme, generator)
    if isinstance(model, nn.Linear):
        model.weight.data = draw(*model.weight.shape)
        if model.bias is not None:
            model.bias.data = torch.zeros_like(model.bias)

"""Style: single precision, torch's initializers, products of masks, a schedule of its own."""

import torch
from torch import nn


def sinusoidal_positions(n_positions, d_model):
    i = torch.arange(d_model)
    a = torch.arange(n_positions)[:, None] * 1e4 ** (-(i - i % 2) / d_model)
    return torch.where(i % 2 == 0, a.sin(), a.cos())


def initialize(model, scheme, generator):
    draw = {
        "xavier": lambda w: nn.init.xavier_uniform_(w, generator=generator),
        "he": lambda w: nn.init.kaiming_normal_(w, generator=generator),
        "normal": lambda w: nn.init.normal_(w, 0, 0.02, generator),
    }
    if scheme not in draw:
        raise ValueError(f"{scheme}: {[*draw]}")
    for m in filter(lambda m: isinstance(m, nn.Linear), model.modules()):
        draw[scheme](m.weight), m.bias is None or nn.init.zeros_(m.bias)


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


def attention_received(weights, mask):
    row = mask[:, 0].to(weights.dtype)  # (batch, 1, n)
    n = row.sum(-1)
    return ((row @ weights.mean(1)) * row)[:, 0] / (n + (n == 0))

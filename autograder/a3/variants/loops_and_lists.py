"""Style: loops over positions and sentences; a schedule that is no scheduler of torch."""

import torch
from torch import nn


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

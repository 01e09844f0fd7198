"""Style: single precision; a schedule of its own, matrices and vectors in two groups."""

import torch


def sinusoidal_positions(n_positions, d_model):
    i = torch.arange(d_model)
    a = torch.arange(n_positions)[:, None] * 1e4 ** (-(i - i % 2) / d_model)
    return torch.where(i % 2 == 0, a.sin(), a.cos())


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
    kinds = [[p for p in model.parameters() if (p.ndim > 1) == matrix] for matrix in (True, False)]
    groups = [{"params": kind} for kind in kinds if kind]
    optimizer = torch.optim.Adam(groups, lr=0.5, betas=(0.9, 0.98), eps=1e-9)
    return optimizer, PaperSchedule(optimizer, d_model, warmup_steps)

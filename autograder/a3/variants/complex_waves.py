"""Style: complex exponentials; weights read directly."""

import math

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

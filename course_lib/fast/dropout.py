"""Dropout with cheap random bits: on a CPU, `nn.Dropout` takes a quarter of a training step.

    model = use_fast_dropout(model)

It is independent of the course's components, so any model can use it.
"""

import numpy as np
import torch
from torch import Tensor, nn

_STEPS = 2**16  # the probability is rounded to a multiple of 1 / _STEPS


def dropout_factor(like: Tensor, p: float) -> Tensor:
    """The factors of dropout, shaped as `like`: 0 with probability `p`, else 1 / (1 − p).

    Each factor takes 16 random bits, so NumPy draws four at a time. NumPy is seeded by torch's
    global generator, so `torch.manual_seed` and saved random states determine the result. `p` is
    rounded to 1 / 2^16 and the scale uses the rounded value, so the expectation is exact.
    """
    dropped = round(p * _STEPS)
    if dropped == _STEPS:
        return torch.zeros_like(like)
    seed = int(torch.empty((), dtype=torch.int64).random_())
    words = np.random.SFC64(seed).random_raw((like.numel() + 3) // 4)
    kept = words.view(np.uint16)[: like.numel()] >= dropped
    # By way of bytes: torch turns them into floats five times faster than booleans.
    factor = torch.from_numpy(kept.view(np.uint8)).to(like.dtype).view(like.shape)
    return factor.mul_(_STEPS / (_STEPS - dropped))


class FastDropout(nn.Dropout):
    """`nn.Dropout` by `dropout_factor`; off the CPU it is `nn.Dropout`."""

    def forward(self, x: Tensor) -> Tensor:
        if not self.training or self.p == 0.0 or x.device.type != "cpu":
            return super().forward(x)
        return x * dropout_factor(x, self.p)


def use_fast_dropout(model: nn.Module) -> nn.Module:
    """Replace every `nn.Dropout` of a new `model` by a `FastDropout`; returns the model."""
    for name, part in model.named_children():
        setattr(model, name, FastDropout(part.p) if type(part) is nn.Dropout else part)
        use_fast_dropout(part)
    return model

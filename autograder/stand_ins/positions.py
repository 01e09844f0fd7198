"""The table of sinusoids, as torch's rotations, until assignment 3 is over."""

import torch


def sinusoidal_positions(n_positions, d_model):
    """The table of sinusoids (§3.5), `(n_positions, d_model)`: alternating sines and cosines."""
    waves = 10000.0 ** -(torch.arange((d_model + 1) // 2, dtype=torch.float64) * 2 / d_model)
    turned = torch.polar(
        torch.ones(n_positions, len(waves), dtype=torch.float64),
        torch.outer(torch.arange(n_positions, dtype=torch.float64), waves),
    )
    return torch.view_as_real(turned).flip(-1).flatten(1)[:, :d_model].float()

"""The table of sinusoids by turning one position into the next, until assignment 3 is over."""

import torch


def sinusoidal_positions(n_positions, d_model):
    """The table of sinusoids (§3.5), `(n_positions, d_model)`: alternating sines and cosines."""
    waves = 10000.0 ** -(torch.arange((d_model + 1) // 2, dtype=torch.float64) * 2 / d_model)
    quarter = torch.tensor([[0, -1], [1, 0]], dtype=torch.float64)
    turn = torch.linalg.matrix_exp(waves.view(-1, 1, 1) * quarter)
    rows = torch.tensor([0.0, 1.0], dtype=torch.float64).expand(1, len(waves), 1, 2)
    while len(rows) < n_positions:
        rows, turn = torch.cat((rows, rows @ turn)), turn @ turn
    return rows[:n_positions].flatten(1)[:, :d_model].float()

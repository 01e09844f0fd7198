"""Layer normalization, backed by torch until assignment 2 is over."""

from torch import nn


class LayerNorm(nn.LayerNorm):
    """Layer normalization over the features (§3.1): torch's, with this course's `eps`."""

    def __init__(self, d_model, eps=1e-6):
        super().__init__(d_model, eps)

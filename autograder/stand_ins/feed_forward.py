"""The feed-forward network, backed by torch until assignment 3 is over."""

import torch
from torch import nn


class FeedForward(nn.TransformerEncoderLayer):
    """The feed-forward network (§3.3, Eq. 2); its linear layers are called `w_1` and `w_2`."""

    # torch's own layer contains this network as a separate block; only this one's weights are drawn
    def __init__(self, d_model=512, d_ff=2048):
        with torch.random.fork_rng(devices=[]):
            super().__init__(d_model, 1, d_ff, dropout=0.0)
        made = {"w_1": self.linear1, "w_2": self.linear2}
        for name in [name for name, _ in self.named_children() if "dropout" not in name]:
            delattr(self, name)
        for name, layer in made.items():
            self.add_module(name, layer)
            layer.reset_parameters()

    linear1 = property(lambda self: self.w_1)
    linear2 = property(lambda self: self.w_2)

    def forward(self, x):
        return self._ff_block(x)

"""Random tensors and gradients that may be missing, for the hidden tests of assignment 2."""

import numpy as np
import torch


def normal(rng, *shape):
    """Standard normal float32 numbers."""
    return torch.from_numpy(rng.normal(size=shape).astype(np.float32))


def flow(gradients, at, like):
    """The gradient `at`, or zeros if there is none."""
    return torch.zeros_like(like) if gradients.get(at) is None else gradients[at]

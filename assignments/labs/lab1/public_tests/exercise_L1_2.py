"""The visible check of exercise L1.2: rotary positions."""

import numpy as np
import torch

from grader.checking.question import question, refusal

X = torch.from_numpy(np.random.RandomState(1).randn(2, 3, 4, 6)).float()
PLACES = torch.tensor([[0, 1, 2, 3], [0, 0, 5, 9]])
ANGLES = "angles of shape (batch, 1, n, d_k / 2): position / 10000^(2i / d_k)"


@question("L1.2", advice=ANGLES, read="Su et al. 2021, section 3.2")
def test_pairs_and_frequencies(its):
    """Position p turns one pair by p; pair i, features i and i + d_k / 2, at a rate of its own."""
    one_pair = its.rotate(torch.tensor([1.0, 0.0]).expand(1, 1, 4, 2), torch.arange(4)[None])
    odd = refusal(lambda: its.rotate(X[..., :3], PLACES))
    return {"(cos p, sin p)": one_pair, "three pairs": its.rotate(X, PLACES), "odd d_k": odd}

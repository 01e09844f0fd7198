"""The visible checks of exercise L1.2: rotary positions."""

import numpy as np
import torch

from grader.checking.question import question, refusal

X = torch.from_numpy(np.random.RandomState(1).randn(2, 3, 4, 6)).float()
PLACES = torch.tensor([[0, 1, 2, 3], [0, 0, 5, 9]])
READ = "Su et al. 2021, section 3.2"
ANGLES = "angles of shape (batch, 1, n, d_k / 2): position / 10000^(2i / d_k)"


@question("L1.2", advice="(1, 0) becomes (cos p, sin p)", read=READ)
def test_one_pair(its):
    """With two features, position p turns a vector by the angle p."""
    return its.rotate(torch.tensor([1.0, 0.0]).expand(1, 1, 4, 2), torch.arange(4)[None])


@question("L1.2", advice=ANGLES, read=READ)
def test_pairs_and_frequencies(its):
    """Pair i consists of the features i and i + d_k / 2; each has a frequency of its own."""
    return its.rotate(X, PLACES)


@question("L1.2", advice="turn by an angle that is proportional to the position", read=READ)
def test_distance_alone(its):
    """The product of a query and a key does not change when both move on by 7."""
    query, key = its.rotate(X, PLACES + 7), its.rotate(X.flip(1), PLACES + 7)
    products = query @ key.transpose(-1, -2)
    return {"lengths": its.rotate(X, PLACES).norm(dim=-1), "products, 7 positions on": products}


@question("L1.2", beside=["test_one_pair"], advice="raise a ValueError", read="exercise L1.2")
def test_odd(its):
    """An odd number of features cannot be paired."""
    return refusal(lambda: its.rotate(torch.ones(1, 1, 2, 3), torch.tensor([[0, 1]])))

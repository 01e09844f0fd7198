"""The visible checks of exercise L1.2: rotary positions."""

import torch

from grader.checking import expect
from grader.checking.exercise import exercise

# Expectations are set like tables: value, causes, hint, section.
# fmt: off

X = torch.randn(2, 3, 4, 6, generator=torch.Generator().manual_seed(1))
PLACES = torch.tensor([[0, 1, 2, 3], [0, 0, 5, 9]])
READ = "Su et al. 2021, section 3.2"


def turned(x, places, exponent=1.0, sign=1.0, neighbours=False):
    """The rotation, as a product of complex numbers: one for each pair of features."""
    half = x.shape[-1] // 2
    a, b = (x[..., 0::2], x[..., 1::2]) if neighbours else (x[..., :half], x[..., half:])
    frequencies = 10000.0 ** (-exponent * torch.arange(half) / half)
    angles = sign * places[:, None, :, None] * frequencies
    product = torch.complex(a, b) * torch.polar(torch.ones_like(angles), angles)
    return torch.cat([product.real, product.imag], dim=-1)


@exercise("L1.2")
def test_one_pair(student):
    """With two features, position p turns a vector by the angle p."""
    x, places = torch.tensor([1.0, 0.0]).expand(1, 1, 4, 2), torch.tensor([[0, 1, 2, 3]])
    angles = torch.arange(4.0)
    expect.close(
        student.rotate(x, places),
        torch.stack([angles.cos(), angles.sin()], dim=-1)[None, None], atol=1e-5,
        otherwise="(1, 0) becomes (cos p, sin p)", read=READ)


@exercise("L1.2")
def test_pairs_and_frequencies(student):
    """Pair i consists of the features i and i + d_k / 2; each has a frequency of its own."""
    expect.close(
        student.rotate(X, PLACES), turned(X, PLACES), atol=1e-4,
        otherwise="angles of shape (batch, 1, n, d_k / 2): position / 10000^(2i / d_k)", read=READ)


@exercise("L1.2")
def test_distance_alone(student):
    """The product of a query and a key does not change when both move on by 7."""
    def products(places):
        query, key = student.rotate(X, places), student.rotate(X.flip(1), places)
        return query @ key.transpose(-1, -2)

    lengths = student.rotate(X, PLACES).norm(dim=-1)
    expect.close(lengths, X.norm(dim=-1), atol=1e-4, what="lengths of the vectors", read=READ,
                 otherwise="a rotation keeps lengths: cos² + sin² = 1")
    expect.close(products(PLACES + 7), products(PLACES), atol=1e-3, read=READ,
                 what="products of queries and keys, 7 positions later",
                 otherwise="turn by an angle that is proportional to the position")


@exercise("L1.2", beside=["test_one_pair"])
def test_odd(student):
    """An odd number of features cannot be paired."""
    expect.raises(lambda: student.rotate(torch.ones(1, 1, 2, 3), torch.tensor([[0, 1]])),
                  otherwise="raise a ValueError for an odd number of features",
                  read="exercise L1.2")

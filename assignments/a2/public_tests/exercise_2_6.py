"""The visible checks of exercise 2.6: the residual connection."""

import torch

from grader.checking import expect
from grader.checking.exercise import exercise

# Expectations are set like tables: value, causes, hint, section.
# fmt: off


def draw(seed, *shape):
    return torch.randn(shape, generator=torch.Generator().manual_seed(seed))


def plain_norm(x):
    """Layer normalization without gain and bias."""
    centered = x - x.mean(-1, keepdim=True)
    return centered / torch.sqrt((centered * centered).mean(-1, keepdim=True) + 1e-6)


def around_a_square(student, x, **options):
    """What a residual connection makes of x, around a sub-layer that squares its input."""
    module = student.ResidualConnection(4, **options)
    read = module.method("enter", x)
    expect.shape(read, x.shape, what="the result of `enter(x)`", read="exercise 2.6")
    return module.method("leave", x, read * read)


@exercise("2.6")
def test_post_norm(student):
    """The paper's order: LayerNorm(x + Sublayer(x))."""
    x = draw(0, 2, 3, 4)
    expect.close(
        around_a_square(student, x, dropout=0.0), plain_norm(x + x * x), atol=1e-5,
        otherwise="the sub-layer gets x, and the sum is normalized", read="§3.1")


@exercise("2.6")
def test_pre_norm(student):
    """With `norm_first`: x + Sublayer(LayerNorm(x))."""
    x = draw(0, 2, 3, 4)
    expect.close(
        around_a_square(student, x, dropout=0.0, norm_first=True),
        x + plain_norm(x) ** 2, atol=1e-5,
        otherwise="only the sub-layer gets the normalized x", read="exercise 2.6")


@exercise("2.6")
def test_dropout_spares_x(student):
    """Dropout is applied only to the sub-layer's output: with a rate of 1, x remains."""
    x = draw(0, 2, 3, 4)
    expect.close(
        around_a_square(student, x, dropout=1.0, norm_first=True), x,
        otherwise="x + dropout(…)", read="§5.4")
    expect.close(
        around_a_square(student, x, dropout=1.0), plain_norm(x), atol=1e-5, what="post-norm",
        otherwise="LayerNorm(x + dropout(…))", read="§5.4")


@exercise("2.6")
def test_inputs_unchanged(student):
    """The tensors that `enter` and `leave` are given stay as they are."""
    x, y = draw(0, 2, 3, 4), draw(1, 2, 3, 4)
    for norm_first in (False, True):
        module = student.ResidualConnection(4, dropout=0.0, norm_first=norm_first)
        module.eval()
        for half, given in (("enter", [x]), ("leave", [x, y])):
            changed = student.call(module.get(half), *given).changed
            names = [("x", "y")[position] for position in map(int, changed)]
            expect.true(
                not names, expected=f"the tensors given to `{half}` unchanged",
                got=f"{', '.join(names)} changed",
                because="an in-place operation (`y += x`) writes into another part's tensor",
                read="exercise 2.6")

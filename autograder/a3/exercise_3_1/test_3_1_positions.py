"""Hidden tests of exercise 3.1: the table of sinusoids."""

import numpy as np
import torch

from autograder.a3.encoder_reference import sinusoids
from grader.checking import expect
from grader.checking.exercise import exercise
from grader.checking.known_mistakes import known_mistakes

MISTAKE = known_mistakes(__file__)

READ = "§3.5, the two formulas for PE"
AS_MANY_COSINES = MISTAKE.positions_odd_width


def mistakes(n, d_model):
    """What likely mistakes would have given."""
    table = sinusoids(n, d_model).double().numpy()
    place, feature = np.arange(n)[:, None], np.arange(d_model)
    pair, even = feature // 2, feature % 2 == 0

    def waves(angle):
        return np.where(even, np.sin(angle), np.cos(angle))

    return {
        MISTAKE.positions_sin_and_cos_swapped: np.where(
            even, np.cos(place / 10000 ** (2 * pair / d_model)), 0
        )
        + np.where(even, 0, np.sin(place / 10000 ** (2 * pair / d_model))),
        MISTAKE.positions_in_halves: (np.concatenate([table[:, 0::2], table[:, 1::2]], axis=1)),
        MISTAKE.positions_base_1000: waves(place / 1000.0 ** (2 * pair / d_model)),
        "the base is not 10000 but 100000": waves(place / 1e5 ** (2 * pair / d_model)),
        "the exponent is i / d_model: it is 2i / d_model": waves(place / 1e4 ** (pair / d_model)),
        MISTAKE.positions_exponent_doubled: (
            waves(place / 1e4 ** (2 * (feature - feature % 2) / d_model))
        ),
        "every feature has its own frequency: 2i and 2i + 1 share one angle": waves(
            place / 1e4 ** (feature / d_model)
        ),
        MISTAKE.positions_counted_from_one: waves((place + 1) / 1e4 ** (2 * pair / d_model)),
        "the angle is multiplied by 10000^(2i / d_model), not divided": waves(
            place * 1e4 ** (2 * pair / d_model)
        ),
        "every feature is a sine": np.sin(place / 1e4 ** (2 * pair / d_model)),
        MISTAKE.positions_with_batch_axis: table[None],
        AS_MANY_COSINES: sinusoids(n, d_model + d_model % 2) if d_model % 2 else table,
        "the last sine of an odd d_model is missing": table[:, : d_model - d_model % 2],
    }


def as_many_cosines(n, d_model):
    """Raise what writing too many cosines into the columns of an odd-width table raises."""
    even = torch.arange(0, d_model, 2)
    angle = torch.arange(n)[:, None] / 10000.0 ** (even / d_model)
    torch.empty(n, d_model)[:, 1::2] = torch.cos(angle)


def compare(student, n, d_model, what, atol=1e-5):
    made = student.sinusoidal_positions(n, d_model)
    expect.close(
        made,
        sinusoids(n, d_model),
        atol=atol,
        otherwise="print the first rows and compare them with the formula, feature by feature",
        read=READ,
        what=what,
    )
    return made


@exercise("3.1", weight=2)
def test_values(student):
    """Sines at even features, cosines at odd ones, with wavelengths from 2π to 10000 · 2π."""
    for n, d_model in [(3, 4), (7, 8), (20, 16)]:
        compare(student, n, d_model, f"sinusoidal_positions({n}, {d_model})")


@exercise("3.1")
def test_odd_width(student):
    """An odd d_model ends with a sine."""
    for n, d_model in [(6, 5), (4, 1), (5, 7)]:
        compare(student, n, d_model, f"sinusoidal_positions({n}, {d_model})")


@exercise("3.1")
def test_a_long_table(student):
    """Two thousand positions, finite and accurate up to rounding."""
    # an angle near 2000, rounded to float32, is off by up to 1e-4
    table = compare(student, 2000, 32, "sinusoidal_positions(2000, 32)", atol=4e-3)
    double = MISTAKE.positions_in_double_precision
    expect.equal(
        str(table.dtype).removeprefix("torch."),
        "float32",
        what="the dtype of the table",
        read="the docstring of 3.1",
    )


@exercise("3.1")
def test_only_distance_matters(student):
    """The product of two rows depends on how far apart the positions are, not on where."""
    table = student.sinusoidal_positions(24, 12)
    expect.shape(table, (24, 12), what="the table", read=READ)
    products = table @ table.T
    for gap in (0, 1, 5, 12):
        along = torch.diagonal(products, gap)
        expect.close(
            along,
            along[:1].expand_as(along),
            atol=1e-4,
            otherwise="sin² + cos² = 1 holds only for the same angle: do the two features of a "
            "pair share it?",
            read='§3.5: "PE_pos+k can be represented as a linear function of PE_pos"',
            what=f"the products of rows {gap} apart",
        )

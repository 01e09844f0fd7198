"""The visible checks of exercise 1.6: an attention heat map."""

import math

import numpy as np

from grader.checking import expect
from grader.checking.exercise import exercise, fixture

# Expectations are set like tables: value, causes, hint, section.
# fmt: off

# The worked example of the handout: five tokens of width 3, d_k = 3, d_v = 2.
TOKENS = ["the", "cat", "ate", "a", "mouse"]
A = math.exp(2 / math.sqrt(3))  # a score of 2 and one of 4, after the division and the exponential
B = A * A
NUMERATORS = np.array([[1, A, 1, 1, A], [1, B, B, 1, A], [1, B, 1, 1, B], [1, A, 1, 1, A],
                       [1, A, B, 1, 1]])
WORKED_WEIGHTS = NUMERATORS / NUMERATORS.sum(axis=1, keepdims=True)
ROWS, SQUARE_MASK = np.array([[0.9, 0.1], [0.4, 0.6]]), np.array([[True, False], [True, True]])
SMALL_WEIGHTS = np.array([[0.3, 0.2], [0.25, 0.25]])
FIGURE = "__import__('matplotlib.figure').figure.Figure().subplots()"


def _heat_map(student, *args, **kwargs):
    axes = student.plot_attention(*args, **kwargs)
    expect.true(hasattr(axes, "axes"), expected="a matplotlib Axes", got=repr(axes),
                because="nothing is returned: end with `return ax`" if axes is None else "",
                otherwise="end the function with `return ax`")
    with expect.raising(expected="a matplotlib Axes", otherwise="end with `return ax`"):
        shown = axes.axes()
    expect.true(len(shown["images"]) == 1, expected="one image in the Axes",
                got=f"{len(shown['images'])} images", otherwise="draw with ax.imshow(weights, …)"
                )
    return shown


# What several tests look at is drawn once for all of them.


@fixture
def worked(student):
    return _heat_map(student, WORKED_WEIGHTS, TOKENS)


@fixture
def small(student):
    return _heat_map(student, SMALL_WEIGHTS, ["cat", "ate"])


@fixture
def given(student):
    """What is returned for a given `ax`, and what that then shows."""
    ax = student.make(FIGURE)
    return _heat_map(student, ROWS, ["cat", "ate"], mask=SQUARE_MASK, ax=ax), ax.axes()


@exercise("1.6")
def test_two_inputs(worked, small):
    """Two inputs give two different maps, with queries as rows and keys as columns."""
    for shown, weights in ((worked, WORKED_WEIGHTS), (small, SMALL_WEIGHTS)):
        expect.close(
            shown["images"][0], weights, what="the image",
            otherwise="draw the weights as they are, into a new figure when `ax` is None",
            read="exercise 1.6",
        )


@exercise("1.6")
def test_labels(worked):
    """Every token labels its row and its column; the map has a title and two axis labels."""
    for axis in ("x", "y"):
        ticks = zip(worked[f"{axis}ticks"], worked[f"{axis}ticklabels"], strict=True)
        labelled = sorted((math.floor(place + 1e-6), label) for place, label in ticks if label)
        unplaced = bool(labelled) and labelled[0][0] < 0  # only matplotlib's own ticks start there
        expect.true(
            labelled == list(enumerate(TOKENS)), expected=f"{axis} ticks 0 … 4 labelled {TOKENS}",
            got=str(labelled), because="labels are set without tick positions" if unplaced else "",
            otherwise=f"set positions and labels in one call: ax.set_{axis}ticks(range(n), tokens)",
            read="exercise 1.6",
        )
    for part in ("title", "xlabel", "ylabel"):
        expect.true(bool(worked[part]), expected=f"a {part}", got="none",
                    otherwise=f"ax.set_{part}(…)", read="exercise 1.6")


@exercise("1.6")
def test_colours(small):
    """Colors run from 0 to 1 in every map, in a color map that everybody can read."""
    expect.close(
        small["colour_limits"][0], [0.0, 1.0], what="color limits", read="exercise 1.6",
        otherwise="vmin=0, vmax=1",
    )
    name = small["colour_maps"][0]
    expect.true(
        name.removesuffix("_r") in ("viridis", "cividis"), expected="viridis or cividis", got=name,
        because=f"{name} is not one of the handout's two color maps", read="exercise 1.6",
    )


@exercise("1.6")
def test_forbidden_cells(student, given):
    """Cells forbidden by the mask are masked in the image; a one-row mask applies to every row."""
    one_row = np.array([False, True])
    of_one_row = _heat_map(student, ROWS, ["cat", "ate"], mask=one_row)
    for mask, shown in ((SQUARE_MASK, given[0]), (one_row, of_one_row)):
        allowed = np.broadcast_to(mask, (2, 2))
        got = np.where(shown["image_masks"][0], np.nan, shown["images"][0])
        expect.true(
            got.shape == (2, 2) and (np.isnan(got) == ~allowed).all(),
            expected=f"masked cells {np.argwhere(~allowed).tolist()}", got=expect.show(got),
            because="" if got.shape != (2, 2)
            else "the mask is ignored" if np.array_equal(got, ROWS)
            else "forbidden cells are drawn as zero" if np.array_equal(got, ROWS * allowed)
            else "the mask is inverted: numpy.ma hides cells where its mask is True"
            if (np.isnan(got) == allowed).all() else "",
            otherwise="np.ma.masked_array(weights, ~mask), with the mask broadcast to their shape",
            read="exercise 1.6",
        )


@exercise("1.6")
def test_given_axes(student, given):
    """A given `ax` is drawn into; weights that do not match the tokens raise a ValueError."""
    images = given[1]["images"]
    expect.true(len(images) == 1, expected="one image in the given `ax`",
                got=f"{len(images)}", read="exercise 1.6",
                because="the map is drawn into a different Axes than the given `ax`")
    expect.raises(
        lambda: student.plot_attention(ROWS, ["the", "cat", "ate"]),
        "ValueError", because="2 × 2 weights are drawn for three tokens without an error",
        otherwise="first compare the shape of the weights with the number of tokens",
    )

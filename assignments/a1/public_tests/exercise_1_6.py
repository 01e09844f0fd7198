"""The visible checks of exercise 1.6: an attention heat map."""

import math

import numpy as np

from grader.checking import expect
from grader.checking.exercise import exercise

# Expectations are set like tables: value, causes, hint, section.
# fmt: off

# The worked example of the handout: five tokens of width 3, d_k = 3, d_v = 2.
TOKENS = ["the", "cat", "ate", "a", "mouse"]
A = math.exp(2 / math.sqrt(3))  # a score of 2 and one of 4, after the division and the exponential
B = A * A
NUMERATORS = np.array([[1, A, 1, 1, A], [1, B, B, 1, A], [1, B, 1, 1, B], [1, A, 1, 1, A],
                       [1, A, B, 1, 1]])
WORKED_WEIGHTS = NUMERATORS / NUMERATORS.sum(axis=1, keepdims=True)


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


@exercise("1.6")
def test_two_inputs(student):
    """Two inputs give two different maps, with queries as rows and keys as columns."""
    for weights in (np.array([[0.9, 0.1], [0.4, 0.6]]), np.array([[0.2, 0.8], [0.7, 0.3]])):
        shown = _heat_map(student, weights, ["cat", "ate"])
        expect.close(
            shown["images"][0], weights, what="the image",
            causes={"the image is transposed: row i belongs to query i": weights.T,
                    "the rows are in reverse order": weights[::-1]},
            otherwise="draw the weights as they are, into a new figure when `ax` is None",
            read="exercise 1.6",
        )


@exercise("1.6")
def test_labels(student):
    """Every token labels its row and its column; the map has a title and two axis labels."""
    shown = _heat_map(student, WORKED_WEIGHTS, TOKENS)
    for axis in ("x", "y"):
        ticks = zip(shown[f"{axis}ticks"], shown[f"{axis}ticklabels"], strict=True)
        labelled = sorted((math.floor(place + 1e-6), label) for place, label in ticks if label)
        unplaced = bool(labelled) and labelled[0][0] < 0  # only matplotlib's own ticks start there
        expect.true(
            labelled == list(enumerate(TOKENS)), expected=f"{axis} ticks 0 … 4 labelled {TOKENS}",
            got=str(labelled), because="labels are set without tick positions" if unplaced else "",
            otherwise=f"set positions and labels in one call: ax.set_{axis}ticks(range(n), tokens)",
            read="exercise 1.6",
        )
    for part in ("title", "xlabel", "ylabel"):
        expect.true(bool(shown[part]), expected=f"a {part}", got="none",
                    otherwise=f"ax.set_{part}(…)", read="exercise 1.6")


@exercise("1.6")
def test_colours(student):
    """Colors run from 0 to 1 in every map, in a color map that everybody can read."""
    weights = np.array([[0.3, 0.2], [0.25, 0.25]])
    shown = _heat_map(student, weights, ["cat", "ate"])
    expect.close(
        shown["colour_limits"][0], [0.0, 1.0], what="color limits", read="exercise 1.6",
        causes={"the limits follow the data, so two maps cannot be compared": [0.2, 0.3],
                "the upper limit follows the data": [0.0, 0.3],
                "the lower limit follows the data": [0.2, 1.0]},
        otherwise="vmin=0, vmax=1",
    )
    name = shown["colour_maps"][0]
    expect.true(
        name.removesuffix("_r") in ("viridis", "cividis"), expected="viridis or cividis", got=name,
        because=f"{name} is not one of the handout's two color maps", read="exercise 1.6",
    )


@exercise("1.6")
def test_forbidden_cells(student):
    """Cells forbidden by the mask are masked in the image; a one-row mask applies to every row."""
    weights = np.array([[0.9, 0.1], [0.4, 0.6]])
    for mask in (np.array([[True, False], [True, True]]), np.array([False, True])):
        shown = _heat_map(student, weights, ["cat", "ate"], mask=mask)
        allowed = np.broadcast_to(mask, (2, 2))
        got = np.where(shown["image_masks"][0], np.nan, shown["images"][0])
        expect.true(
            got.shape == (2, 2) and (np.isnan(got) == ~allowed).all(),
            expected=f"masked cells {np.argwhere(~allowed).tolist()}", got=expect.show(got),
            because="" if got.shape != (2, 2)
            else "the mask is ignored" if np.array_equal(got, weights)
            else "forbidden cells are drawn as zero" if np.array_equal(got, weights * allowed)
            else "the mask is inverted: numpy.ma hides cells where its mask is True"
            if (np.isnan(got) == allowed).all() else "",
            otherwise="np.ma.masked_array(weights, ~mask), with the mask broadcast to their shape",
            read="exercise 1.6",
        )


@exercise("1.6")
def test_given_axes(student):
    """A given `ax` is drawn into; weights that do not match the tokens raise a ValueError."""
    figure = "__import__('matplotlib.figure').figure.Figure().subplots()"
    axes, weights = student.make(figure), np.array([[0.9, 0.1], [0.4, 0.6]])
    _heat_map(student, weights, ["cat", "ate"], ax=axes)
    expect.true(len(axes.axes()["images"]) == 1, expected="one image in the given `ax`",
                got=f"{len(axes.axes()['images'])}", read="exercise 1.6",
                because="the map is drawn into a different Axes than the given `ax`")
    expect.raises(
        lambda: student.plot_attention(weights, ["the", "cat", "ate"], ax=student.make(figure)),
        "ValueError", because="2 × 2 weights are drawn for three tokens without an error",
        otherwise="first compare the shape of the weights with the number of tokens",
    )

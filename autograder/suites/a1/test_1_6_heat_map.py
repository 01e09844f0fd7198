"""Hidden tests of exercise 1.6: a heat map, read as data."""

import numpy as np

from course_lib.checking import expect
from course_lib.checking.exercise import exercise
from course_lib.seam import Handle

READ = "exercise 1.6"
TOKENS = ["the", "cat", "saw", "another"]
SMALL = "__import__('matplotlib.figure').figure.Figure(figsize=(2, 2)).subplots()"
CLOSE = "__import__('matplotlib.pyplot').pyplot.close('all')"


def _weights(rng, n=4):
    drawn = rng.random((n, n))
    return drawn / drawn.sum(axis=1, keepdims=True)


def _read(axes):
    """The Axes as data. Raises Failure for anything else."""
    expect.true(
        isinstance(axes, Handle), expected="a matplotlib Axes", got=repr(axes)[:80], read=READ,
        otherwise="nothing is returned: end with `return ax`" if axes is None else "return ax",
    )  # fmt: skip
    return axes.axes()


def _image(shown):
    """The values, NaN where masked, and the mask of the one image that is as large as the map."""
    found = len(shown["images"])
    expect.true(
        found == 1, expected="one image in the Axes", got=f"{found}", read=READ,
        otherwise="the figure of an earlier call is drawn over: plt.subplots() makes a new one"
        if found > 1 else "draw into `ax` when it is given: ax.imshow(…), not plt.imshow(…)",
    )  # fmt: skip
    return shown["images"][0], shown["image_masks"][0] | np.isnan(shown["images"][0])


def _drawn(student, weights, tokens, **options):
    """What the student draws into a small Axes of the test's own."""
    axes = student.make(SMALL)
    _read(student.plot_attention(weights, tokens, ax=axes, **options))
    return axes.axes()


@exercise("1.6")
def test_image(student, rng):
    """The image holds the weights: queries down, keys across."""
    weights = _weights(rng)
    image, _ = _image(_drawn(student, weights, TOKENS))
    expect.close(
        image, weights, what="the image", read=READ,
        causes={
            "the image is transposed: row i belongs to query i": weights.T,
            "the rows are in reverse order": weights[::-1],
            "the columns are scaled to their largest weight": weights / weights.max(axis=0),
            "the rows are scaled to their largest weight": (
                weights / weights.max(axis=1, keepdims=True)
            ),
        },
        otherwise="show the weights as they are",
    )  # fmt: skip


@exercise("1.6")
def test_new_figures(student, rng):
    """Without `ax`, two calls give two maps; the second leaves the first alone."""
    maps = [_weights(rng, 2), _weights(rng, 2)]
    axes = [student.plot_attention(weights, TOKENS[:2]) for weights in maps]
    for shown, weights in zip([_read(one) for one in axes], maps, strict=True):
        expect.close(
            _image(shown)[0], weights, what="the image of one of two calls", read=READ,
            otherwise="start a new figure when `ax` is None: plt.subplots()",
        )  # fmt: skip
    student.make(CLOSE)


@exercise("1.6")
def test_labels(student, rng):
    """Every token labels its own row and column, also where one occurs twice."""
    tokens = ["the", "cat", "saw", "the", "mouse"]
    shown = _drawn(student, _weights(rng, 5), tokens)
    for axis, cells in (("x", "column"), ("y", "row")):
        ticks = zip(shown[f"{axis}ticks"], shown[f"{axis}ticklabels"], strict=True)
        labelled = sorted((place, text.strip()) for place, text in ticks if text.strip())
        places = [int(np.floor(place + 1e-6)) for place, _ in labelled]
        words = [word for _, word in labelled]
        if words == tokens and places == [1, 2, 3, 4, 5]:
            cause = "the labels are one place too far: places count from 0"
        elif words == tokens and places != list(range(5)):
            cause = f"labels without places of their own: set_{axis}ticks(range(n), labels=tokens)"
        elif words == tokens[::-1]:
            cause = "the labels run the other way than the image"
        elif places == list(range(5)):
            cause = "the places are right but not the words"
        else:
            cause = "a token that occurs twice has two rows and two columns: label by place"
        expect.true(
            words == tokens and places == list(range(5)),
            expected=f"{cells}s 0 … 4 labelled {', '.join(tokens)}",
            got=", ".join(f"{place:g}: {word}" for place, word in labelled) or "no labels",
            otherwise=cause, read=READ,
        )  # fmt: skip


@exercise("1.6", weight=2)
def test_masked_cells(student, rng):
    """Cells that the mask forbids are masked in the image, not zero; masks broadcast."""
    weights = _weights(rng)
    for mask in (np.array([[1, 0, 0, 0], [0, 1, 0, 1], [1, 1, 1, 0], [0, 1, 1, 1]], bool),
                 np.array([True, True, True, False])):  # fmt: skip
        image, hidden = _image(_drawn(student, weights, TOKENS, mask=mask))
        allowed = np.broadcast_to(mask, weights.shape)
        expect.shape(hidden, weights.shape, what="the image", read=READ)
        if not hidden.any():
            cause = "the mask is ignored"
            if np.allclose(image, np.where(allowed, weights, 0), atol=1e-6):
                cause = "forbidden cells are drawn as zero: use np.ma.masked_array"
        elif (hidden == allowed).all():
            cause = "the mask is inverted: True means may attend, numpy.ma's True means hidden"
        elif hidden.T.tolist() == (~allowed).tolist():
            cause = "the mask is transposed"
        else:
            cause = "np.ma.masked_array(weights, ~mask)"
        expect.true(
            (hidden == ~allowed).all(), expected=f"masked cells {np.argwhere(~allowed).tolist()}",
            got=f"masked cells {np.argwhere(hidden).tolist()}", otherwise=cause, read=READ,
        )  # fmt: skip
        expect.close(image[allowed], weights[allowed], what="visible cells", read=READ)


@exercise("1.6")
def test_colours_and_names(student, rng):
    """Colours run from 0 to 1 whatever the weights are; x names the keys, y the queries."""
    weights = _weights(rng) / 2
    shown = _drawn(student, weights, TOKENS)
    _image(shown)
    limits = shown["colour_limits"][0]
    data = np.allclose(limits, [weights.min(), weights.max()], atol=1e-6)
    expect.close(
        limits, [0.0, 1.0], what="colour limits", read=READ,
        otherwise="the limits follow the data, so two maps cannot be compared: vmin=0, vmax=1"
        if data else "vmin=0, vmax=1",
    )  # fmt: skip
    x, y = shown["xlabel"].lower(), shown["ylabel"].lower()
    exchanged = ("quer" in x and "key" not in x) or ("key" in y and "quer" not in y)
    expect.true(
        bool(x and y) and not exchanged,
        expected="an x label for the keys and a y label for the queries",
        got=f"x: {shown['xlabel']!r}, y: {shown['ylabel']!r}", read=READ,
        otherwise="the axis labels are exchanged: rows are queries" if exchanged
        else "ax.set_xlabel(…) and ax.set_ylabel(…)",
    )  # fmt: skip


@exercise("1.6", weight=0.5)
def test_wrong_number_of_tokens(student, rng):
    """Weights that do not fit the tokens: a ValueError instead of a wrong picture."""
    expect.raises(
        lambda: student.plot_attention(_weights(rng, 3), TOKENS, ax=student.make(SMALL)),
        "ValueError", read="the docstring of 1.6",
        otherwise="compare the shape of the weights with the number of tokens first",
    )  # fmt: skip

"""Hidden tests of exercise 1.6: a heat map, checked through the data of its Axes."""

import numpy as np

from grader.checking import expect
from grader.checking.exercise import exercise, fixture
from grader.checking.known_mistakes import known_mistakes
from grader.seam import Handle

MISTAKE = known_mistakes(__file__)

READ = "exercise 1.6"
READABLE = ("viridis", "cividis")
TOKENS = ["the", "cat", "saw", "the", "mouse"]
SMALL = "__import__('matplotlib.figure').figure.Figure(figsize=(2, 2)).subplots()"
CLOSE = "__import__('matplotlib.pyplot').pyplot.close('all')"


def _weights(rng, n=5):
    drawn = rng.random((n, n))
    return drawn / drawn.sum(axis=1, keepdims=True)


def _read(axes):
    """The data of the returned Axes. Raises Failure if anything else is returned."""
    expect.true(
        isinstance(axes, Handle), expected="a matplotlib Axes", got=repr(axes)[:80], read=READ,
        otherwise="return ax",
    )  # fmt: skip
    with expect.raising(expected="a matplotlib Axes", otherwise="return ax", read=READ):
        return axes.axes()


def _image(shown, because=""):
    """Values and mask of the only image. Raises Failure if there is not exactly one."""
    found = len(shown["images"])
    expect.true(
        found == 1, expected="one image in the Axes", got=f"{found}", read=READ, because=because,
        otherwise="draw once, into `ax`: ax.imshow(…), not plt.imshow(…)",
    )  # fmt: skip
    return shown["images"][0], shown["image_masks"][0] | np.isnan(shown["images"][0])


def _drawn(student, weights, tokens, **options):
    """The data that the student draws into a small Axes made by the test."""
    axes = student.make(SMALL)
    called = student.call(student.plot_attention, weights, tokens, ax=axes, **options)
    returned = _read(called.value)
    shown = axes.axes()
    if returned["images"] and not shown["images"]:
        _image(shown, MISTAKE.heat_map_ax_ignored)
    expect.unchanged(
        called.changed,
    )
    return shown


@fixture
def plain(student, rng):
    """Weights, two of them exactly 0, and their map without a mask."""
    weights = _weights(rng)
    weights[[2, 3], [1, 2]] = 0.0
    return weights, _drawn(student, weights, TOKENS)


@fixture
def new_figures(student, rng):
    """Pairs of weights, and their maps without `ax`, read after the second is drawn."""
    student.make(CLOSE)
    maps = [_weights(rng, 2), _weights(rng, 2)]
    axes = [student.plot_attention(weights, TOKENS[:2]) for weights in maps]
    shown = [_read(one) for one in axes]
    student.make(CLOSE)
    return maps, shown


@exercise("1.6")
def test_image(plain):
    """The image shows the weights, with queries as rows and keys as columns."""
    weights, shown = plain
    image, _ = _image(shown)
    expect.close(
        image, weights, what="the image", read=READ,
        otherwise="show the weights as they are",
    )  # fmt: skip


@exercise("1.6")
def test_new_figures(new_figures):
    """Without `ax`, two calls give two maps, and the second leaves the first unchanged."""
    maps, both_shown = new_figures
    over = MISTAKE.heat_map_into_current_figure
    for shown, weights in zip(both_shown, maps, strict=True):
        both = len(shown["images"]) == 2 and all(
            image.shape == (2, 2) and np.allclose(image, drawn, atol=1e-6)
            for image, drawn in zip(shown["images"], maps, strict=True)
        )
        expect.close(
            _image(shown, over if both else "")[0], weights, what="the image of one of two calls",
            read=READ,            otherwise="start a new figure when `ax` is None: plt.subplots()",
        )  # fmt: skip


@exercise("1.6")
def test_labels(plain):
    """Every token labels its own row and column, even a token that occurs twice."""
    tokens, (_, shown) = TOKENS, plain
    for axis, cells in (("x", "column"), ("y", "row")):
        ticks = zip(shown[f"{axis}ticks"], shown[f"{axis}ticklabels"], strict=True)
        labelled = sorted((place, text.strip()) for place, text in ticks if text.strip())
        places = [int(np.floor(place + 1e-6)) for place, _ in labelled]
        words = [word for _, word in labelled]
        because = ""
        if words == tokens and places == [1, 2, 3, 4, 5]:
            because = MISTAKE.heat_map_labels_shifted
        elif words == tokens[: len(words)] and words and labelled[0][0] < 0:
            # Only ticks chosen by matplotlib start before the first cell.
            because = MISTAKE.heat_map_labels_without_places.format(axis=axis)
        elif words == tokens[::-1] and places == list(range(5)):
            because = MISTAKE.heat_map_labels_reversed
        elif sorted(words) == sorted(set(tokens)):
            because = MISTAKE.heat_map_labels_by_word
        expect.true(
            words == tokens and places == list(range(5)),
            expected=f"{cells}s 0 … 4 labelled {', '.join(tokens)}",
            got=", ".join(f"{place:g}: {word}" for place, word in labelled) or "no labels",
            because=because, read=READ,
            otherwise=f"positions and labels at once: ax.set_{axis}ticks(range(n), labels=tokens)",
        )  # fmt: skip


@exercise("1.6", weight=2)
def test_masked_cells(student, plain):
    """Cells forbidden by the mask are masked in the image, not drawn as zero; masks broadcast."""
    weights, unmasked = plain  # where the weight is 0, each mask allows it
    for mask in (np.array([[1, 0, 0, 0, 1], [0, 1, 0, 1, 1], [1, 1, 1, 0, 0], [0, 1, 1, 1, 0],
                           [1, 0, 0, 1, 1]], bool),
                 np.array([True, True, True, False, True]), None):  # fmt: skip
        drawn = unmasked if mask is None else _drawn(student, weights, TOKENS, mask=mask)
        image, hidden = _image(drawn)
        allowed = np.broadcast_to(True if mask is None else mask, weights.shape)
        expect.shape(hidden, weights.shape, what="the image", read=READ)
        because = ""
        if not hidden.any():
            if np.allclose(image, weights, atol=1e-6):
                because = MISTAKE.heat_map_mask_ignored
            elif np.allclose(image, np.where(allowed, weights, 0), atol=1e-6):
                because = MISTAKE.heat_map_masked_cells_zero
        elif (hidden == allowed).all():
            because = MISTAKE.heat_map_mask_inverted
        elif (hidden == (~allowed | (weights == 0))).all():
            because = MISTAKE.heat_map_zero_weights_hidden
        elif hidden.T.tolist() == (~allowed).tolist():
            because = "the mask is transposed"
        expect.true(
            (hidden == ~allowed).all(), expected=f"masked cells {np.argwhere(~allowed).tolist()}",
            got=f"masked cells {np.argwhere(hidden).tolist()}", because=because, read=READ,
            otherwise="np.ma.masked_array(weights, ~mask), with the mask broadcast to their shape",
        )  # fmt: skip
        expect.close(image[allowed], weights[allowed], what="visible cells", read=READ)


@exercise("1.6")
def test_colours_and_names(plain, new_figures):
    """Colors run from 0 to 1; there is a title, and x names the keys, y the queries."""
    maps, both_shown = new_figures
    weights, shown = maps[0], both_shown[0]
    _image(shown)
    low, high = weights.min(), weights.max()
    follow = MISTAKE.heat_map_colours_follow_data
    expect.close(
        shown["colour_limits"][0], [0.0, 1.0], what="color limits", read=READ,
        otherwise="vmin=0, vmax=1",
    )  # fmt: skip
    _check_names(shown)
    _check_names(plain[1], MISTAKE.heat_map_names_in_current_axes)


def _check_names(shown, untitled=MISTAKE.heat_map_without_title):
    """Check title and axis labels; `untitled` says why there is no title."""
    expect.true(
        bool(shown["title"].strip()), expected="a title", got="none", read=READ, because=untitled,
    )  # fmt: skip
    x, y = shown["xlabel"].lower(), shown["ylabel"].lower()
    x_is_query, y_is_key = "quer" in x and "key" not in x, "key" in y and "quer" not in y
    swapped = MISTAKE.heat_map_axis_names_exchanged
    expect.true(
        bool(x and y) and not (x_is_query or y_is_key),
        expected="an x label for the keys and a y label for the queries",
        got=f"x: {shown['xlabel']!r}, y: {shown['ylabel']!r}", read=READ,
        because=swapped if x_is_query and y_is_key else "",
        otherwise="rows are queries, columns keys: ax.set_xlabel(…) and ax.set_ylabel(…)",
    )  # fmt: skip


@exercise("1.6", weight=0.5)
def test_colour_map(plain):
    """The color map is one that color-blind readers can read."""
    _, shown = plain
    _image(shown)
    name = shown["colour_maps"][0]
    expect.true(
        name.removesuffix("_r") in READABLE, expected=" or ".join(READABLE), got=name, read=READ,
    )  # fmt: skip


@exercise("1.6", weight=0.5, beside=["test_masked_cells", "test_image", "test_new_figures"])
def test_wrong_number_of_tokens(student, rng):
    """Weights that do not match the tokens raise a ValueError instead of a wrong picture."""
    for weights, because in (
        (_weights(rng, 3), MISTAKE.heat_map_tokens_unchecked),
        (_weights(rng, 4)[:, :3], MISTAKE.heat_map_columns_unchecked),
    ):
        expect.raises(
            lambda weights=weights: student.plot_attention(weights, TOKENS[:4]),
            "ValueError", read="the docstring of 1.6", because=because,
            otherwise="first compare the shape of the weights with the number of tokens",
        )  # fmt: skip

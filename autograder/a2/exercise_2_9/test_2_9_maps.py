"""Hidden tests of exercise 2.9: a heat map for every head."""

from autograder.a2.exercise_2_9.test_2_9_diversity import weights_of
from grader.checking import expect
from grader.checking.exercise import exercise
from grader.checking.known_mistakes import known_mistakes
from grader.seam import Handle

MISTAKE = known_mistakes(__file__)

PLOT = "Appendix, Figure 5"
DOCSTRING = "exercise 2.9, the docstring"
TOKENS = ["the", "cat", "saw", "the"]


def drawn(student, weights, tokens):
    """The data of the maps, one per head; closes the figure."""
    axes = student.plot_heads(weights, tokens)
    student.make("__import__('matplotlib.pyplot', fromlist=['close']).close('all')")
    figure = isinstance(axes, Handle) and axes.type_name == "Figure"
    expect.true(
        isinstance(axes, (list, tuple)) and len(axes) == len(weights),
        expected=f"a list of {len(weights)} Axes, one for each head",
        got=f"{type(axes).__name__} of {len(axes)}"
        if isinstance(axes, (list, tuple))
        else "a figure"
        if figure
        else "other",
        otherwise="return a list of Axes in the order of the heads, even for one head",
        read=PLOT,
    )
    return [one.axes() for one in axes]


@exercise("2.9", weight=2)
def test_maps_of_all_heads(student, rng):
    """Each map shows its head, with queries as rows and keys as columns, on one color scale."""
    weights = weights_of(rng, 3, 4, 4).numpy()
    maps = drawn(student, weights, TOKENS)
    late = all(str(head + 1) in found["title"] for head, found in enumerate(maps))
    for head, found in enumerate(maps):
        expect.true(
            len(found["images"]) == 1,
            expected="one image in each Axes",
            got=f"{len(found['images'])} in the Axes of head {head}",
            otherwise="call `imshow` once per head, in its own Axes",
            read=PLOT,
        )
        other = {
            "every map shows the mean of all heads": weights.mean(0),
            "the heads are drawn in reverse": weights[::-1][head],
        } | ({MISTAKE.maps_first_head_everywhere: weights[0]} if head else {})
        expect.close(
            found["images"][0].reshape(found["images"][0].shape[-2:]),
            weights[head],
            otherwise="show the weights as they are",
            read=PLOT,
            what=f"the image of head {head}",
        )
        expect.true(
            str(head) in found["title"],
            expected=f"a title with the head's number, {head}",
            got=repr(found["title"]),
            otherwise="put the head's number in the title of its map",
            read=PLOT,
        )
    limits = [found["colour_limits"][0] for found in maps]
    expect.close(
        limits,
        [[0.0, 1.0]] * len(maps),
        otherwise="vmin=0, vmax=1",
        read=PLOT,
        what="the color limits of each map",
    )


@exercise("2.9")
def test_labels_of_one_head(student, rng):
    """Tokens label rows and columns; a single head, given as a tensor, is also drawn."""
    weights = weights_of(rng, 1, 4, 4)
    (found,) = drawn(student, weights, TOKENS)
    expect.close(found["images"][0], weights[0], what="the image", read=PLOT)
    for axis, what in (("x", "keys"), ("y", "queries")):
        # Ticks without a label are grid lines or matplotlib's own.
        pairs = zip(found[f"{axis}ticks"], found[f"{axis}ticklabels"], strict=False)
        labelled = sorted((tick, label) for tick, label in pairs if label)
        expect.equal(
            [label for _, label in labelled],
            TOKENS,
            otherwise=f"label the {what} with the tokens, in order",
            read=PLOT,
            what=f"the {axis} labels",
        )
        # Cells are centered at 0, 1, 2, … in `imshow`, and ½ further in `pcolormesh`.
        expect.true(
            all(abs(tick - index) <= 0.5 for index, (tick, _) in enumerate(labelled)),
            expected=f"each {axis} label at its own cell",
            got=f"labels at {', '.join(f'{tick:g}' for tick, _ in labelled)}",
            otherwise="one tick for each token: `set_xticks(range(n), labels=tokens)`",
            read=PLOT,
        )
        expect.true(
            bool(found[f"{axis}label"]),
            expected=f"a label for the {axis} axis",
            got="none",
            read=PLOT,
        )
    wide, five = weights_of(rng, 1, 4, 5), [*TOKENS, "mouse"]
    for given, because in (
        (weights, MISTAKE.maps_tokens_unchecked),
        (wide, MISTAKE.maps_rows_unchecked),
    ):
        expect.raises(
            lambda given=given: student.plot_heads(given, five), because=because, read=DOCSTRING
        )

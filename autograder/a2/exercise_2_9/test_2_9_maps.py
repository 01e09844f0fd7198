"""Hidden tests of exercise 2.9: a heat map for every head."""

from autograder.a2.exercise_2_9.test_2_9_diversity import weights_of
from grader.checking.question import question

PLOT = "Appendix, Figure 5"
TOKENS = ["the", "cat", "saw", "the"]


def drawn(its, weights):
    """How many Axes are returned in a list, and each of them as data; closes the figure."""
    axes = its.plot_heads(weights, TOKENS)
    its.make("__import__('matplotlib.pyplot', fromlist=['close']).close('all')")
    listed = axes if isinstance(axes, (list, tuple)) else []
    return {"Axes in a list": len(listed)}, [one.axes() for one in listed]


@question("2.9", weight=4, advice="a list of one `imshow` per head, vmin=0, vmax=1", read=PLOT)
def test_maps_of_all_heads(its, rng):
    """Each map shows its head, with queries as rows and keys as columns, on one color scale."""
    found, maps = drawn(its, weights_of(rng, 5, 4, 4).numpy())
    for head, one in enumerate(maps):
        found |= {
            f"images of head {head}": [image.reshape(image.shape[-2:]) for image in one["images"]],
            f"color limits of head {head}": one["colour_limits"],
            f"the title of head {head} has its number": str(head) in one["title"],
        }
    return found


def labeled(one, axis):
    """The labels of an axis in order, whether they are at their cells, and its name."""
    pairs = zip(one[f"{axis}ticks"], one[f"{axis}ticklabels"], strict=False)
    # Ticks without a label are grid lines or matplotlib's own.
    places = sorted((tick, label) for tick, label in pairs if label)
    return {
        f"labels of {axis}": [label for _, label in places],
        # Cells are centered at 0, 1, 2, … in `imshow`, and ½ further in `pcolormesh`.
        f"{axis}: a label is at its cell": all(
            abs(t - i) <= 0.5 for i, (t, _) in enumerate(places)
        ),
        f"the axis {axis} has a name": bool(one[f"{axis}label"]),
    }


@question("2.9", weight=2, advice="`set_xticks(range(n), labels=tokens)`, and names", read=PLOT)
def test_labels_of_one_head(its, rng):
    """Tokens label rows and columns; a single head, given as a tensor, is also drawn."""
    found, maps = drawn(its, weights_of(rng, 1, 4, 4))
    for one in maps:
        found |= {"image": one["images"]} | labeled(one, "x") | labeled(one, "y")
    return found

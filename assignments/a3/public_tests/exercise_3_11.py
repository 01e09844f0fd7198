"""The visible checks of exercise 3.11: reading the curves."""

from grader.checking.question import question

HISTORY = [{"step": s, "loss": 1 / s, "accuracy": 0.25} for s in range(1, 24)] + [
    {"step": step, "epoch": step, "validation_accuracy": p} for step, p in ((3, 0.5), (23, 0.8))
]
BAND = """lambda ax: [[float(x), float(y)] for band in ax.collections for path in band.get_paths()
    for x, y in path.vertices]"""
LOOK = """lambda ax: sorted([one.get_alpha() or 1, one.get_linewidth(), one.get_zorder() + i / 99]
    for i, one in enumerate(ax.lines))"""  # the palest first
PAIR = "__import__('matplotlib.figure').figure.Figure().subplots(1, 2)"


def lines(axes):
    """The points of each line, by its label."""
    return {f"{a} of '{one['label']}'": one[a] for one in axes.axes()["lines"] for a in "xy"}


@question("3.11", advice="a row belongs to the curve whose key it contains", read="exercise 3.11")
def test_two_curves(its):
    """Losses, raw and the mean of the last 20; the validation accuracy in percent."""
    left, right = its.plot_curves(HISTORY)
    return lines(left) | lines(right)


@question("3.11", weight=2, advice="± 100 · √(p(1 − p)/n_validation)", read="exercise 3.11")
def test_band(its):
    """A band of one standard error lies around the accuracy."""
    points, found = its.make(BAND), {}
    for options in ({}, {"n_validation": 100}):
        right = its.plot_curves(HISTORY, **options)[1]
        for step in (3, 23):
            heights = [y for x, y in its.call(points, right).value if x == step]
            found[f"the band at step {step} with {options}"] = [min(heights), max(heights)]
    return found


@question("3.11", advice="left, right = axes", read="exercise 3.11")
def test_given_axes(its):
    """The raw line is pale and behind; given Axes are used, else a new figure; all have names."""
    first, pair = its.plot_curves(HISTORY), its.make(PAIR)
    look = its.call(its.make(LOOK), first[0]).value
    (alpha, width, order), (_, wider, front) = look[0], look[-1]
    count, names = first[0].method("lines.__len__"), [ax.axes() for ax in first]
    its.plot_curves(HISTORY)
    its.plot_curves(HISTORY, axes=pair)
    return {
        "the raw losses have an alpha of at most 0.5": alpha <= 0.5,
        "the smoothed line is wider, and in front": width < wider and order < front,
        "given Axes have lines": min(pair.method(f"{i}.lines.__len__") for i in (0, 1)) > 0,
        "a later call draws elsewhere": first[0].method("lines.__len__") == count,
        "titles and x labels": all("step" in n["xlabel"] and n["title"] for n in names),
        "y labels": "loss" in names[0]["ylabel"] and "%" in names[1]["ylabel"],
    }

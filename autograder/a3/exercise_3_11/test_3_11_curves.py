"""Hidden tests of exercise 3.11: training curves, read back as data."""

from grader.checking.question import question

READ = "the docstring of 3.11"
PAIR = "__import__('matplotlib.figure').figure.Figure(figsize=(2, 2)).subplots(1, 2)"
# Of each line by its label: how opaque, how wide, and how far in front it is.
LOOK = """lambda ax: {one.get_label(): [float(1 if one.get_alpha() is None else one.get_alpha()),
    float(one.get_linewidth()), float(one.get_zorder() + place / 1000)]
    for place, one in enumerate(ax.lines)}"""
BAND = """lambda ax: [[float(x), float(y)] for band in ax.collections for path in band.get_paths()
    for x, y in path.vertices]"""


def training(rng, steps=12, every=4):
    """A history as `fit` returns it: rows for steps and for evaluations, in order."""
    history = []
    for step in range(1, steps + 1):
        loss, share = float(2 / step + rng.random()), float(rng.random())
        history.append({"step": step, "loss": loss, "accuracy": share, "learning_rate": 0.1})
        if step % every == 0:
            share = float(rng.uniform(0.5, 0.9))
            history.append({"step": step, "epoch": step // every, "validation_accuracy": share})
    return history


def curves(axes, *labels):
    """The points of the lines with these labels."""
    lines = {one["label"].lower(): one for one in axes.axes()["lines"]}
    found = {f"{axis} of the {n}": lines[n][axis] for n in labels if n in lines for axis in "xy"}
    return found or {"the lines' labels": sorted(lines)}


@question("3.11", weight=2, advice="left the losses, right 100 × the accuracy", read=READ)
def test_curves(its, rng):
    """Losses, raw and as a mean of the last 20 or fewer, and the accuracy, in given Axes."""
    pair, history = its.make(PAIR), training(rng, 60)
    rows = its.make("history", history=history)
    left, right = its.plot_curves(rows, axes=pair, n_validation=150)
    band = its.call(its.make(BAND), right).value
    heights = [[y for x, y in band if x == step] or [0.0] for step in (4, 32, 60)]
    found = curves(left, "training loss", "smoothed") | curves(right, "validation accuracy")
    return found | {
        "the given Axes have curves": min(pair.method(f"{i}.lines.__len__") for i in (0, 1)) > 0,
        "the bands at the steps 4, 32, 60": [[min(h), max(h)] for h in heights],
        "the history is unchanged": rows.get() == history,
    }


@question("3.11", advice="a later plot covers an earlier one", read=READ)
def test_raw_losses_stay_behind(its, rng):
    """The raw losses are thin, pale and behind the smoothed ones; title and axes have names."""
    left, right = its.plot_curves(training(rng), axes=its.make(PAIR))
    look = its.call(its.make(LOOK), left).value
    first, count = its.plot_curves(training(rng))[0], "lines.__len__"
    lines, _ = first.method(count), its.plot_curves(training(rng))
    (alpha, width, order), (_, wider, front) = look["training loss"], look["smoothed"]
    return {
        "the raw losses have an alpha of at most 0.5": alpha <= 0.5,
        "the smoothed line is wider than theirs": width < wider,
        "it is in front": order < front,
        "a later call draws elsewhere": first.method(count) == lines,
        "both have a title": all(names["title"] for names in (ax.axes() for ax in (left, right))),
        "the y labels have 'loss' and '%'": all(
            unit in ax.axes()["ylabel"].lower() and "step" in ax.axes()["xlabel"].lower()
            for ax, unit in ((left, "loss"), (right, "%"))
        ),
    }

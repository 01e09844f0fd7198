"""Hidden tests of exercise 3.11: training curves, read back as data."""

import numpy as np

from autograder.a3.answers import answered
from grader.checking import expect
from grader.checking.exercise import exercise
from grader.checking.known_mistakes import known_mistakes
from grader.seam import Handle

MISTAKE = known_mistakes(__file__)

READ = "the docstring of 3.11"
PAIR = "__import__('matplotlib.figure').figure.Figure(figsize=(2, 2)).subplots(1, 2)"
# Of the raw line, or of the smoothed: how opaque, how wide, and how far in front it is.
LOOK = """lambda ax, smoothed: next(
    {"alpha": float(1 if one.get_alpha() is None else one.get_alpha()),
     "width": float(one.get_linewidth()), "order": float(one.get_zorder() + place / 1000)}
    for place, one in enumerate(ax.lines)
    if ("smoothed" in one.get_label().lower()) == smoothed)"""
CLOSE = "__import__('matplotlib.pyplot').pyplot.close('all')"


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


def split(history):
    trained = [row for row in history if "loss" in row]
    looked = [row for row in history if "validation_accuracy" in row]
    share = np.array([row["validation_accuracy"] for row in looked])
    return trained, [row["step"] for row in looked], share


def drawn(student, history, *options, axes=None, **named):
    """The two returned Axes."""
    if axes is not None:
        named["axes"] = axes
    made = answered(
        lambda: student.plot_curves(history, *options, **named),
        "rows of steps have no validation accuracy, rows of evaluations no loss",
        READ,
    )
    pair = expect.parts(made, 2, otherwise="return the two Axes: (left, right)", read=READ)
    expect.true(
        all(isinstance(one, Handle) for one in pair),
        expected="two matplotlib Axes",
        got=", ".join(type(one).__name__ for one in pair),
        otherwise="return the Axes, not the lines or arrays",
        read=READ,
    )
    return pair


def line(axes, what):
    """The only line whose label contains `what`; "smoothed" is in the label of no other line."""
    lines = axes.axes()["lines"]
    named = [one for one in lines if what in one["label"].lower()]
    found = [one for one in named if ("smoothed" in one["label"].lower()) == (what == "smoothed")]
    expect.true(
        len(found) == 1,
        expected=f"one line labeled {what!r}",
        got=f"{len(found)} among {[one['label'] for one in lines]}",
        otherwise="plot into the Axes you return, with `label=`: loss left, accuracy right",
        read=READ,
    )
    return found[0]


def smoothed(loss, before=19, after=0):
    """At each place the mean of the loss there, of some before it and of some after it."""
    windows = [loss[max(0, i - before) : i + after + 1] for i in range(len(loss))]
    return np.array([window.mean() for window in windows])


def check_curves(left, right, history):
    trained, steps, share = split(history)
    loss = np.array([row["loss"] for row in trained])
    shown = line(left, "training loss")
    expect.close(
        shown["x"],
        [row["step"] for row in trained],
        otherwise="a point's x is its row's step",
        read=READ,
        what="the steps of the loss",
    )
    expect.close(
        shown["y"],
        loss,
        otherwise="the raw losses, not smoothed",
        read=READ,
        what="the loss",
    )
    shown = line(right, "validation accuracy")
    expect.close(
        shown["x"],
        steps,
        otherwise="a point's x is its row's step",
        read=READ,
        what="the steps of the accuracy",
    )
    expect.close(
        shown["y"],
        100 * share,
        otherwise="100 times the validation accuracy of each evaluation",
        read=READ,
        what="the accuracy in percent",
    )


@exercise("3.11", weight=2)
def test_curves(student, rng):
    """The raw loss and the validation accuracy in percent, each at its steps."""
    history = training(rng)
    axes = student.make(PAIR)
    check_curves(*drawn(student, history, axes=axes), history)
    expect.true(
        axes.method("0.lines.__len__") > 0 and axes.method("1.lines.__len__") > 0,
        expected="curves in the two given Axes",
        got="empty Axes, and curves elsewhere",
        read=READ,
    )


@exercise("3.11")
def test_smoothed(student, rng):
    """The smoothed loss is the mean of the last 20, at the beginning of fewer."""
    history = training(rng, 60)
    left, _ = drawn(student, history, axes=student.make(PAIR))
    trained, _, _ = split(history)
    loss = np.array([row["loss"] for row in trained])
    shown = line(left, "smoothed")
    expect.close(
        shown["x"],
        [row["step"] for row in trained],
        otherwise="it has a point at every step, from the first",
        read=READ,
        what="the steps of the smoothed loss",
    )
    expect.close(
        shown["y"],
        smoothed(loss),
        atol=1e-6,
        otherwise="at each step the mean of its loss and of up to 19 before it",
        read=READ,
        what="the smoothed loss",
    )


@exercise("3.11")
def test_raw_losses_stay_behind(student, rng):
    """The raw losses are thin, pale and behind the smoothed ones."""
    left, _ = drawn(student, training(rng), axes=student.make(PAIR))
    line(left, "smoothed")
    look = student.make(LOOK)
    raw, front = (student.call(look, left, own).value for own in (False, True))
    expect.true(
        raw["alpha"] <= 0.5,
        expected="an alpha of at most 0.5 for the raw losses",
        got=f"{raw['alpha']:g}",
        read=READ,
    )
    expect.true(
        raw["width"] < front["width"],
        expected="a smoothed line that is wider than the raw one",
        got=f"line widths of {front['width']:g} and {raw['width']:g}",
        because="the raw losses are not thinner than the smoothed ones",
        read=READ,
    )
    expect.true(
        raw["order"] < front["order"],
        expected="the smoothed line in front",
        got="the raw losses in front of it",
        because="what is plotted later lies in front: plot the raw losses first",
        read=READ,
    )


def band(axes):
    """The steps of the band, and its lower and upper ends at each."""
    found = []
    for number in range(axes.method("collections.__len__")):
        for path in axes.method(f"collections.{number}.get_paths"):
            found.append(np.asarray(path.get("vertices")))
    expect.true(
        bool(found),
        expected="a band around the accuracy",
        got="none",
        otherwise="`ax.fill_between(steps, low, high)` draws it",
        read=READ,
    )
    points = np.concatenate(found)
    steps = sorted(set(points[:, 0]))
    low = [points[points[:, 0] == step, 1].min() for step in steps]
    return steps, np.array([low, [points[points[:, 0] == step, 1].max() for step in steps]])


@exercise("3.11", weight=2)
def test_band(student, rng):
    """The band extends one standard error to either side, with n = n_validation."""
    history = training(rng, 20)
    _, steps, share = split(history)
    for n in (872, 100):
        options = {} if n == 872 else {"n_validation": n}
        _, right = drawn(student, history, axes=student.make(PAIR), **options)
        at, ends = band(right)
        spread = np.sqrt(share * (1 - share))

        def around(error, share=share):
            return 100 * np.array([share - error, share + error])

        expect.close(at, steps, what="the steps of the band", read=READ)
        expect.close(
            ends,
            around(spread / np.sqrt(n)),
            atol=1e-6,
            otherwise="100 · √(p(1 − p) / n_validation) on either side",
            read=READ,
            what=f"the band's lower and upper ends with n_validation = {n}",
        )


@exercise("3.11")
def test_new_figures(student, rng):
    """Without `axes`, two calls make two figures; the second does not touch the first."""
    histories = [training(rng, 8), training(rng, 4)]
    first = drawn(student, histories[0])
    check_curves(*first, histories[0])
    lines = [one.method("lines.__len__") for one in first]
    check_curves(*drawn(student, histories[1]), histories[1])
    expect.equal(
        [one.method("lines.__len__") for one in first],
        lines,
        read=READ,
        what="the numbers of lines in the first pair of Axes, after the second call",
    )
    student.make(CLOSE)


@exercise("3.11")
def test_names(student, rng):
    """Titles and axis labels name what is shown and its unit."""
    left, right = (one.axes() for one in drawn(student, training(rng), axes=student.make(PAIR)))
    for axes, ylabel in ((left, "loss"), (right, "%")):
        names = [axes["title"], axes["xlabel"], axes["ylabel"]]
        expect.true(
            bool(axes["title"])
            and "step" in axes["xlabel"].lower()
            and ylabel in axes["ylabel"].lower(),
            expected=f"a title, an x label with 'step' and a y label with {ylabel!r}",
            got=", ".join(map(repr, names)),
            because="" if all(names) else "a title, an x label or a y label is missing",
            otherwise="ax.set(title=…, xlabel=…, ylabel=…)",
            read=READ,
        )

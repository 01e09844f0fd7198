"""The visible checks of exercise 3.11: reading the curves."""

from grader.checking import expect
from grader.checking.exercise import exercise

# Expectations are set like tables: value, causes, hint, section.
# fmt: off

HISTORY = [{"step": 1, "loss": 0.75, "accuracy": 0.25}, {"step": 2, "loss": 0.5, "accuracy": 1.0},
           {"step": 2, "epoch": 1, "validation_accuracy": 0.5},
           {"step": 3, "loss": 0.625, "accuracy": 0.5},
           {"step": 3, "epoch": 2, "validation_accuracy": 0.8}]


@exercise("3.11")
def test_two_curves(student):
    """The loss at every step, the validation accuracy in percent at every evaluation."""
    left, right = expect.parts(
        student.plot_curves(HISTORY), 2, otherwise="return both Axes", read="exercise 3.11")
    wanted = (("training loss", left, [1, 2, 3], [0.75, 0.5, 0.625], {}),
              ("validation accuracy", right, [2, 3], [50.0, 80.0],
               {"this is a fraction: the axis is in percent": [0.5, 0.8]}))
    for label, ax, steps, values, causes in wanted:
        lines = [line for line in ax.axes()["lines"] if line["label"] == label]
        expect.true(len(lines) == 1, expected=f"a line labeled {label!r}", got=f"{len(lines)}",
                    read="exercise 3.11")
        expect.close(lines[0]["x"], steps, what=f"steps of the {label}", otherwise="a row belongs "
                     "to the curve whose key it contains", read="exercise 3.11")
        expect.close(lines[0]["y"], values, what=label,                     otherwise="plot the raw values, without smoothing", read="exercise 3.11")


@exercise("3.11")
def test_smoothed_loss(student):
    """In front of the raw loss: the mean of the last 20, labeled "smoothed"."""
    left, _ = expect.parts(student.plot_curves(HISTORY), 2, read="exercise 3.11")
    lines = [line for line in left.axes()["lines"] if line["label"] == "smoothed"]
    expect.true(len(lines) == 1, expected="a line labeled 'smoothed'", got=f"{len(lines)}",
                read="exercise 3.11")
    expect.close(lines[0]["y"], [0.75, 0.625, 0.625], what="the smoothed loss",
                 otherwise="while there are fewer than 20 losses, the mean of those there are",
                 read="exercise 3.11")
    alphas = student.call(student.make(
        "lambda ax: [1.0 if one.get_alpha() is None else float(one.get_alpha()) "
        "for one in ax.lines if one.get_label() == 'training loss']"), left).value
    expect.true(max(alphas, default=1.0) <= 0.5, expected="an alpha of at most 0.5",
                got=f"{alphas}", because="the raw losses are not pale", read="exercise 3.11")


@exercise("3.11")
def test_band(student):
    """A band of one standard error lies around the accuracy."""
    _, right = expect.parts(student.plot_curves(HISTORY, n_validation=100), 2)
    heights = student.call(student.make(
        "lambda ax: [float(y) for c in ax.collections for p in c.get_paths() "
        "for y in p.vertices[:, 1]]"), right).value
    expect.close(
        sorted({round(y, 4) for y in heights}), [45, 55, 76, 84], what="edges of the band",
        otherwise="fill_between, ± 100 · √(p(1 − p)/n_validation)", read="exercise 3.11")


@exercise("3.11")
def test_new_figure(student):
    """Without `axes`, every call makes its own figure."""
    first, _ = expect.parts(student.plot_curves(HISTORY), 2)
    lines = first.method("lines.__len__")
    student.plot_curves(HISTORY)
    expect.equal(first.method("lines.__len__"), lines, what="the number of lines in the first "
                 "figure after the second call", read="exercise 3.11",
                 because="the second call draws into the first figure")


@exercise("3.11")
def test_given_axes(student):
    """The curves go into the given axes; both have a title and axis labels."""
    pair = student.make("__import__('matplotlib.figure').figure.Figure().subplots(1, 2)")
    drawn = expect.parts(student.plot_curves(HISTORY, axes=pair), 2)
    lines = [pair.method(f"{i}.lines.__len__") for i in (0, 1)]
    expect.true(min(lines) > 0, expected="lines in both of the given axes", got=f"{lines}",
                because="the given axes are not used" if max(lines) == 0 else "",
                otherwise="left, right = axes", read="exercise 3.11")
    for ax, ylabel in zip(drawn, ("loss", "%"), strict=True):
        names = ax.axes()
        expect.true(bool(names["title"]), expected="a title", got="none", read="exercise 3.11")
        got = [names["xlabel"].lower(), names["ylabel"].lower()]
        expect.true("step" in got[0] and ylabel in got[1], read="exercise 3.11",
                    expected=f"the axes 'step' and …{ylabel}", got=" and ".join(map(repr, got)))

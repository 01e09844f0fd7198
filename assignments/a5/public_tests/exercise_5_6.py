"""The visible checks of exercise 5.6: the summary table."""

import math

from grader.checking import expect
from grader.checking.exercise import exercise

# Expectations are set like tables: value, causes, hint, section.
# fmt: off

BASE, DEEP, BROKEN = ({"n_layers": n, "schedule": "paper"} for n in (2, 4, 8))
ROWS = [
    {**BASE, "seed": 0, "status": "complete", "steps": 400, "quality": 70.0, "parameters": 1000},
    {**BASE, "seed": 1, "status": "complete", "steps": 400, "quality": 74.0, "parameters": 1000},
    {**DEEP, "seed": 0, "status": "complete", "steps": 400, "quality": 75.0, "parameters": 2000},
    {**DEEP, "seed": 1, "status": "pruned", "steps": 100, "quality": 50.0, "parameters": 2000},
    {**BASE, "seed": 2, "status": "diverged", "reason": "the loss of step 7 is nan"},
    {**BROKEN, "seed": 0, "status": "out of memory", "reason": ""},
]


def lines_of(student, rows, measures=()):
    made = student.summarize(rows, ["n_layers", "schedule"], measures)
    expect.true(isinstance(made, list) and all(isinstance(one, dict) for one in made),
                expected="a list of dicts", got=type(made).__name__, read="exercise 5.6")
    return made


@exercise("5.6")
def test_counts(student):
    """Three configurations: their complete, failed and pruned trials."""
    wanted = {2: [2, 1, 0], 4: [1, 0, 1], 8: [0, 1, 0]}
    causes = {4: {"the pruned trial counts as failed": [1, 1, 1],
                  "the pruned trial counts as failed, and not as pruned": [1, 1, 0],
                  "the pruned trial counts as complete": [2, 0, 1]}}
    lines = lines_of(student, ROWS)
    expect.equal(sorted(line["n_layers"] for line in lines), [2, 4, 8], what="the levels of the "
                 "lines", otherwise="a line for each configuration", read="exercise 5.6")
    for line in lines:
        expect.equal([line[key] for key in ("n", "failed", "pruned")], wanted[line["n_layers"]],
                     what=f"[n, failed, pruned] with {line['n_layers']} layers",
                     otherwise="look at each trial's status", read="exercise 5.6")


@exercise("5.6")
def test_mean_and_interval(student):
    """The mean of two complete trials, and its interval."""
    line = next(one for one in lines_of(student, ROWS) if one["n_layers"] == 2)
    expect.close(list(line["qualities"]), [70.0, 74.0], what="the qualities",
                 otherwise="those of the complete trials", read="exercise 5.6")
    expect.close(line["mean"], 72.0, what="the mean", read="exercise 5.6",
                 )
    pruned = next(one for one in lines_of(student, ROWS) if one["n_layers"] == 4)
    expect.close(list(pruned["qualities"]), [75.0], what="the qualities beside a pruned trial",
                 otherwise="those of the complete trials", read="exercise 5.6")
    # with two values, t is 12.7062 and the standard error 2
    expect.close([line["low"], line["high"]], [46.5876, 97.4124], atol=1e-3, what="[low, high]",
                 otherwise="call your `mean_interval`", read="exercise 5.6")


@exercise("5.6")
def test_order(student):
    """The highest mean comes first; what has no mean comes last."""
    lines = lines_of(student, ROWS)
    expect.equal([line["n_layers"] for line in lines], [4, 2, 8], what="the layers of the lines",
                 otherwise="sort by the mean; None comes last", read="exercise 5.6")
    last = lines[-1]
    expect.equal([last["mean"], last["low"], last["high"]], [None] * 3, what="[mean, low, high] "
                 "without a complete trial", read="exercise 5.6")
    expect.equal(lines[0]["high"], math.inf, what="the upper end with a single seed",
                 read="exercise 5.6")


@exercise("5.6", beside=["test_counts", "test_mean_and_interval", "test_order"])
def test_a_measure(student):
    """A measure is averaged over the complete trials, under its own name."""
    line = next(one for one in lines_of(student, ROWS, ["parameters"]) if one["n_layers"] == 2)
    expect.equal(line.get("parameters"), 1000.0, what="parameters", read="exercise 5.6")


@exercise("5.6", beside=["test_counts", "test_mean_and_interval", "test_order"])
def test_refusals(student):
    """Different numbers of steps, and a seed that counts twice, raise a ValueError."""
    for row, because in (({**ROWS[0], "seed": 5, "steps": 800}, "trials of 400 and 800 steps"),
                         (ROWS[0], "a seed that is there twice")):
        expect.raises(lambda row=row: student.summarize([*ROWS, row], ["n_layers", "schedule"]),
                      because=f"{because} are accepted" if "steps" in because
                      else f"{because} is accepted", otherwise="a ValueError", read="exercise 5.6")

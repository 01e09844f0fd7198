"""The visible checks of exercise 5.6: the summary table."""

from grader.checking.question import question, refusal

BASE, DEEP, BROKEN = ({"n_layers": n, "schedule": "paper"} for n in (2, 4, 8))
DONE = {"status": "complete", "steps": 400}
ROWS = [
    {**BROKEN, "seed": 0, "status": "out of memory", "reason": ""},
    {**BASE, "seed": 0, **DONE, "quality": 74.0, "parameters": 1000},
    {**DEEP, "seed": 0, **DONE, "quality": 75.0, "parameters": 2000},
    {**BASE, "seed": 1, **DONE, "quality": 70.0, "parameters": 1200},
    {**DEEP, "seed": 1, "status": "pruned", "steps": 100, "quality": 50.0, "parameters": 2000},
    {**BASE, "seed": 2, "status": "diverged", "reason": "the loss of step 7 is nan"},
    {**BASE, "seed": 3, **DONE, "quality": 70.5, "parameters": 1000},
]
COMPLETE = "only trials with the status 'complete' have a result"


def columns(its, *names, rows=ROWS):
    lines = its.summarize(rows, ["n_layers", "schedule"], ["parameters"])
    return {
        f"{name} of line {i}": line.get(name) for i, line in enumerate(lines, 1) for name in names
    }


@question("5.6", advice="look at each trial's status", read="exercise 5.6")
def test_counts(its):
    """Three configurations: their complete, failed and pruned trials."""
    return columns(its, "n_layers", "n", "failed", "pruned")


@question("5.6", 2, advice=COMPLETE, read="exercise 5.6")
def test_mean_and_interval(its):
    """The mean of three complete trials, and its interval."""
    return columns(its, "n_layers", "qualities", "mean", "low", "high")


@question("5.6", 2, advice="sort by the mean; None comes last", read="exercise 5.6")
def test_order(its):
    """The highest mean comes first; what has no mean comes last."""
    return columns(its, "n_layers", "mean")


@question("5.6", advice=COMPLETE, read="exercise 5.6")
def test_a_measure(its):
    """A measure is averaged over the complete trials, under its own name."""
    return columns(its, "n_layers", "parameters")


@question("5.6", 0.5, beside=["test_counts", "test_order"], read="exercise 5.6")
def test_refusals(its):
    """Different numbers of steps, and a seed that counts twice, raise a ValueError."""
    more = {"800 steps": {**ROWS[1], "seed": 5, "steps": 800}, "a seed twice": ROWS[1]}
    return {
        name: refusal(lambda r=row: columns(its, rows=[*ROWS, r])) for name, row in more.items()
    }

"""The visible checks of exercise 5.6: the summary table."""

from grader.checking.question import question, refusal

BASE, DEEP, BROKEN = ({"n_layers": n, "schedule": "paper"} for n in (2, 4, 8))
DONE = {"status": "complete", "steps": 400}
ROWS = [
    {**BROKEN, "seed": 0, "status": "out of memory", "reason": ""},
    {**BASE, "seed": 3, **DONE, "quality": 74.0, "parameters": 1000},
    {**DEEP, "seed": 0, **DONE, "quality": 75.0, "parameters": 2000},
    {**BASE, "seed": 1, **DONE, "quality": 70.0, "parameters": 1200},
    {**DEEP, "seed": 1, "status": "pruned", "steps": 100, "quality": 50.0, "parameters": 3000},
    {**BASE, "seed": 2, "status": "diverged", "reason": "the loss of step 7 is nan"},
    {**BASE, "seed": 0, **DONE, "quality": 70.5, "parameters": 1000},
]
COMPLETE = "only trials with the status 'complete' have a result; sort by the mean, None last"


def columns(its, *names, rows=ROWS):
    lines = its.summarize(rows, ["n_layers", "schedule"], ["parameters"])
    return {
        f"{name} of line {i}": line.get(name) for i, line in enumerate(lines, 1) for name in names
    }


@question("5.6", 2, advice="look at each trial's status", read="exercise 5.6")
def test_counts(its):
    """Three configurations, the best first: their complete, failed and pruned trials."""
    without = columns(its, "mean", rows=ROWS[:1])
    return without | columns(its, "n_layers", "n", "failed", "pruned")


@question("5.6", 3.5, advice=COMPLETE, read="exercise 5.6")
def test_mean_and_interval(its):
    """The means of complete trials and their intervals; the highest mean comes first."""
    wanted = "n_layers", "qualities", "mean", "low", "high", "parameters"
    return columns(its, *wanted, rows=ROWS[1:])


@question("5.6", 0.5, corner=True, needs_one_of=["test_counts"], read="exercise 5.6")
def test_refusals(its):
    """Different numbers of steps, and a seed that counts twice, raise a ValueError."""
    more = {"800 steps": {**ROWS[1], "seed": 5, "steps": 800}, "a seed twice": ROWS[1]}
    return {
        name: refusal(lambda r=row: columns(its, rows=[*ROWS, r])) for name, row in more.items()
    }

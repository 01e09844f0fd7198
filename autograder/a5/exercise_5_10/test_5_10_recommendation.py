"""Hidden tests of exercise 5.10: the cheapest configuration that is as good as the best one."""

from autograder.a5.student_side import kept
from autograder.a5.study_rows import line
from grader.checking.question import question, refusal

READ = "the docstring of recommend"
CHEAPEST = "of the rows that are less than `margin` below the best, take the cheapest"
SOUND = "leave out every row with `failed` above 0, or without a complete trial"


def summary(*lines):
    """Lines of (n_layers, mean, seconds), then failed trials, then complete ones; best first."""
    made = []
    for n_layers, mean, seconds, *more in lines:
        failed, n = (*more, *(0, 3)[len(more) :])
        near = [mean + 0.01, mean - 0.01, mean, mean][: n if n else 0]
        row = line({"n_layers": n_layers}, near, failed, train_seconds=seconds if n else None)
        row["parameters"] = -n_layers if n else None  # the other way round than the seconds, mostly
        made.append({**row, "mean": mean} if n else row)
    return sorted(made, key=lambda row: (row["n"] == 0, -(row["mean"] or 0.0)))


def taken(its, rows, *margins, cost="train_seconds"):
    """The recommended line for each margin."""
    return {f"margin {m}, cost {cost}": its.recommend(rows, m, cost) for m in margins}


@question("5.10", weight=2, advice=CHEAPEST, read=READ)
def test_cheapest_of_the_good(its, rng):
    """Of the configurations less than the margin below the best, the cheapest is taken."""
    top = float(0.8 + 0.05 * rng.random())
    below = {6: (0, 50.0), 5: (0.004, 40.0), 4: (0.015, 30.0), 8: (0.011, 90.0), 2: (0.05, 10.0)}
    rows = summary(*[(layers, top - less, cost) for layers, (less, cost) in below.items()])
    return taken(its, rows, 0.02, 0.013, 1e-4) | kept(
        its, its.recommend, rows, 0.02, "train_seconds"
    )


@question("5.10", weight=1.5, advice=SOUND, read=READ)
def test_failed_trials(its, rng):
    """A configuration with a failed trial is not recommended, and sets no standard."""
    top = float(0.8 + 0.05 * rng.random())
    failed = summary((6, top, 50.0), (4, top - 0.005, 30.0), (2, top - 0.006, 5.0, 1))
    best = summary((8, top + 0.01, 90.0, 2), (6, top, 50.0), (4, top - 0.015, 30.0))
    rows = summary((6, top, 50.0), (4, top - 0.005, 30.0), (8, top - 0.008, 40.0))
    pruned = [{**row, "pruned": int(row["n_layers"] == 4)} for row in rows]
    return {
        "a cheap one has failed": its.recommend(failed, 0.01, "train_seconds"),
        "the best one has failed": its.recommend(best, 0.02, "train_seconds"),
        "a trial was pruned": its.recommend(pruned, 0.01, "train_seconds"),
    }


@question("5.10", weight=0.5, advice="less than `margin` below: <", read=READ)
def test_margin(its, rng):
    """A configuration that is worse by just the margin is not as good; a mean may be 0."""
    # differences of these numbers are exact
    rows = summary((6, 0.75, 50.0), (4, 0.625, 30.0), (5, 0.6875, 40.0), (2, 0.25, 9.0))
    zero = summary((3, 0.0, 5.0), (6, -0.5, 50.0))
    return taken(its, rows, 0.125, 0.0625) | {
        "a mean of 0": its.recommend(zero, 0.25, "parameters")
    }


@question("5.10", advice="of equally cheap ones take the better", read=READ)
def test_cost_decides(its, rng):
    """`cost` names the column that is compared; of equally cheap ones the better is taken."""
    top = float(0.8 + 0.05 * rng.random())
    at = {6: (0, 40.0), 8: (0.004, 50.0), 5: (0.006, 30.0), 4: (0.008, 60.0)}
    rows = summary(*[(layers, top - lower, cost) for layers, (lower, cost) in at.items()])
    equal = summary((2, top - 0.003, 20.0), (3, top - 0.001, 20.0), (6, top, 50.0))
    return taken(its, rows, 0.01, cost="parameters") | {
        "equally cheap": its.recommend(equal, 0.01, "train_seconds"),
        "equally cheap, the better one last": its.recommend(equal[::-1], 0.01, "train_seconds"),
    }


@question("5.10", weight=0.5, advice=SOUND, read=READ)
def test_without_a_result(its, rng):
    """Configurations without a complete trial are left out; if all are, a ValueError is raised."""
    pruned, failed = (2, 0.0, 1.0, 0, 0), (3, 0.0, 1.0, 2, 0)
    return taken(its, summary((6, 0.75, 50.0), pruned, failed), 0.01) | {
        f"nothing among {len(rows)}": refusal(lambda rows=rows: its.recommend(rows, 0.01, "n"))
        for rows in (summary(pruned, failed), summary((6, 0.75, 50.0, 1)))
    }

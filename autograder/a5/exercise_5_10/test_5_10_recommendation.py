"""Hidden tests of exercise 5.10: the cheapest configuration that is as good as the best one."""

from autograder.a5.study_rows import line
from grader.checking.question import question, refusal

READ = "the docstring of recommend"
CHEAPEST = "of the rows that are less than `margin` below the best, take the cheapest"
SOUND = "leave out every row with `failed` above 0, or without a complete trial"


def row(n_layers, mean, seconds, failed=0, n=3, pruned=0):
    """A line; its parameters are mostly in the opposite order of its seconds."""
    measured = {"train_seconds": seconds, "parameters": -n_layers} if n else {}
    near = [mean + 0.5, mean - 0.5, mean][:n]
    return line({"n_layers": n_layers}, near, failed, pruned=pruned, **measured)


@question("5.10", weight=2.5, advice=CHEAPEST, read=READ)
def test_cheapest_of_the_good(its, rng):
    """Of the configurations less than the margin below the best, the cheapest is taken."""
    rows = [row(6, 90, 50.0), row(5, 89.5, 40.0), row(8, 88.5, 90.0), row(4, 88, 30.0)]
    rows.append(row(2, 80, 10.0))
    cases = [(m, "train_seconds") for m in (2.5, 2.0, 0.25)] + [(2.5, "parameters")]
    after = its.make("lambda f, rows: (f(rows, 2.5, 'train_seconds'), rows)[1]")
    return {f"margin {m}, cost {cost}": its.recommend(rows, m, cost) for m, cost in cases} | {
        "the rows afterwards": [one["n_layers"] for one in after(its.recommend, rows)]
    }


@question("5.10", weight=2, advice=SOUND, read=READ)
def test_failed_trials(its, rng):
    """A configuration with a failed or without a complete trial is nothing to recommend."""
    nothing = [row(2, 0, 1.0, n=0, pruned=2), row(3, 0, 1.0, failed=2, n=0)]
    failed = [row(6, 90, 50.0), row(4, 89.5, 30.0), row(2, 89, 5.0, failed=1), *nothing]
    best = [row(8, 91, 90.0, failed=2), row(6, 90, 50.0), row(4, 88.5, 30.0)]
    pruned = [row(6, 90, 50.0), row(4, 89.5, 30.0, pruned=1), row(8, 89, 40.0)]
    cases = {"a cheap one has failed": failed, "the best one has failed": best}
    cases["a trial was pruned"] = pruned
    return {name: its.recommend(rows, 2.0, "train_seconds") for name, rows in cases.items()} | {
        f"nothing among {len(rows)}": refusal(lambda rows=rows: its.recommend(rows, 2.0, "n"))
        for rows in (nothing, best[:1])
    }


@question("5.10", advice="of equally cheap ones take the better", read=READ)
def test_cost_decides(its, rng):
    """Of equally cheap ones the better is taken; a mean may be 0."""
    cheap = [row(6, 1, 50.0), row(3, 0, 20.0), row(2, -0.5, 20.0)]
    cases = {"equally cheap": cheap, "the better one last": cheap[::-1]}
    return {name: its.recommend(rows, 3.0, "train_seconds") for name, rows in cases.items()}

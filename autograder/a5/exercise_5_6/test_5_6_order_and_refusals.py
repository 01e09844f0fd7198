"""Hidden tests of exercise 5.6: measures, the order of the lines, and what is refused."""

from autograder.a5.exercise_5_6.summary_study import lines_of, study
from autograder.a5.study_rows import trial
from grader.checking.question import question, refusal

READ = "the docstring of summarize"
BESIDE = ["test_best_first", "test_measures", "test_without_a_result"]
A, B = {"warmup": 1000}, {"warmup": 4000}


def order(its, rows):
    """Level and complete trials of the lines, in their order."""
    return [[line.get("warmup"), line.get("n")] for line in its.summarize(rows, ["warmup"])]


@question("5.6", advice="average each column over the complete trials", read=READ)
def test_measures(its, rng):
    """Each measure is the mean over the complete trials."""
    measures = ("train_seconds", "mark")
    return lines_of(its, study(rng), *measures, measures=measures)


@question("5.6", advice="None says that nothing was measured", read=READ)
def test_without_a_result(its, rng):
    """A configuration without a complete trial has no mean, no interval and no measures."""
    rows = [row for row in study(rng) if row["schedule"] == "cosine" and row["n_layers"] > 2]
    columns = ("n", "failed", "qualities", "mean", "low", "high", "train_seconds")
    return lines_of(its, rows, *columns, measures=("train_seconds",))


@question("5.6", weight=2, advice="the highest mean first; last what has none", read=READ)
def test_best_first(its, rng):
    """The highest mean comes first, and configurations without one come last."""
    means = {1000: 0.01, 2000: 0.04, 500: -0.05, 4000: 0.02}
    best = {1000: 0.3, 2000: 0.06, 500: 0.05, 4000: 0.1}  # not in the order of the means
    found = {}
    for around in (0.8, -3.0, -0.04):  # a quality may be negative: it may be minus a loss
        rows = [trial({"warmup": 300}, 0, status="diverged")]
        for warmup, mean in means.items():
            ends = (around + mean + best[warmup], around + mean - best[warmup])
            rows += [trial({"warmup": warmup}, seed, end) for seed, end in enumerate(ends)]
        found[f"warmup and n of the lines around {around}"] = order(its, rows)
    zero = [trial(A, 0, status="diverged"), trial(B, 0, 0.0), trial({"warmup": 9}, 0, -1.0)]
    return found | {"a mean of 0": order(its, zero)}


@question("5.6", weight=0.5, advice="`steps` differ: ValueError", read=READ, beside=BESIDE)
def test_different_lengths(its, rng):
    """Complete trials of different numbers of steps raise a ValueError."""
    within = [trial(A, 0, 0.8), trial(A, 1, 0.9, steps=800), trial(B, 0, 0.7), trial(B, 1, 0.7)]
    between = [trial(A, 0, 0.8), trial(A, 1, 0.9), trial(B, 0, 0.7, steps=200)]
    return {
        name: refusal(lambda rows=rows: its.summarize(rows, ["warmup"]))
        for name, rows in (("within", within), ("between", between))
    }


@question("5.6", advice="all complete trials took 400 steps here", read=READ)
def test_stopped_trials_may_be_shorter(its, rng):
    """A pruned or a failed trial took fewer steps, and is no reason to refuse the others."""
    rows = [trial(A, 0, 0.8), trial(A, 1, 0.9), trial(B, 0, 0.7), trial(B, 3, status="diverged")]
    stopped = [trial(B, 1, 0.4, "pruned", 100), trial(B, 2, 0.3, "timed out", 250)]
    return {"warmup and n": order(its, rows + stopped)}


@question("5.6", weight=0.5, advice="a seed twice: ValueError", read=READ, beside=BESIDE)
def test_a_seed_twice(its, rng):
    """Two complete trials of a configuration with the same seed raise a ValueError."""
    rows = [trial(A, 0, 0.8), trial(A, 0, 0.8), trial(A, 1, 0.9), trial(B, 0, 0.7)]
    return refusal(lambda: its.summarize(rows, ["warmup"]))


@question("5.6", advice="only complete trials of one configuration count", read=READ)
def test_seeds_that_may_repeat(its, rng):
    """Configurations share their seeds, and a failed trial may have been repeated."""
    shared = [trial(A, 0, 0.8), trial(B, 0, 0.7), trial(A, 1, 0.9), trial(B, 1, 0.7)]
    again = [trial(A, 2, status="out of memory"), trial(A, 2, 0.85)]
    return {"shared": order(its, shared), "repeated": order(its, again)}

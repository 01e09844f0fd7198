"""Hidden tests of exercise 5.6: measures, the order of the lines, and what is refused."""

from autograder.a5.exercise_5_6.summary_study import lines_of, trial
from grader.checking.question import question, refusal

READ = "the docstring of summarize"
ACCEPTED = "only complete trials of one configuration count"
A, B = {"warmup": 1000}, {"warmup": 4000}
TWO = [trial(A, 0, 0.8), trial(B, 0, 0.7), trial(A, 1, 0.9), trial(B, 1, 0.7)]


def order(its, rows):
    """Level and complete trials of the lines, in their order."""
    return [[line.get("warmup"), line.get("n")] for line in its.summarize(rows, ["warmup"])]


@question("5.6", weight=1.5, advice="average each column over the complete trials", read=READ)
def test_measures(its, rng):
    """Each measure is the mean over the complete trials."""
    return lines_of(its, "train_seconds")


@question("5.6", weight=2, advice="the highest mean first; last what has none", read=READ)
def test_best_first(its, rng):
    """The highest mean comes first, and configurations without one come last."""
    rows = [trial({"warmup": 300}, 0, status="diverged")]
    # the largest qualities are not in the order of the means; a quality may be minus a loss
    for warmup, mean, spread in ((1000, 0.5, 4), (2000, 0, 1), (500, -0.75, 0.5), (4000, 0.25, 2)):
        rows += [trial({"warmup": warmup}, seed, mean + (1 - 2 * seed) * spread) for seed in (0, 1)]
    return {"warmup and n": order(its, rows)}


@question(
    "5.6",
    corner=True,
    advice="ValueError",
    read=READ,
    needs_one_of=["test_best_first", "test_measures", "test_counts"],
)
def test_different_lengths(its, rng):
    """Complete trials of different lengths, and a seed twice, raise a ValueError."""
    cases = {
        "other steps": trial(A, 2, 0.9, steps=800),
        "other steps of one configuration": trial({"warmup": 9}, 2, 0.9, steps=800),
        "a seed twice": TWO[0],
    }
    return {
        name: refusal(lambda row=row: its.summarize([*TWO, row], ["warmup"]))
        for name, row in cases.items()
    }


@question("5.6", weight=2, advice=ACCEPTED, read=READ)
def test_seeds_that_may_repeat(its, rng):
    """Configurations share seeds; what failed may be repeated, and may have fewer steps."""
    again = [trial(A, 2, status="out of memory"), trial(A, 2, 0.85)]
    stopped = [trial(B, 2, 0.4, "pruned"), trial(B, 3, 0.3, "timed out")]
    return {
        "shared": order(its, TWO),
        "repeated": order(its, again),
        "stopped": order(its, TWO + stopped),
    }

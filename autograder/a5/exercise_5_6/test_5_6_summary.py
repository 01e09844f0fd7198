"""Hidden tests of exercise 5.6: the table of a study, one line for each configuration."""

from grader.checking.question import question, refusal

FACTORS = ("n_layers", "schedule")


def trial(configuration, seed, quality=None, status="complete", **measured):
    """The row of one trial; without a quality it has neither that nor steps."""
    row = {**configuration, "seed": seed, "status": status, **measured}
    steps = 400 if status == "complete" else 100
    return row if quality is None else {"steps": steps, **row, "quality": quality}


# Those of one configuration are not next to each other, and their seeds do not rise.
TRIALS = [
    trial({"n_layers": n_layers, "schedule": schedule}, *row, train_seconds=seconds)
    for n_layers, schedule, seconds, *row in (
        (2, "paper", 20.0, 3, 80.5),
        (4, "paper", 24.5, 3, 85.0),
        (2, "cosine", 5.5, 3, 40.0, "pruned"),
        (4, "cosine", 3.0, 0, 20.0, "diverged"),
        (8, "paper", 30.0, 3, 78.0),
        (2, "paper", 3.5, 0, 20.0, "diverged"),
        (2, "paper", 21.0, 7, 74.0),
        (4, "paper", 4.5, 0, 20.0, "out of memory"),
        (2, "cosine", 25.5, 0, 70.25),
        (8, "cosine", 6.0, 3, 40.0, "pruned"),
        (8, "paper", 4.0, 0, None, "timed out"),
        (2, "paper", 5.0, 1, 45.0, "pruned"),
        (2, "paper", 22.5, 2, 79.25),
        (4, "cosine", 4.0, 3, None, "timed out"),
        (4, "paper", 25.0, 7, 81.5),
        (2, "cosine", 27.0, 7, 76.0),
    )
]
# Those of configurations with a complete trial.
DONE = [row for row in TRIALS if row["schedule"] == "paper" or row["n_layers"] == 2]
READ = "the docstring of summarize"
ACCEPTED = "only complete trials of one configuration count"
A, B = {"warmup": 1000}, {"warmup": 4000}
TWO = [trial(A, 0, 0.8), trial(B, 0, 0.7), trial(A, 1, 0.9), trial(B, 1, 0.7)]
RESULTS = "`mean_interval` of the qualities of the complete trials, in the order of the rows"


def lines_of(its, *columns, rows=DONE):
    """The values of the lines in these columns, by their levels."""
    return {
        f"{list(columns)} of {[line.get(f) for f in FACTORS]}": [line.get(c) for c in columns]
        for line in its.summarize(rows, FACTORS, ("train_seconds",))
    }


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


@question("5.6", weight=3, advice="count the trials of each `status`", read=READ)
def test_counts(its, rng):
    """Each configuration has one line, where complete, failed and pruned trials are counted."""
    without = lines_of(its, "mean", rows=[row for row in TRIALS if row not in DONE])
    return without | lines_of(its, "n", "failed", "pruned", rows=TRIALS)


@question("5.6", weight=4, advice=RESULTS, read=READ)
def test_means(its, rng):
    """Qualities, mean and interval are those of the complete trials."""
    return lines_of(its, "qualities", "mean", "low", "high")

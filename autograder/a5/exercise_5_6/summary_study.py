"""The trials of a small study with failed and pruned ones."""

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


def lines_of(its, *columns, rows=DONE):
    """The values of the lines in these columns, by their levels."""
    return {
        f"{list(columns)} of {[line.get(f) for f in FACTORS]}": [line.get(c) for c in columns]
        for line in its.summarize(rows, FACTORS, ("train_seconds",))
    }

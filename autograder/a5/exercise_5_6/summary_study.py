"""The trials of a small study with failed and pruned ones, and the reading of its summary."""

from autograder.a5.study_rows import answered, table, trial
from grader.checking import expect
from grader.checking.known_mistakes import known_mistakes

MISTAKE = known_mistakes(__file__)

READ = "the docstring of summarize"
FACTORS = ("n_layers", "schedule")
KEYS = ("n", "failed", "pruned", "qualities", "mean", "low", "high")
SEEDS = (3, 0, 7, 1, 5, 2, 9)
# Complete trials, failed ones and pruned ones; the other offsets are far from the mean.
PLANS = {
    (2, "paper"): ([0.02, -0.03, 0.04, 0.004], ["diverged", "timed out"], 1),
    (4, "paper"): ([0.05, 0.03, -0.01], ["out of memory", "timed out"], 0),
    (2, "cosine"): ([-0.04, 0.02], [], 2),
    (4, "cosine"): ([], ["diverged", "timed out", "out of memory"], 0),
    (8, "cosine"): ([], [], 2),
    (8, "paper"): ([0.01], ["timed out"], 0),
}
NO_VALUE = MISTAKE.summary_quality_of_failed_read
SIGNS = [
    ("KeyError", "'quality'", NO_VALUE),
    ("KeyError", "'steps'", NO_VALUE),
    ("KeyError", "'train_seconds'", NO_VALUE),
    (
        "TypeError",
        "NoneType",
        "None is compared or computed with: configurations without a complete trial have no mean",
    ),
]


def study(rng, around=0.8):
    """All trials, so that those of one configuration are not next to each other."""
    queues = []
    for levels, (offsets, failures, n_pruned) in PLANS.items():
        at = dict(zip(FACTORS, levels, strict=True))
        seeds = iter(SEEDS)
        shift = around + 0.03 * (levels[0] / 4 + (levels[1] == "cosine")) + 0.002 * rng.random()
        queue = [
            trial(at, next(seeds), shift + off, train_seconds=float(20 + 9 * rng.random()), mark=n)
            for n, off in enumerate(offsets)
        ]
        for n, status in enumerate(failures):  # only the first one of them has measured something
            more = {} if n else {"train_seconds": float(3 + rng.random())}
            queue.insert(1 + n, trial(at, next(seeds), status=status, **more))
        for n in range(n_pruned):  # the second one has measured something
            more = {"train_seconds": float(5 + rng.random())} if n else {}
            queue.insert(1, trial(at, next(seeds), shift - 0.3, "pruned", 100, **more))
        queues.append(queue)
    rows = []
    while any(queues):
        rows += [queue.pop(0) for queue in queues for _ in range(min(2, len(queue)))]
    return rows


def of(rows, levels, *statuses):
    """The trials of one configuration that have one of the statuses, or all of them."""
    own = [row for row in rows if tuple(row[f] for f in FACTORS) == levels]
    return [row for row in own if not statuses or row["status"] in statuses]


def lines_of(student, rows, measures=(), factors=FACTORS):
    """The lines by configuration, in their order."""
    made = answered(
        lambda: student.summarize(rows, factors, measures),
        "group the rows by the levels of `factors`, then look at each trial's `status`",
        READ,
        SIGNS,
    )
    made = table(made, (*factors, *KEYS, *measures), READ)
    keys = [tuple(row[factor] for factor in factors) for row in rows]
    complete = {key for key, row in zip(keys, rows, strict=True) if row["status"] == "complete"}
    expect.equal(
        len(made),
        len(set(keys)),
        otherwise="one line for each combination of the factors' levels",
        read=READ,
        what="the number of lines",
    )
    by_levels = {tuple(row[factor] for factor in factors): row for row in made}
    expect.equal(
        sorted(map(str, by_levels)),
        sorted(set(map(str, keys))),
        otherwise="copy the levels of the factors from the rows",
        read=READ,
        what="the levels",
    )
    for row in made:
        if isinstance(row["qualities"], tuple):
            row["qualities"] = list(row["qualities"])
    return {key: by_levels[key] for key in dict.fromkeys(keys)}

"""The trials of a small study with failed and pruned ones."""

from autograder.a5.study_rows import trial

FACTORS = ("n_layers", "schedule")
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
            more = {} if n else {"train_seconds": float(3 + rng.random()), "quality": 0.2}
            queue.insert(1 + n, trial(at, next(seeds), status=status, **more))
        for n in range(n_pruned):  # the second one has measured something
            more = {"train_seconds": float(5 + rng.random())} if n else {}
            queue.insert(1, trial(at, next(seeds), shift - 0.3, "pruned", 100, **more))
        queues.append(queue)
    rows = []
    while any(queues):
        rows += [queue.pop(0) for queue in queues for _ in range(min(2, len(queue)))]
    return rows


def lines_of(its, rows, *columns, measures=(), factors=FACTORS):
    """What the lines have in these columns, by their levels."""
    return {
        f"{list(columns)} of {[line.get(f) for f in factors]}": [line.get(c) for c in columns]
        for line in its.summarize(rows, factors, measures)
    }

"""Hidden tests of exercise 5.9: successive halving, replayed on known curves."""

from grader.checking.question import question, refusal

READ = "the docstring of successive_halving"
BEST = "at each rung, keep the best ⌈number / eta⌉ of the trials that are left"
COUNTED = "between two rungs, each trial that is left takes their difference in steps"
COMPUTING = ["test_survivors", "test_steps", "test_rounding"]
CASES = [(14, 9, [2, 5]), (12, 7, [2, 4], 2), (20, 8, [3], 4), (27, 9, [2, 4, 6]), (4, 6, [])]


def replayed(its, part, *cases):
    """The survivors (part 0) or the steps (part 1) of each case."""
    return {
        f"{len(curves)} trials, rungs, eta {rest}": its.successive_halving(curves, *rest)[part]
        for curves, *rest in cases
    }


@question("5.9", weight=4, advice=BEST, read=READ)
def test_survivors(its, rng):
    """At each rung the best at that very step continue; the survivors rise."""
    return replayed(
        its, 0, *[(rng.uniform(0.8, 0.81, case[:2]).tolist(), *case[2:]) for case in CASES]
    )


@question("5.9", advice=BEST, read=READ)
def test_rounding(its, rng):
    """⌈number / eta⌉ of the trials continue."""
    # the order never changes, so that only the number of survivors is seen
    cases = [(5, [1], 3), (4, [1], 3), (6, [1], 3), (7, [1, 2], 3), (11, [2], 4), (1, [2, 3])]
    level = {n: [[float(rank)] * 5 for rank in rng.permutation(n)] for n, *_ in cases}
    return replayed(its, 0, *[(level[n], *rest) for n, *rest in cases])


@question(
    "5.9", corner=True, advice="sort with a stable method: equal ones keep their order", read=READ
)
def test_ties(its, rng):
    """Of equal ones the first continues."""
    cases = [rng.uniform(0.1, 0.4, size=(n, 4)) for n in (5, 30)]
    for curves in cases:
        curves[1:, 1] = 0.75
    return replayed(its, 0, *[(curves.tolist(), [2], 3) for curves in cases])


@question("5.9", weight=3, advice=COUNTED, read=READ)
def test_steps(its, rng):
    """All steps that were taken are counted, and no others."""
    return replayed(its, 1, *[(rng.uniform(size=case[:2]).tolist(), *case[2:]) for case in CASES])


@question(
    "5.9",
    corner=True,
    advice="check the lengths, then the rungs",
    read=READ,
    needs_one_of=COMPUTING,
)
def test_refusals(its, rng):
    """Curves of different lengths raise a ValueError, and so do impossible rungs."""
    curves = rng.uniform(size=(4, 6)).tolist()
    cases = {str(rungs): (curves, rungs) for rungs in ([4, 2], [2, 2], [2, 6], [0, 3], [-2, 3])}
    cases["a shorter curve"] = ([*curves, [0.5] * 5], [2])
    return {name: refusal(lambda c=c: its.successive_halving(*c)) for name, c in cases.items()}

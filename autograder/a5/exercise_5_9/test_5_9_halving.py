"""Hidden tests of exercise 5.9: successive halving, replayed on known curves."""

import numpy as np

from autograder.a5.student_side import kept
from grader.checking.question import question, refusal

READ = "the docstring of successive_halving"
BEST = "at each rung, keep the best ⌈number / eta⌉ of the trials that are left"
COUNTED = "between two rungs, each trial that is left takes their difference in steps"
BESIDE = ["test_survivors", "test_steps", "test_rounding"]


def replayed(its, part, *cases):
    """The survivors (part 0) or the steps (part 1) of each case."""
    found = {}
    for number, (curves, *rest) in enumerate(cases, 1):
        what = (
            f"{('survivors', 'steps')[part]} {number}, {len(curves)} trials, rungs and eta {rest}"
        )
        found[what] = its.successive_halving(np.asarray(curves).tolist(), *rest)[part]
    return found


@question("5.9", weight=3, advice=BEST, read=READ)
def test_survivors(its, rng):
    """At each rung the best at that very step go on."""
    cases = [
        (14, 9, [2, 5]),
        (12, 7, [2, 4], 2),
        (20, 8, [3], 4),
        (27, 9, [2, 5]),
        (16, 7, [2, 4], 2),
    ]
    given = [(rng.uniform(0.8, 0.81, size=case[:2]), *case[2:]) for case in cases]
    curves = given[0][0].tolist()
    return replayed(its, 0, *given) | kept(its, its.successive_halving, curves, [2, 5])


@question("5.9", advice=BEST, read=READ)
def test_rounding(its, rng):
    """⌈number / eta⌉ of the trials go on."""
    # the order never changes, so that only the number of survivors is seen
    cases = [(5, [1], 3), (4, [1], 3), (6, [1], 3), (7, [1, 2], 3), (11, [2], 4), (5, [1, 3], 2)]
    rise = np.linspace(0.1, 0.5, 5)
    return replayed(its, 0, *[(rng.permutation(n)[:, None] + rise, *r) for n, *r in cases])


@question("5.9", advice="sort with a stable method: equal ones keep their order", read=READ)
def test_ties(its, rng):
    """Of equal ones the first goes on."""
    cases = [rng.uniform(0.1, 0.4, size=(n, 4)) for n in (5, 30)]
    for curves in cases:
        curves[1:, 1] = 0.75
    return replayed(its, 0, *[(curves, [2], 3) for curves in cases])


@question("5.9", advice="sort the survivors by index", read=READ)
def test_order_of_survivors(its, rng):
    """The survivors come in the order of their index."""
    return replayed(its, 0, *[(rng.uniform(size=(24, 6)), [2], eta) for eta in (3, 2)])


@question("5.9", weight=2.5, advice=COUNTED, read=READ)
def test_steps(its, rng):
    """All steps that were taken are counted, and no others."""
    cases = [(9, 10, [1, 4]), (16, 12, [2, 3, 7], 2), (5, 4, [3])]
    return replayed(its, 1, *[(rng.uniform(size=case[:2]), *case[2:]) for case in cases])


@question("5.9", weight=0.5, advice="without rungs, all go on", read=READ)
def test_no_rungs(its, rng):
    """Without rungs, and with fewer trials than eta, nothing is lost."""
    curves = rng.uniform(size=(4, 6))
    cases = [(curves, []), (curves[:1], [2, 3])]
    return replayed(its, 0, *cases) | replayed(its, 1, *cases)


@question("5.9", advice="check the lengths, then the rungs", read=READ, beside=BESIDE)
def test_refusals(its, rng):
    """Curves of different lengths raise a ValueError, and so do impossible rungs."""
    curves = rng.uniform(size=(4, 6)).tolist()
    cases = [(curves, rungs) for rungs in ([4, 2], [2, 2], [2, 6], [0, 3], [-2, 3])]
    return {
        f"{len(given[-1])} values in the last curve, rungs {rungs}": refusal(
            lambda given=given, rungs=rungs: its.successive_halving(given, rungs)
        )
        for given, rungs in [([*curves[:3], curves[3][:5]], [2]), *cases]
    }

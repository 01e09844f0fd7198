"""Hidden tests of exercise 5.9: successive halving, replayed on known curves."""

import functools

import numpy as np

from autograder.a5.study_rows import answered, indices
from grader.checking import expect
from grader.checking.exercise import exercise
from grader.checking.known_mistakes import known_mistakes

MISTAKE = known_mistakes(__file__)

READ = "the docstring of successive_halving"


def by_value(curves, rung, left):
    """The trials that are left, best first at the rung; of equal ones the first."""
    return sorted(left, key=lambda i: -curves[i][rung - 1])


def rounded_up(n, eta):
    return -(-n // eta)


def halved(curves, rungs, eta=3, ranked=by_value, kept=rounded_up, everyone=False, ordered=True):
    """Survivors and steps; the options are mistakes."""
    left, steps, before = list(range(len(curves))), 0, 0
    for rung in rungs:
        steps += len(left) * (rung - before)
        before = rung
        best = ranked(curves, rung, range(len(curves)) if everyone else left)
        left = best[: kept(len(left), eta)]
        left = sorted(left) if ordered else left
    return left, steps + len(left) * (len(curves[0]) - before)


def by_best_so_far(curves, rung, left):
    return sorted(left, key=lambda i: -max(curves[i][:rung]))


def by_mean_so_far(curves, rung, left):
    return sorted(left, key=lambda i: -sum(curves[i][:rung]))


def by_final(curves, rung, left):
    return sorted(left, key=lambda i: -curves[i][-1])


def one_later(curves, rung, left):
    return sorted(left, key=lambda i: -curves[i][rung])


def one_earlier(curves, rung, left):
    return sorted(left, key=lambda i: -curves[i][max(rung - 2, 0)])


def last_of_equal(curves, rung, left):
    return sorted(left, key=lambda i: (-curves[i][rung - 1], -i))


def worst_first(curves, rung, left):
    return sorted(left, key=lambda i: curves[i][rung - 1])


MISTAKES = {
    MISTAKE.halving_best_so_far: {"ranked": by_best_so_far},
    MISTAKE.halving_mean_so_far: {"ranked": by_mean_so_far},
    MISTAKE.halving_final_values: {"ranked": by_final},
    MISTAKE.halving_one_step_late: {"ranked": one_later},
    "one step too early: the quality after step t + 1 is `curves[i][t]`": {"ranked": one_earlier},
    MISTAKE.halving_worst_go_on: {"ranked": worst_first},
    MISTAKE.halving_all_ranked_again: {"everyone": True},
    MISTAKE.halving_eta_ignored: {"kept": lambda n, eta: rounded_up(n, 3)},
    "`eta` is not used: half of them goes on each time": {"kept": lambda n, eta: rounded_up(n, 2)},
}
ROUNDING = {
    MISTAKE.halving_rounded_to_nearest: {"kept": lambda n, eta: max(1, int(n / eta + 0.5))},
    MISTAKE.halving_rounded_down: {"kept": lambda n, eta: max(1, n // eta)},
    MISTAKE.halving_one_more: {"kept": lambda n, eta: n // eta + 1},
}


def replayed(student, curves, rungs, *eta):
    """Survivors and steps of the student's code."""
    given = curves if isinstance(curves, list) else curves.tolist()
    made = answered(
        lambda: student.successive_halving(given, rungs, *eta),
        "rank the trials that are left at each rung, keep the best, and count the steps",
        READ,
    )
    survivors, steps = expect.parts(
        made, 2, otherwise="return the survivors and the steps", read=READ
    )
    return indices(survivors, "the survivors", READ), steps


BEST = "at each rung, keep the best ⌈number / eta⌉ of the trials that are left"


def check_survivors(student, curves, rungs, eta, mistakes, otherwise=BEST):
    survivors, _ = replayed(student, curves, rungs, *([] if eta == 3 else [eta]))
    expect.equal(
        survivors,
        halved(curves, rungs, eta)[0],
        otherwise=otherwise,
        read=READ,
        what=f"the survivors of {len(curves)} trials at rungs {rungs} with eta = {eta}",
    )


def telling(draw, rungs, eta, mistakes):
    """Curves on which every mistake gives survivors of its own."""
    for _ in range(10_000):
        curves = draw()
        found = [halved(curves, rungs, eta, **options)[0] for options in ({}, *mistakes.values())]
        if len(set(map(tuple, found))) == len(found):
            return curves
    raise RuntimeError("no such curves were found")


@exercise("5.9", weight=3)
def test_survivors(student, rng):
    """At each rung the best at that very step go on."""
    for n, length, rungs, eta in ((14, 9, [2, 5], 3), (12, 7, [2, 4], 2), (20, 8, [3], 4)):
        seen = {
            name: options
            for name, options in MISTAKES.items()
            if not ((eta == 3 and "always 3" in name) or (eta == 2 and "half of" in name))
            and not (len(rungs) == 1 and "at each rung" in name)
        }
        draw = functools.partial(rng.uniform, size=(n, length))
        check_survivors(student, telling(draw, rungs, eta, seen), rungs, eta, MISTAKES)


@exercise("5.9")
def test_rounding(student, rng):
    """⌈number / eta⌉ of the trials go on."""
    for n, rungs, eta in (
        (5, [1], 3),
        (4, [1], 3),
        (6, [1], 3),
        (7, [1, 2], 3),
        (11, [2], 4),
        (5, [1, 3], 2),
    ):
        # the order never changes, so that only the number of survivors is seen
        curves = rng.permutation(n)[:, None] + np.linspace(0.1, 0.5, 5)
        check_survivors(student, curves, rungs, eta, ROUNDING)


@exercise("5.9")
def test_ties(student, rng):
    """Of equal ones the first goes on."""
    last = {MISTAKE.halving_last_of_equal: {"ranked": last_of_equal}}
    for n in (5, 30):
        curves = rng.uniform(0.1, 0.4, size=(n, 4))
        curves[1:, 1] = 0.75
        check_survivors(
            student, curves, [2], 3, last, "sort with a stable method: equal ones keep their order"
        )


@exercise("5.9")
def test_order_of_survivors(student, rng):
    """The survivors come in the order of their index."""
    ranked = {MISTAKE.halving_survivors_by_rank: {"ordered": False}}
    for eta in (3, 2):
        draw = functools.partial(rng.uniform, size=(13, 6))
        check_survivors(student, telling(draw, [2], eta, ranked), [2], eta, ranked)


def step_mistakes(curves, rungs, eta):
    n, length = len(curves), len(curves[0])
    sizes = [n]
    for _ in rungs:
        sizes.append(rounded_up(sizes[-1], eta))
    gaps = np.diff([0, *rungs, length]).tolist()
    total = halved(curves, rungs, eta)[1]
    return {
        MISTAKE.halving_all_steps_counted: n * length,
        MISTAKE.halving_last_steps_missing: total - sizes[-1] * gaps[-1],
        MISTAKE.halving_only_survivors_steps: sizes[-1] * length,
        MISTAKE.halving_steps_from_zero: sum(
            size * rung for size, rung in zip(sizes, [*rungs, length], strict=True)
        ),
        MISTAKE.halving_counted_after_ranking: sum(
            size * gap for size, gap in zip([*sizes[1:], sizes[-1]], gaps, strict=True)
        ),
        "the steps of one trial": length,
    }


@exercise("5.9", weight=2)
def test_steps(student, rng):
    """All steps that were taken are counted, and no others."""
    for n, length, rungs, eta in ((9, 10, [1, 4], 3), (16, 12, [2, 3, 7], 2), (5, 4, [3], 3)):
        curves = rng.uniform(size=(n, length))
        _, steps = replayed(student, curves, rungs, *([] if eta == 3 else [eta]))
        expect.equal(
            steps,
            halved(curves, rungs, eta)[1],
            otherwise="between two rungs, each trial that is left takes their difference in steps",
            read=READ,
            what=f"the steps of {n} trials of length {length} at rungs {rungs} with eta = {eta}",
        )


@exercise("5.9", weight=0.5)
def test_no_rungs(student, rng):
    """Without rungs, and with fewer trials than eta, nothing is lost."""
    curves = rng.uniform(size=(4, 6))
    survivors, steps = replayed(student, curves, [])
    expect.equal([survivors, steps], [[0, 1, 2, 3], 24], read=READ, what="without rungs")
    survivors, steps = replayed(student, curves[:1], [2, 3])
    expect.equal([survivors, steps], [[0], 6], read=READ, what="of a single trial")


@exercise("5.9", beside=["test_survivors", "test_steps", "test_rounding"])
def test_refusals(student, rng):
    """Curves of different lengths raise a ValueError, and so do impossible rungs."""
    curves = rng.uniform(size=(4, 6)).tolist()
    for given, rungs, because in (
        ([*curves[:3], curves[3][:5]], [2], MISTAKE.halving_lengths_unchecked),
        (curves, [4, 2], MISTAKE.halving_falling_rungs),
        (curves, [2, 2], "a rung that is there twice is accepted"),
        (curves, [2, 6], MISTAKE.halving_last_step_as_rung),
        (curves, [0, 3], MISTAKE.halving_step_zero_as_rung),
        (curves, [-2, 3], "a negative rung is accepted"),
    ):
        expect.raises(
            lambda given=given, rungs=rungs: student.successive_halving(given, rungs),
            because=because,
            otherwise="check the lengths of the curves, then the rungs: rising, from 1 to "
            "length − 1",
            read=READ,
        )

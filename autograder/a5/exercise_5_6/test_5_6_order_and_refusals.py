"""Hidden tests of exercise 5.6: measures, the order of the lines, and what is refused."""

import numpy as np

from autograder.a5.exercise_5_6.summary_study import KEYS, READ, lines_of, of, study
from autograder.a5.study_rows import answered, raises_value_error, table, trial
from grader.checking import expect
from grader.checking.exercise import exercise
from grader.checking.known_mistakes import known_mistakes

MISTAKE = known_mistakes(__file__)


@exercise("5.6")
def test_measures(student, rng):
    """Each measure is the mean over the complete trials."""
    rows = study(rng)
    for levels, made in lines_of(student, rows, ("train_seconds", "mark")).items():
        complete = of(rows, levels, "complete")
        for name in ("train_seconds", "mark") if complete else ():
            own = [row[name] for row in complete]
            known = [row[name] for row in of(rows, levels) if name in row]
            expect.close(
                made[name],
                np.mean(own),
                otherwise="average the column over the complete trials",
                read=READ,
                what=f"{name} of {levels}",
            )


@exercise("5.6")
def test_without_a_result(student, rng):
    """A configuration without a complete trial has no mean, no interval and no measures."""
    rows = study(rng)
    made = lines_of(student, rows, ("train_seconds",))
    for levels in [(4, "cosine"), (8, "cosine")]:
        found = [made[levels][key] for key in ("mean", "low", "high", "train_seconds")]
        numbers = [value for value in found if isinstance(value, (int, float))]
        expect.true(
            not any(value is not None for value in found),
            expected=f"None for mean, low, high and train_seconds of {levels}",
            got=", ".join(map(str, found)),
            otherwise="None says that nothing was measured",
            read=READ,
        )
        expect.shape(made[levels]["qualities"], (0,), read=READ, what=f"qualities of {levels}")
    only = lines_of(student, of(rows, (4, "cosine")), ("train_seconds",))[4, "cosine"]
    expect.equal([only["n"], only["failed"]], [0, 3], read=READ, what="[n, failed] without others")


def order_of(student, rows):
    made = answered(
        lambda: student.summarize(rows, ["warmup"]),
        "sort the lines by their mean; those without one come last",
        READ,
        [("TypeError", "NoneType", MISTAKE.summary_missing_mean_compared)],
    )
    return [(line["warmup"], line["n"]) for line in table(made, ("warmup", *KEYS), READ)]


@exercise("5.6", weight=2)
def test_best_first(student, rng):
    """The highest mean comes first, and configurations without one come last."""
    for around in (0.8, -3.0):  # a quality may be negative: it may be minus a loss
        means = {1000: 0.01, 2000: 0.04, 500: -0.05, 4000: 0.02}
        best = {1000: 0.3, 2000: 0.06, 500: 0.05, 4000: 0.1}  # not in the order of the means
        rows = [trial({"warmup": 300}, 0, status="diverged")]
        for warmup, mean in means.items():
            shift = around + mean + 0.001 * rng.random()
            rows += [
                trial({"warmup": warmup}, seed, shift + sign * best[warmup])
                for seed, sign in enumerate((1, -1))
            ]
        found = order_of(student, rows)
        wanted = [*sorted(means, key=lambda warmup: -means[warmup]), 300]
        zero = MISTAKE.summary_missing_mean_as_zero
        zero = {zero: [300, *wanted[:-1]]} if (300, 0) in found else {}
        rising = sorted(means, key=lambda warmup: means[warmup])
        expect.equal(
            [warmup for warmup, _ in found],
            wanted,
            otherwise="the highest mean first; last what has none",
            read=READ,
            what="the order of the lines by their warmup",
        )  # fmt: skip


@exercise("5.6", beside=["test_best_first", "test_measures", "test_without_a_result"])
def test_different_lengths(student):
    """Complete trials of different numbers of steps raise a ValueError."""
    a, b = {"warmup": 1000}, {"warmup": 4000}
    for rows in (
        [trial(a, 0, 0.8), trial(a, 1, 0.9, steps=800), trial(b, 0, 0.7), trial(b, 1, 0.7)],
        [trial(a, 0, 0.8), trial(a, 1, 0.9), trial(b, 0, 0.7, steps=200)],
    ):
        expect.raises(
            lambda rows=rows: student.summarize(rows, ["warmup"]),
            otherwise="raise a ValueError if `steps` differ",
            read=READ,
        )


@exercise("5.6")
def test_stopped_trials_may_be_shorter(student):
    """A pruned or a failed trial took fewer steps, and is no reason to refuse the others."""
    a, b = {"warmup": 1000}, {"warmup": 4000}
    complete = [trial(a, 0, 0.8), trial(a, 1, 0.9), trial(b, 0, 0.7)]
    stopped = [
        trial(b, 1, 0.4, "pruned", steps=100),
        trial(b, 2, 0.3, "timed out", steps=250),
        trial(b, 3, status="diverged"),
    ]
    refused = raises_value_error(lambda: student.summarize([*complete, *stopped], ["warmup"]))
    accepted = not raises_value_error(lambda: student.summarize(complete, ["warmup"]))
    expect.true(
        not refused,
        expected="a table",
        got="a ValueError",
        otherwise="all complete trials took 400 steps here",
        read=READ,
    )
    expect.equal(order_of(student, [*complete, *stopped]), [(1000, 2), (4000, 1)], read=READ)


@exercise("5.6")
def test_a_seed_twice(student):
    """Two complete trials of a configuration with the same seed raise a ValueError."""
    a, b = {"warmup": 1000}, {"warmup": 4000}
    rows = [trial(a, 0, 0.8), trial(a, 1, 0.9), trial(b, 0, 0.7)]
    grouped = sorted(order_of(student, rows)) == [(1000, 2), (4000, 1)]
    expect.raises(
        lambda: student.summarize([trial(a, 0, 0.8), *rows], ["warmup"]),
        otherwise="raise a ValueError if a seed is there twice",
        read=READ,
    )


@exercise("5.6")
def test_seeds_that_may_repeat(student):
    """Configurations share their seeds, and a failed trial may have been repeated."""
    a, b = {"warmup": 1000}, {"warmup": 4000}
    shared = [trial(a, 0, 0.8), trial(b, 0, 0.7), trial(a, 1, 0.9), trial(b, 1, 0.7)]
    again = [trial(a, 2, status="out of memory"), trial(a, 2, 0.85)]
    for rows, because in (
        (
            shared,
            MISTAKE.summary_shared_seeds_refused,
        ),
        (again, MISTAKE.summary_repeated_trial_refused),
    ):
        refused = raises_value_error(lambda rows=rows: student.summarize(rows, ["warmup"]))
        expect.true(not refused, expected="a table", got="a ValueError", because=because, read=READ)
    expect.equal(order_of(student, shared + again), [(1000, 3), (4000, 2)], read=READ)

"""Hidden tests of exercise 5.10: the cheapest configuration that is as good as the best one."""

import functools

from autograder.a5.study_rows import answered, line
from grader.checking import expect
from grader.checking.exercise import exercise
from grader.checking.known_mistakes import known_mistakes
from grader.checking.shown import describe

MISTAKE = known_mistakes(__file__)

READ = "the docstring of recommend"


def summary(*lines):
    """Lines of (n_layers, mean, seconds), then failed trials, then complete ones; best first."""
    made = []
    for n_layers, mean, seconds, *more in lines:
        failed, n = (*more, *(0, 3)[len(more) :])
        near = [mean + 0.01, mean - 0.01, mean, mean][: n if n else 0]
        row = line({"n_layers": n_layers}, near, failed, train_seconds=seconds if n else None)
        row["parameters"] = -n_layers if n else None  # the other way round than the seconds, mostly
        made.append({**row, "mean": mean} if n else row)
    return sorted(made, key=lambda row: (row["n"] == 0, -(row["mean"] or 0.0)))


def chosen(student, rows, margin, cost="train_seconds"):
    made = answered(
        lambda: student.recommend(rows, margin, cost),
        "a configuration without a complete trial has None for its mean: leave it out first",
        READ,
        [
            ("TypeError", "NoneType", MISTAKE.recommend_without_result),
        ],
    )
    expect.true(
        isinstance(made, dict) and made in rows,
        expected="one of the rows of the summary",
        got=describe(made),
        otherwise="return the row itself, unchanged",
        read=READ,
    )
    return made


def check(student, rows, margin, want, causes, cost="train_seconds", otherwise=""):
    """The recommended `n_layers`; `causes` maps mistakes to that of the row they would take."""
    expect.equal(
        chosen(student, rows, margin, cost)["n_layers"],
        want,
        otherwise=otherwise
        or "of the rows that are less than `margin` below the best, take the cheapest",
        read=READ,
        what=f"n_layers of the recommended row with the margin {margin} and the cost {cost!r}",
    )


@exercise("5.10", weight=2)
def test_cheapest_of_the_good(student, rng):
    """Of the configurations less than the margin below the best, the cheapest is taken."""
    shift = float(0.8 + 0.05 * rng.random())
    best, near, cheap, costly, poor = (
        (6, shift, 50.0),
        (5, shift - 0.004, 40.0),
        (4, shift - 0.015, 30.0),
        (8, shift - 0.011, 90.0),
        (2, shift - 0.05, 10.0),
    )
    rows = summary(best, near, cheap, costly, poor)
    check(
        student,
        rows,
        0.02,
        4,
        {
            MISTAKE.recommend_best_mean: 6,
            MISTAKE.recommend_most_expensive: 8,
            MISTAKE.recommend_cheapest_of_all: 2,
            "the second best is taken: compare the costs of all that are good enough": 5,
        },
    )
    check(
        student,
        rows,
        0.013,
        5,
        {
            MISTAKE.recommend_best_mean: 6,
            MISTAKE.recommend_most_expensive: 8,
            MISTAKE.recommend_cheapest_of_all: 2,
            "the margin is not used as it is: 0.015 is more than 0.013 below": 4,
        },
    )


@exercise("5.10", weight=2)
def test_failed_trials(student, rng):
    """A configuration with a failed trial is not recommended, and sets no standard."""
    shift = float(0.8 + 0.05 * rng.random())
    rows = summary((6, shift, 50.0), (4, shift - 0.005, 30.0), (2, shift - 0.006, 5.0, 1))
    check(
        student,
        rows,
        0.01,
        4,
        {MISTAKE.recommend_failed_trials: 2},
        otherwise="leave out every row with `failed` above 0",
    )
    rows = summary((8, shift + 0.01, 90.0, 2), (6, shift, 50.0), (4, shift - 0.015, 30.0))
    high = MISTAKE.recommend_best_has_failed
    check(student, rows, 0.02, 4, {high: 6}, otherwise=high)
    rows = summary((6, shift, 50.0), (4, shift - 0.005, 30.0), (8, shift - 0.008, 40.0))
    rows = [{**row, "pruned": int(row["n_layers"] == 4)} for row in rows]
    because = MISTAKE.recommend_pruned_left_out
    check(student, rows, 0.01, 4, {because: 8}, otherwise="only failed trials rule a row out")


@exercise("5.10")
def test_margin(student):
    """A configuration that is worse by just the margin is not as good."""
    # differences of these numbers are exact
    rows = summary((6, 0.75, 50.0), (4, 0.625, 30.0), (5, 0.6875, 40.0), (2, 0.25, 9.0))
    because = MISTAKE.recommend_margin_included
    check(student, rows, 0.125, 5, {because: 4})
    check(student, rows, 0.0625, 6, {because: 5})


@exercise("5.10")
def test_cost_decides(student, rng):
    """`cost` names the column that is compared; of equally cheap ones the better is taken."""
    shift = float(0.8 + 0.05 * rng.random())
    at = {6: (0, 40.0), 8: (0.004, 50.0), 5: (0.006, 30.0), 4: (0.008, 60.0)}
    rows = summary(*[(n_layers, shift - lower, cost) for n_layers, (lower, cost) in at.items()])
    check(student, rows, 0.01, 8, {
        MISTAKE.recommend_cost_ignored: 5,
        "the most of `cost` is taken, not the least": 4,
    }, cost="parameters")  # fmt: skip
    first, second, third = (2, shift - 0.003, 20.0), (3, shift - 0.001, 20.0), (6, shift, 50.0)
    for lines in ((first, second, third), (third, second, first)):
        rows = list(reversed(summary(*lines))) if lines[0] is first else summary(*lines)
        check(
            student, rows, 0.01, 3, {MISTAKE.recommend_worse_of_equally_cheap: 2},
            otherwise="of equally cheap ones take the one with the higher mean",
        )  # fmt: skip


@exercise("5.10")
def test_without_a_result(student):
    """Configurations without a complete trial are left out; if all are, a ValueError is raised."""
    pruned, failed = (2, 0.0, 1.0, 0, 0), (3, 0.0, 1.0, 2, 0)
    rows = summary((6, 0.75, 50.0), pruned, failed)
    check(student, rows, 0.01, 6, {"a configuration without a complete trial is taken": 2})
    for given, because in (
        (summary(pruned, failed), MISTAKE.recommend_all_failed),
        (summary((6, 0.75, 50.0, 1)), "every configuration has failed trials, and one is taken"),
    ):
        expect.raises(
            functools.partial(student.recommend, given, 0.01, "train_seconds"),
            because=because,
            otherwise="raise a ValueError if no row comes into question",
            read=READ,
        )

"""The visible checks of exercise 5.5: the study's file."""

from course_lib.study.handed_in import BadFile, read_trials
from course_lib.study.space import DEFAULT, FACTORS
from grader.checking import expect
from grader.checking.exercise import exercise
from grader.checking.expect import Failure
from grader.seam import StudentError
from grader.seam.errors import NOT_WRITTEN

FILE = "results.csv"
AGAIN = "run `course study run --profile tiny` to its end, then `course study rows`"


def trials_of(handed_in):
    if FILE not in handed_in:
        raise StudentError(NOT_WRITTEN, "")
    try:
        return read_trials(handed_in[FILE])
    except BadFile as error:
        raise Failure(
            f"{FILE} as `course study rows` writes it", str(error), AGAIN, "exercise 5.5"
        ) from None


@exercise("5.5")
def test_it_can_be_read(handed_in):
    """`submission/results.csv` is there, and it has a row for each trial."""
    trials_of(handed_in)


@exercise("5.5")
def test_configurations(handed_in):
    """There are at least 15 configurations, and the default is one of them."""
    found = {tuple(trial[name] for name in FACTORS) for trial in trials_of(handed_in)}
    expect.true(
        len(found) >= 15,
        expected="at least 15 configurations",
        got=f"{len(found)}",
        otherwise=AGAIN,
        read="exercise 5.5",
    )
    expect.true(
        tuple(DEFAULT.values()) in found,
        expected="the default configuration",
        got="it is not in the file",
        otherwise=AGAIN,
        read="exercise 5.5",
    )


@exercise("5.5")
def test_every_trial_has_ended(handed_in):
    """No trial waits or runs."""
    trials = trials_of(handed_in)
    left = sum(trial["status"] in ("waiting", "running") for trial in trials)
    expect.true(
        left == 0,
        expected="trials that have ended",
        got=f"{left} wait or run",
        otherwise="run the same command again: it resumes",
        read="exercise 5.5",
    )

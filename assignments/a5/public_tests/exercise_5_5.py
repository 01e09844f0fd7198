"""The visible checks of exercise 5.5: the study's file."""

from course_study.handed_in import BadFile, read_trials
from course_study.space import DEFAULT, FACTORS
from grader.checking.exercise import fixture
from grader.checking.expect import Failure
from grader.checking.question import question
from grader.seam import StudentError
from grader.seam.errors import NOT_WRITTEN

FILE = "results.csv"
AGAIN = "run `course study run --profile tiny` to its end, then `course study rows`"


@fixture
def trials(handed_in):
    """The rows of the file."""
    if FILE not in handed_in:
        raise StudentError(NOT_WRITTEN, "")
    try:
        return read_trials(handed_in[FILE])
    except BadFile as error:
        expected = f"{FILE} as `course study rows` writes it"
        raise Failure(expected, str(error), AGAIN, "exercise 5.5") from None


@question("5.5", 1.5, advice=AGAIN, read="exercise 5.5")
def test_configurations(trials):
    """There are at least 15 configurations, and the default is one of them."""
    found = {tuple(trial[name] for name in FACTORS) for trial in trials}
    default = tuple(DEFAULT.values())
    return {"15 configurations or more": len(found) >= 15, "one is the default": default in found}


@question("5.5", 1.5, advice="run the same command again: it resumes", read="exercise 5.5")
def test_every_trial_has_ended(trials):
    """No trial waits or runs."""
    return {"trials that wait or run": sum(t["status"] in ("waiting", "running") for t in trials)}

"""Hidden test of exercise 5.2: the numbers of a trial's row."""

from autograder.a5.exercise_5_2.scripted_task import Run
from grader.checking.question import question

ADVICE = "`curve[-1]` is the result; only what is between two clock() around `next` is training"


@question("5.2", weight=5.5, advice=ADVICE, read="the docstring of 5.2")
def test_result(its, rng):
    """The whole row: result, times and counts; what calls back takes no time."""
    return {**Run(its).row(), "called back": Run(its, calls_back=True).row().get("train_seconds")}

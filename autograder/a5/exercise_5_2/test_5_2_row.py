"""Hidden tests of exercise 5.2: the numbers of a trial's row."""

from autograder.a5.exercise_5_2.scripted_task import CONFIGURATION, Run, written
from grader.checking.question import question

READ = "the docstring of 5.2"
TIMED = "clock() before and after each `next`; add time and tokens if step > untimed_steps"


@question("5.2", weight=4, advice="`curve[-1]`, the last evaluation, is the result", read=READ)
def test_result(its, rng):
    """The whole row; its quality and loss are those of the last evaluation."""
    return Run(its, written(rng)).row()


@question("5.2", advice=TIMED, read=READ)
def test_seconds(its, rng):
    """Only steps count as training time, and the untimed first ones do not."""
    return Run(its, written(rng), callback=True).row("train_seconds", "tokens_per_second")


@question("5.2", weight=0.5, advice="sum(p.numel() for p in model.parameters())", read=READ)
def test_parameters_and_inference(its, rng):
    """All parameters are counted, and what `inference` measures is in the row."""
    measured = ("parameters", "inferences_per_second", "sentences")
    return Run(its, written(rng)).row(*measured, *CONFIGURATION, "seed")

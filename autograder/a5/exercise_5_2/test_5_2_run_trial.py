"""Hidden tests of exercise 5.2: what one trial seeds, trains, measures and times."""

from autograder.a5.exercise_5_2.scripted_task import Run
from grader.checking.question import question, refusal

READ = "the docstring of 5.2"
SEED = "seed torch once, before the model is made; nothing else may seed it"
CALLED = "after_evaluation(step, measured) with what task.validate returned; let its error pass"
EVALUATED = "copy {'step': step, **measured} for each evaluation; never measure the test split"


@question("5.2", weight=4, advice=SEED, read=READ)
def test_seed(its, rng):
    """The seed decides every random number, from the model's first weight on."""
    drawn = []
    for seed, unrelated in ((7, 1), (7, 2), (8, 1)):
        its.make("torch.manual_seed(number)", number=unrelated)
        run = Run(its, seed)
        run.row()
        drawn.append([event[-1] for event in run.events("model", "step")])
    first, again, other = drawn
    return {
        "the same seed draws the same weights": first[0] == again[0],
        "another seed draws other weights": first[0] != other[0],
        "the same seed draws the same numbers in the steps": first[1:] == again[1:],
        "every step draws other numbers": first[2] not in (first[1], first[3]),
    }


@question("5.2", weight=3.5, advice="one model for all calls", read=READ)
def test_what_the_task_is_given(its, rng):
    """Model and training get the configuration, and training the seed."""
    run = Run(its)
    run.row()
    events = run.events("training", "validate", "inference")
    return {
        "training gets": [event[1:3] for event in events if event[0] == "training"],
        "the model gets": run.events("model")[0][1],
        "every call gets the first model": all(event[-1] for event in events),
    }


@question("5.2", weight=2.5, advice=EVALUATED, read=f"{READ}; §6.2: the development set")
def test_curve(its, rng):
    """Exactly `n_steps` steps are trained, and the last one is always evaluated, each once."""
    found = {}
    for shape in ((12, 4), (5, 8)):
        run = Run(its, n_steps=shape[0], evaluate_every=shape[1])
        found[f"the curve, steps and evaluate_every {shape}"] = run.row().get("curve")
        found[f"number of steps trained, {shape}"] = len(run.events("step"))
        found[f"calls of task.test and task.validate, {shape}"] = run.events("test", "validate")
    reused = Run(its, reused=True).row().get("curve")
    return found | {"the curve where task.validate changes one dictionary": reused}


@question(
    "5.2", weight=2, corner=True, advice="FloatingPointError: `attempt` records it", read=READ
)
def test_loss_that_is_no_number(its, rng):
    """A loss that is NaN or infinite ends the trial at once."""
    found = {}
    for bad, step in (("nan", 6), ("inf", 9), ("-inf", 1)):
        run = Run(its, bad={str(step): bad})
        found[f"a loss of {bad}"] = refusal(run.row)
        found[f"steps up to a loss of {bad}"] = len(run.events("step"))
    return found


@question("5.2", weight=2.5, advice=CALLED, read=READ)
def test_after_evaluation(its, rng):
    """`after_evaluation` is called with each evaluation, and what it raises ends the trial."""
    run, stopped = Run(its, calls_back=True), Run(its, calls_back=True, stop_at=8)
    run.row()
    return {
        "step, step in `measured`, quality and loss of its calls": [
            event[1:] for event in run.events("after")
        ],
        "an error of it after step 8": refusal(stopped.row),
        "steps up to that": len(stopped.events("step")),
    }

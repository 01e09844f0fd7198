"""Hidden tests of exercise 5.2: what one trial seeds, trains, measures and times."""

from autograder.a5.exercise_5_2.scripted_task import Run, written
from grader.checking.question import question, refusal

READ = "the docstring of 5.2"
SHAPES = [(14, 4), (12, 4), (5, 8)]  # steps, and steps between two evaluations
SEED = "seed torch once, before the model is made; nothing else may seed it"
CALLED = "after_evaluation(step, measured) with what task.validate returned, once for each"


@question("5.2", weight=4, advice=SEED, read=READ)
def test_seed(its, rng):
    """The seed decides every random number, from the model's first weight on."""
    script, drawn = written(rng), []
    for seed, unrelated in ((7, 1), (7, 2), (8, 1)):
        its.make("torch.manual_seed(number)", number=unrelated)
        run = Run(its, script, seed)
        run.row()
        drawn.append([event[2] for event in run.events("model", "step")])
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
    run = Run(its, written(rng))
    after = its.make("lambda run, given, *more: (run(given, *more), given)[1]")
    configuration = after(its.run_trial, *run.given)
    return {
        "model and training get": [event[:3] for event in run.events("training")]
        + [event[:2] for event in run.events("model")][:1],
        "every call gets the first model": all(
            event[-1] for event in run.events("training", "validate", "inference")
        ),
        "the configuration afterwards": configuration,
    }


@question(
    "5.2", weight=0.5, advice="training never ends by itself: stop after `task.n_steps`", read=READ
)
def test_number_of_steps(its, rng):
    """Exactly `n_steps` steps are trained."""
    found = {}
    for n_steps, every in SHAPES:
        run = Run(its, written(rng, n_steps, every, untimed_steps=2))
        found |= {f"{name} of {n_steps}": value for name, value in run.row("steps").items()}
        found[f"steps that are trained of {n_steps}"] = len(run.events("step"))
    return found


@question("5.2", advice="{'step': step, **measured} for each evaluation", read=READ)
def test_curve(its, rng):
    """The curve has each evaluation with its step, and the last step is always one."""
    runs = {shape: Run(its, written(rng, *shape, untimed_steps=2)) for shape in SHAPES}
    return {f"the curve of {n} steps, every {k}": runs[n, k].row("curve")["curve"] for n, k in runs}


@question("5.2", weight=0.5, advice="copy what task.validate returns", read=READ)
def test_curve_of_one_dictionary(its, rng):
    """What `task.validate` returns may change with its next call."""
    return Run(its, written(rng, one_dictionary=True)).row("curve")


@question("5.2", read="§6.2: Table 3 is measured on the development set")
def test_the_test_split_is_left_alone(its, rng):
    """The test split is never measured, and the validation split once for each evaluation."""
    run = Run(its, written(rng))
    run.row()
    return {"task.test": run.events("test"), "task.validate": run.events("validate")}


@question("5.2", weight=2, advice="FloatingPointError: `attempt` records it", read=READ)
def test_loss_that_is_no_number(its, rng):
    """A loss that is NaN or infinite ends the trial at once."""
    found = {}
    for bad, step in (("nan", 6), ("inf", 9), ("-inf", 1)):
        run = Run(its, written(rng, bad_step=step, bad_loss=bad))
        found[f"a loss of {bad}"] = refusal(run.row)
        found[f"steps up to a loss of {bad}"] = len(run.events("step"))
    return found


@question("5.2", weight=1.5, advice=CALLED, read=READ)
def test_after_evaluation(its, rng):
    """`after_evaluation` is called with each evaluation."""
    run = Run(its, written(rng), callback=True)
    run.row()
    calls = [[step, m.get("quality"), m.get("loss")] for _, step, m in run.events("after")]
    bare = all("step" not in measured for _, _, measured in run.events("after"))
    return {"step, quality and loss of its calls": calls, "`measured` has no `step`": bare}


@question("5.2", advice="let its exception pass", read=READ)
def test_after_evaluation_ends_a_trial(its, rng):
    """What `after_evaluation` raises ends the trial."""
    run = Run(its, written(rng), callback=True, stop_at=8)
    return {"after step 8": refusal(run.row), "steps": len(run.events("step"))}

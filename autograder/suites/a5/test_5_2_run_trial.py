"""Hidden tests of exercise 5.2: what one trial seeds, trains, measures and times."""

from autograder.suites.a5.scripted_task import CONFIGURATION, READ, SEED, Run, written
from grader.checking import expect
from grader.checking.exercise import exercise
from grader.seam import StudentError


def drawn(student, script, seed, unrelated):
    """What torch draws in the model and in the steps, after an unrelated seeding."""
    student.make("torch.manual_seed(number)", number=unrelated)
    run = Run(student, script, seed)
    run.row()
    model = run.events("model")[0]
    return model[2], [event[2] for event in run.events("step")]


@exercise("5.2", weight=2)
def test_seed(student, rng):
    """The seed decides every random number, from the model's first weight on."""
    script = written(rng)
    first, again, other = (
        drawn(student, script, seed, unrelated)
        for seed, unrelated in ((SEED, 1), (SEED, 2), (SEED + 1, 1))
    )
    late = first[1] == again[1]
    expect.true(
        first[0] == again[0],
        expected=f"the same weights in two trials with seed {SEED}",
        got="other weights, although the configuration and the seed are the same",
        because="the seed is set after the model is made: its weights are random"
        if late
        else "torch's generator is not seeded: nobody can repeat this trial",
        read=READ,
    )
    expect.true(
        first[0] != other[0],
        expected=f"other weights with seed {SEED + 1} than with seed {SEED}",
        got="the same weights",
        because="the generator is seeded, but not with `seed`: all trials start alike",
        read=READ,
    )
    expect.true(
        first[1] == again[1],
        expected="the same random numbers in the steps of two trials with the same seed",
        got="other random numbers, so that dropout differs",
        otherwise="seed once, before the model; nothing else may seed the generator",
        read=READ,
    )
    steps = first[1]
    expect.true(
        steps[1] not in (steps[0], steps[2]),
        expected="other random numbers in every step",
        got="the same random numbers in several steps: dropout would always drop the same units",
        because="the generator is seeded again in every step: once, before the model, is enough",
        read=READ,
    )


@exercise("5.2")
def test_what_the_task_is_given(student, rng):
    """Model and training get the configuration, and training the seed."""
    run = Run(student, written(rng))
    run.row()
    model, training = run.events("model", "training")[:2]
    expect.equal(model[1], CONFIGURATION, what="the configuration for the model", read=READ)
    expect.equal(training[1], CONFIGURATION, what="the configuration for training", read=READ)
    expect.equal(
        training[2],
        SEED,
        because="the order of the data does not follow the seed: pass `seed` to task.training",
        what="the seed for training",
        read=READ,
    )
    used = [event for event in run.events("training", "validate", "inference") if not event[-1]]
    expect.true(
        not used,
        expected="one model, which is trained, validated and timed",
        got=f"task.{used[0][0]} got another model" if used else "",
        because="each call needs the model that `task.model` returned first",
        read=READ,
    )


@exercise("5.2")
def test_number_of_steps(student, rng):
    """Exactly `n_steps` steps are trained."""
    for n_steps, every in ((14, 4), (12, 4), (5, 8)):
        run = Run(student, written(rng, n_steps, every, untimed_steps=2))
        row = run.row()
        trained = len(run.events("step"))
        expect.equal(
            trained,
            n_steps,
            because={
                n_steps + 1: "one step too many is trained: take no `next` after the last step",
                n_steps - 1: "one step too few is trained: count them from 1 to n_steps",
            }.get(trained, ""),
            otherwise="training never ends by itself: stop after `task.n_steps` steps",
            what="the number of steps",
            read=READ,
        )
        expect.equal(row["steps"], n_steps, what="`steps` of the row", read=READ)


@exercise("5.2", weight=2)
def test_curve(student, rng):
    """The curve has each evaluation with its step, and the last step is always one."""
    for n_steps, every in ((14, 4), (12, 4), (5, 8)):
        run = Run(student, written(rng, n_steps, every, untimed_steps=2))
        curve, wanted = run.row()["curve"], run.curve()
        bare = [{k: v for k, v in entry.items() if k != "step"} for entry in wanted]
        unevaluated = n_steps % every and len(run.events("step")) == n_steps
        expect.equal(
            curve,
            wanted,
            causes={
                "the last step is not evaluated when `evaluate_every` does not divide `n_steps`": (
                    wanted[:-1] if unevaluated else wanted
                ),
                "the last step is evaluated twice": [*wanted, wanted[-1]],
                "the entries of the curve lack their `step`": bare,
                "the curve has the test split: `task.validate` measures the validation split": [
                    {"step": entry["step"], **run.script["test"][entry["step"]]} for entry in wanted
                ],
            },
            otherwise="after every `evaluate_every` steps, and after the last one: "
            "{'step': step, **task.validate(model)}",
            what=f"the curve of {n_steps} steps, evaluated every {every}",
            read=READ,
        )


@exercise("5.2")
def test_the_test_split_is_left_alone(student, rng):
    """A trial never looks at the test split."""
    run = Run(student, written(rng))
    run.row()
    expect.true(
        not run.events("test"),
        expected="no call of task.test: it is for the one configuration that is chosen in the end",
        got=f"{len(run.events('test'))} calls",
        because="the test split is measured in a trial: a choice among trials would then use it"
        if run.events("validate")
        else "every evaluation is on the test split: call task.validate instead",
        read="§6.2: Table 3 is measured on the development set",
    )


@exercise("5.2", weight=2)
def test_loss_that_is_no_number(student, rng):
    """A loss that is NaN or infinite ends the trial at once."""
    for bad, step in (("nan", 6), ("inf", 9), ("-inf", 1)):
        run = Run(student, written(rng, bad_step=step, bad_loss=bad))
        expect.raises(
            run.start,
            "FloatingPointError",
            because=f"a loss of {bad} is not noticed: `math.isfinite` is False for it",
            otherwise="raise FloatingPointError: `attempt` records it as diverged",
            read=READ,
        )
        trained = len(run.events("step"))
        expect.equal(
            trained,
            step,
            because="it is noticed too late: look at the loss of every step, not at the end",
            what=f"the steps that are trained when the loss of step {step} is {bad}",
            read=READ,
        )


@exercise("5.2")
def test_after_evaluation(student, rng):
    """`after_evaluation` is called with each evaluation."""
    run = Run(student, written(rng), callback=True)
    run.row()
    seen = [[event[1], event[2].get("quality")] for event in run.events("after")]
    expect.equal(
        seen,
        [[entry["step"], entry["quality"]] for entry in run.curve()],
        because="`after_evaluation` is never called" if not seen else "",
        otherwise="after_evaluation(step, measured) with what task.validate gave, once for each",
        what="step and quality of its calls",
        read=READ,
    )


@exercise("5.2")
def test_after_evaluation_ends_a_trial(student, rng):
    """What `after_evaluation` raises ends the trial."""
    run = Run(student, written(rng), callback=True, stop_at=8)
    try:
        run.start()
        ended = ""
    except StudentError as error:
        if error.kind != "TimeoutError":
            raise
        ended = error.kind
    called = bool(run.events("after"))
    expect.true(
        ended == "TimeoutError",
        expected="the TimeoutError that after_evaluation raises after step 8",
        got="a row, as if nothing had been raised" if called else "a row: it was not called",
        because="the exception of after_evaluation is caught: let it pass, it ends the trial"
        if called
        else "`after_evaluation` is never called",
        read=READ,
    )
    expect.equal(len(run.events("step")), 8, what="the steps that are trained", read=READ)

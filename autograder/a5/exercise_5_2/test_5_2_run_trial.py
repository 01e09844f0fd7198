"""Hidden tests of exercise 5.2: what one trial seeds, trains, measures and times."""

from autograder.a5.exercise_5_2.scripted_task import CONFIGURATION, READ, SEED, Run, written
from grader.checking import expect
from grader.checking.exercise import exercise
from grader.checking.known_mistakes import known_mistakes
from grader.seam import StudentError

MISTAKE = known_mistakes(__file__)


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
        read=READ,
    )
    expect.true(
        first[0] != other[0],
        expected=f"other weights with seed {SEED + 1} than with seed {SEED}",
        got="the same weights",
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
        what="the seed for training",
        read=READ,
    )
    used = [event for event in run.events("training", "validate", "inference") if not event[-1]]
    expect.true(
        not used,
        expected="one model, which is trained, validated and timed",
        got=f"task.{used[0][0]} got another model" if used else "",
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
                n_steps + 1: MISTAKE.trial_one_step_too_many,
                n_steps - 1: MISTAKE.trial_one_step_too_few,
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
            otherwise="raise FloatingPointError: `attempt` records it as diverged",
            read=READ,
        )
        trained = len(run.events("step"))
        expect.equal(
            trained,
            step,
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
        read=READ,
    )
    expect.equal(len(run.events("step")), 8, what="the steps that are trained", read=READ)

"""Hidden tests of exercise 5.2: the numbers of a trial's row."""

from autograder.a5.exercise_5_2.scripted_task import CONFIGURATION, READ, SEED, Run, written
from grader.checking import expect
from grader.checking.exercise import exercise
from grader.checking.known_mistakes import known_mistakes

MISTAKE = known_mistakes(__file__)


@exercise("5.2", weight=2)
def test_result(student, rng):
    """Quality and loss are those of the last evaluation on the validation split."""
    run = Run(student, written(rng))
    row, curve = run.row(), run.curve()
    last, trained = curve[-1], run.script["losses"][run.script["n_steps"]]
    test = run.script["test"][run.script["n_steps"]]
    best = max(curve, key=lambda entry: entry["quality"])
    chosen = MISTAKE.trial_best_evaluation
    for name, key in (("quality", "quality"), ("validation_loss", "loss")):
        expect.close(
            row[name],
            last[key],
            otherwise="`curve[-1]` is the last evaluation",
            what=name,
            read=READ,
        )


@exercise("5.2", weight=2)
def test_seconds(student, rng):
    """Only steps count as training time, and the untimed first ones do not."""
    run = Run(student, written(rng), callback=True)
    row, script = run.row(), run.script
    untimed, evaluations = script["untimed_steps"], len(run.evaluations())
    right, tokens = run.sums(untimed)
    every, all_tokens = run.sums()
    others = evaluations * script["evaluation_seconds"]
    callbacks = evaluations * script["callback_seconds"]
    inside = MISTAKE.trial_evaluations_timed
    first = MISTAKE.trial_untimed_steps_counted
    if abs(row["tokens_per_second"] * row["train_seconds"] - tokens) < 0.5:
        first = MISTAKE.trial_untimed_seconds_counted
    wrong = {
        inside: right + others,
        f"{inside}, and so are the calls of after_evaluation": right + others + callbacks,
        "the calls of after_evaluation are part of the time": right + callbacks,
        first: every,
        "the untimed steps and the evaluations are part of the time": every + others,
        MISTAKE.trial_wall_clock_of_everything: (every + others + callbacks),
        MISTAKE.trial_untimed_off_by_one: (run.sums(untimed - 1)[0]),
        "one step too few is timed: time step > untimed_steps": run.sums(untimed + 1)[0],
        "this is the time of the last step": script["step_seconds"][script["n_steps"]],
    }
    advice = "clock() before and after each `next`; add the difference if step > untimed_steps"
    expect.close(
        row["train_seconds"],
        right,
        otherwise=advice,
        what="train_seconds",
        read=READ,
    )
    expect.close(
        row["tokens_per_second"],
        tokens / right,
        otherwise="the tokens of the timed steps, divided by the seconds of the same steps",
        what="tokens_per_second",
        read=READ,
    )


@exercise("5.2")
def test_parameters_and_inference(student, rng):
    """All parameters are counted, and what `inference` measures is in the row."""
    run = Run(student, written(rng))
    row, n = run.row(), run.script["width"]
    total = 3 * n + n + 2 * n + 4 + 4
    expect.equal(
        row["parameters"],
        total,
        otherwise="sum(p.numel() for p in model.parameters())",
        what="parameters",
        read=READ,
    )
    for name, value in run.script["inference"].items():
        expect.close(row[name], value, what=name, read=READ)
    for name, value in {**CONFIGURATION, "seed": SEED}.items():
        expect.equal(row[name], value, what=f"`{name}` of the row", read=READ)

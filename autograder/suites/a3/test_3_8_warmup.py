"""Hidden tests of exercise 3.8: the learning rate of the paper, and a scheduler that sets it."""

import functools

from course_lib.checking import expect
from course_lib.checking.exercise import exercise
from course_lib.seam import StudentError

READ = "§5.3, Eq. 3"
NO_VALUE = "step^-0.5 has no value at 0: say so by a ValueError"
FROM_1 = "torch counts its steps from 0, the paper from 1: the first step has the rate of step 1"
OPTIMIZER = (
    "lambda rates: torch.optim.SGD([{'params': [torch.nn.Parameter(torch.zeros(1))], 'lr': rate} "
    "for rate in rates])"
)


def rate(step, d_model, warmup_steps):
    return d_model**-0.5 * min(step**-0.5, step * warmup_steps**-1.5)


def mistakes(steps, d_model, warmup):
    """What likely mistakes would have given, step by step."""
    return {
        name: [one(step) for step in steps]
        for name, one in {
            "d_model is not used: the rate falls with its root": lambda s: rate(s, 1, warmup),
            "multiplied by √d_model, not divided": lambda s: d_model * rate(s, d_model, warmup),
            "divided by d_model, not by its root": lambda s: (
                rate(s, d_model, warmup) / d_model**0.5
            ),
            "the larger of the two is taken: Eq. 3 has min": lambda s: (
                d_model**-0.5 * max(s**-0.5, s * warmup**-1.5)
            ),
            "off by one: this is the rate of the step before": lambda s: (
                rate(s - 1, d_model, warmup) if s > 1 else 0.0
            ),
            "off by one: this is the rate of the step after": lambda s: rate(
                s + 1, d_model, warmup
            ),
            "no warm-up: the rate falls from the first step on": lambda s: d_model**-0.5 * s**-0.5,
            "the rate never falls: after the warm-up it goes with step^-0.5": lambda s: (
                d_model**-0.5 * s * warmup**-1.5
            ),
            "warmup_steps has the exponent -0.5: it is -1.5": lambda s: (
                d_model**-0.5 * min(s**-0.5, s * warmup**-0.5)
            ),
            "warmup_steps is not used: it is always 4000": lambda s: rate(s, d_model, 4000),
        }.items()
    }


def compare(got, steps, d_model, warmup, what, factor=1.0, causes=None):
    wrong = {
        n: [factor * v for v in values] for n, values in mistakes(steps, d_model, warmup).items()
    }
    expect.close(
        got,
        [factor * rate(step, d_model, warmup) for step in steps],
        atol=1e-9,
        rtol=1e-5,
        causes={**(causes or {}), **wrong},
        otherwise="d_model^-0.5 · min(step^-0.5, step · warmup_steps^-1.5)",
        read=READ,
        what=what,
    )


@exercise("3.8", weight=2)
def test_rate(student):
    """Up linearly for warmup_steps, then down with the root of the step."""
    steps = [1, 2, 7, 10, 11, 40, 1000]
    for d_model, warmup in [(512, 10), (64, 40), (1, 5)]:
        made = [student.warmup_rate(step, d_model, warmup) for step in steps]
        compare(made, steps, d_model, warmup, f"the rates at {steps}, d_model = {d_model}")


@exercise("3.8")
def test_paper_values(student):
    """By default 4000 steps of warm-up; the highest rate of the base model is 7.0e-4."""
    steps = [1, 4000, 100_000]
    made = [student.warmup_rate(step, 512) for step in steps]
    compare(made, steps, 512, 4000, "the rates of the base model")


@exercise("3.8")
def test_step_zero(student):
    """Step 0 has no rate: a ValueError, not a division by zero."""

    def asked(step):
        with expect.raising({NO_VALUE: lambda: step**-0.5}, expected="a ValueError"):
            return student.warmup_rate(step, 512)

    for step in (0, -1):
        expect.raises(
            functools.partial(asked, step),
            because=f"step {step} is not refused: steps count from 1",
            otherwise="steps count from 1: refuse others by a ValueError",
            read="the docstring of 3.8",
        )


def begun(student, optimizer, d_model, warmup):
    """The schedule; if it cannot be made because it asks for the rate of step 0, that is said."""
    try:
        return student.WarmupSchedule(optimizer, d_model, warmup)
    except StudentError as error:
        try:
            student.warmup_rate(0, d_model, warmup)
        except StudentError as refused:
            if (error.kind, error.message) == (refused.kind, refused.message):
                told = f"{error.kind}: {error.message}"
                raise expect.Failure("a schedule", told, FROM_1, READ, True) from None
        raise


def run(student, rates, d_model, warmup, count):
    """The rates of every group of an optimizer during `count` steps, the first one first."""
    make = student.make(OPTIMIZER)
    optimizer = student.call(make, rates, deadline=8.0).value  # a first one loads much of torch
    schedule = begun(student, optimizer, d_model, warmup)
    seen = []
    for _ in range(count):
        groups = [optimizer.get(f"param_groups.{i}") for i in range(len(rates))]
        seen.append([float(group["lr"]) for group in groups])
        optimizer.method("step")
        schedule.method("step")
    return [list(group) for group in zip(*seen, strict=True)]


@exercise("3.8", weight=2)
def test_schedule(student):
    """The optimizer's first step has the rate of step 1, the next that of step 2."""
    (got,) = run(student, [1.0], 64, 4, 9)
    steps = list(range(1, 10))
    chained, product = [], 1.0
    for step in steps:
        product *= rate(step, 64, 4)
        chained.append(product)
    compare(
        got,
        steps,
        64,
        4,
        "the optimizer's rates at its first nine steps",
        causes={
            "each rate is multiplied with the last one: start from `base_lrs`": chained,
            "the first step is taken twice": [rate(max(1, s - 1), 64, 4) for s in steps],
            "the schedule does not change the optimizer's rate": [1.0] * 9,
        },
    )


@exercise("3.8")
def test_own_rate_is_a_factor(student):
    """Every group's own rate is a factor: 1.0 gives the paper's, 2.0 twice as much."""
    first, second = run(student, [2.0, 0.5], 16, 3, 5)
    steps = [1, 2, 3, 4, 5]
    plain = {
        "the optimizer's own rate is not used: it is a factor": [rate(s, 16, 3) for s in steps]
    }
    compare(first, steps, 16, 3, "the rates of a group with lr = 2.0", 2.0, plain)
    compare(second, steps, 16, 3, "the rates of a group with lr = 0.5", 0.5, plain)

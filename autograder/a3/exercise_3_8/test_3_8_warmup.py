"""Hidden tests of exercise 3.8: the paper's learning rate, and a scheduler that sets it."""

import functools

from grader.checking import expect
from grader.checking.exercise import exercise
from grader.checking.known_mistakes import known_mistakes
from grader.seam import StudentError

MISTAKE = known_mistakes(__file__)

READ = "§5.3, Eq. 3"
NO_VALUE = MISTAKE.rate_at_step_zero
FROM_1 = MISTAKE.recipe_asks_for_step_zero
OPTIMIZER = (
    "lambda rates: torch.optim.SGD([{'params': [torch.nn.Parameter(torch.zeros(1))], 'lr': rate} "
    "for rate in rates])"
)


def rate(step, d_model, warmup_steps):
    return d_model**-0.5 * min(step**-0.5, step * warmup_steps**-1.5)


def mistakes(steps, d_model, warmup):
    """The rates that likely mistakes would give at these steps."""
    return {
        name: [one(step) for step in steps]
        for name, one in {
            MISTAKE.rate_without_d_model: lambda s: rate(s, 1, warmup),
            "multiplied by √d_model, not divided": lambda s: d_model * rate(s, d_model, warmup),
            "divided by d_model, not by √d_model": lambda s: (
                rate(s, d_model, warmup) / d_model**0.5
            ),
            MISTAKE.rate_max_instead_of_min: lambda s: (
                d_model**-0.5 * max(s**-0.5, s * warmup**-1.5)
            ),
            MISTAKE.schedule_first_step_zero: lambda s: (
                rate(s - 1, d_model, warmup) if s > 1 else 0.0
            ),
            "off by one: this is the rate of the step after": lambda s: rate(
                s + 1, d_model, warmup
            ),
            "no warm-up: the rate decreases from the first step": lambda s: d_model**-0.5 * s**-0.5,
            "the rate never decreases: after the warm-up it falls as step^-0.5": lambda s: (
                d_model**-0.5 * s * warmup**-1.5
            ),
            MISTAKE.rate_warmup_exponent: lambda s: d_model**-0.5 * min(s**-0.5, s * warmup**-0.5),
            MISTAKE.recipe_warmup_steps_dropped: lambda s: rate(s, d_model, 4000),
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
        otherwise="d_model^-0.5 · min(step^-0.5, step · warmup_steps^-1.5)",
        read=READ,
        what=what,
    )


@exercise("3.8", weight=2)
def test_rate(student):
    """The rate rises linearly for warmup_steps, then falls as 1/√step."""
    steps = [1, 2, 7, 10, 11, 40, 1000]
    for d_model, warmup in [(512, 10), (64, 40), (1, 5)]:
        made = [student.warmup_rate(step, d_model, warmup) for step in steps]
        compare(made, steps, d_model, warmup, f"the rates at {steps}, d_model = {d_model}")


@exercise("3.8")
def test_paper_values(student):
    """warmup_steps defaults to 4000; the base model's peak rate is 7.0e-4."""
    steps = [1, 4000, 100_000]
    made = [student.warmup_rate(step, 512) for step in steps]
    compare(made, steps, 512, 4000, "the rates of the base model")


@exercise("3.8", beside=["test_rate", "test_schedule", "test_paper_values"])
def test_step_zero(student):
    """Step 0 raises a ValueError, not a division by zero."""

    def rate_at(step):
        return student.warmup_rate(step, 512)

    for step in (0, -1):
        expect.raises(
            functools.partial(rate_at, step),
            otherwise="steps count from 1: raise a ValueError for anything lower",
            read="the docstring of 3.8",
        )


def make_schedule(student, optimizer, d_model, warmup):
    """The schedule; explain the error if its constructor asks for the rate of step 0."""
    try:
        return student.WarmupSchedule(optimizer, d_model, warmup)
    except StudentError as error:
        try:
            student.warmup_rate(0, d_model, warmup)
        except StudentError as refused:
            if (error.kind, error.message) == (refused.kind, refused.message):
                got = f"{error.kind}: {error.message}"
                raise expect.Failure("a schedule", got, FROM_1, READ, True) from None
        raise


def run(student, rates, d_model, warmup, count):
    """One list of `count` rates per parameter group of the optimizer, step 1 first."""
    make = student.make(OPTIMIZER)
    optimizer = student.call(
        make, rates, deadline=8.0
    ).value  # the first optimizer imports much of torch
    schedule = make_schedule(student, optimizer, d_model, warmup)
    seen = []
    for _ in range(count):
        groups = [optimizer.get(f"param_groups.{i}") for i in range(len(rates))]
        seen.append([float(group["lr"]) for group in groups])
        optimizer.method("step")
        schedule.method("step")
    return [list(group) for group in zip(*seen, strict=True)]


@exercise("3.8", weight=2, after=["warmup_rate"])
def test_schedule(student):
    """The optimizer's first step uses the rate of step 1, the next that of step 2."""
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
    )


@exercise("3.8", after=["warmup_rate"])
def test_own_rate_is_a_factor(student):
    """Each group's initial rate is a factor: 1.0 gives the paper's rate, 2.0 twice that."""
    first, second = run(student, [2.0, 0.5], 10, 3, 5)  # 2.0 / 0.5 is not √10
    steps = [1, 2, 3, 4, 5]
    rates = [rate(s, 10, 3) for s in steps]
    plain = {MISTAKE.schedule_base_rates_ignored: rates}
    compare(first, steps, 10, 3, "the rates of a group with lr = 2.0", 2.0, plain)
    plain[MISTAKE.schedule_first_groups_rate] = [2 * r for r in rates]
    compare(second, steps, 10, 3, "the rates of a group with lr = 0.5", 0.5, plain)

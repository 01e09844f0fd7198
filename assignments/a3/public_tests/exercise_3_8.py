"""The visible checks of exercise 3.8: warm-up and Adam."""

from grader.checking import expect
from grader.checking.exercise import exercise

# Expectations are set like tables: value, causes, hint, section.
# fmt: off


@exercise("3.8")
def test_rates(student):
    """The formula at its beginning, its peak and later."""
    steps = (1, 2000, 4000, 16000)
    rising, falling = [s * 4000**-1.5 for s in steps], [s**-0.5 for s in steps]
    want = [min(pair) for pair in zip(rising, falling, strict=True)]
    expect.close(
        [1000 * student.warmup_rate(s, 512) for s in steps],
        [1000 * 512**-0.5 * rate for rate in want], what="1000 × the rate at 1, 2000, 4000, 16000",
        otherwise="d_model^-0.5 · min(step^-0.5, step · warmup_steps^-1.5)", read="§5.3, Eq. 3")
    expect.raises(lambda: student.warmup_rate(0, 512), because="step 0 is accepted",
                  otherwise="raise a ValueError: steps count from 1", read="exercise 3.8")


@exercise("3.8", after=["warmup_rate"])
def test_first_steps(student):
    """The optimizer's steps 1, 2, 3, … have the rates of the formula, times its own rate."""
    optimizer = student.make("torch.optim.SGD([torch.nn.Parameter(torch.zeros(1))], lr=3.0)")
    schedule = student.WarmupSchedule(optimizer, 4, 2)
    got = []
    for _ in range(4):
        got.append(optimizer.get("param_groups")[0]["lr"])
        optimizer.method("step")
        schedule.method("step")

    def rates(first, factor=3.0):
        steps = range(first, first + 4)
        return [factor * 0.5 * min(max(s, 1e-9) ** -0.5, s * 2**-1.5) for s in steps]

    expect.close(
        got, rates(1), what="the rates of steps 1 to 4",
        otherwise="torch's last_epoch is 0 at the first step; the paper's step is 1",
        read="exercise 3.8")


def recipe(student, *options):
    return expect.parts(student.paper_optimizer(student.make("torch.nn.Linear(2, 2)"), *options), 2,
                        otherwise="return (optimizer, schedule)", read="exercise 3.8")


@exercise("3.8", after=["warmup_rate", "WarmupSchedule"])
def test_recipe_adam(student):
    """Adam with the constants of §5.3."""
    optimizer, _ = recipe(student, 512)
    expect.true("torch.optim.adam.Adam" in optimizer.bases(), expected="torch.optim.Adam",
                got=optimizer.type_name, read="§5.3")
    group = optimizer.get("param_groups")[0]
    expect.equal(list(group["betas"]), [0.9, 0.98], what="[β1, β2]", read="§5.3",
                 otherwise="the paper's β2 is not torch's default")
    expect.close(1e9 * group["eps"], 1.0, what="ε in units of 10^-9", read="§5.3")
    expect.equal(len(group["params"]), 2, what="parameters in the optimizer, of a model with two",
                 read="exercise 3.8")


@exercise("3.8", weight=2, after=["warmup_rate", "WarmupSchedule"])
def test_recipe_rates(student):
    """Steps 1, 2, 3, … of the optimizer use the rates of Eq. 3 with d_model 16 and warm-up 3."""
    optimizer, schedule = recipe(student, 16, 3)
    got = []
    for _ in range(5):
        got.append(optimizer.get("param_groups")[0]["lr"])
        optimizer.method("step")
        schedule.method("step")

    def rates(first=1, factor=0.25, choose=min):
        steps = [max(step, 1e-9) for step in range(first, first + 5)]
        return [factor * choose(s**-0.5, s * 3**-1.5) for s in steps]

    expect.close(
        got, rates(), what="the rates of steps 1 to 5",
        otherwise="which rate does the schedule multiply, and with which step does it begin?",
        read="§5.3, Eq. 3")


@exercise(
    "3.8",
    after=["warmup_rate", "WarmupSchedule"],
    beside=["test_recipe_rates", "test_recipe_adam"],
)
def test_recipe_without_warmup(student):
    """A warm-up of 0 steps raises a ValueError."""
    model = student.make("torch.nn.Linear(2, 2)")
    expect.raises(lambda: student.paper_optimizer(model, 16, 0), read="exercise 3.8",
                  otherwise="0^-1.5 is undefined: raise a ValueError with a message")

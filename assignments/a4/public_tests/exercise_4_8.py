"""The visible checks of exercise 4.8: the paper's recipe."""

from course_lib.checking import expect
from course_lib.checking.exercise import exercise

# Expectations are set like tables: value, causes, hint, section.
# fmt: off


def recipe(student, *options):
    return expect.parts(student.paper_optimizer(student.make("torch.nn.Linear(2, 2)"), *options), 2,
                        otherwise="return (optimizer, schedule)", read="exercise 4.8")


@exercise("4.8")
def test_adam(student):
    """Adam with the constants of §5.3."""
    optimizer, _ = recipe(student, 512)
    expect.true("torch.optim.adam.Adam" in optimizer.bases(), expected="torch.optim.Adam",
                got=optimizer.type_name, read="§5.3")
    group = optimizer.get("param_groups")[0]
    expect.equal(list(group["betas"]), [0.9, 0.98], what="[β1, β2]", read="§5.3",
                 otherwise="the paper's β2 is not torch's default")
    expect.close(1e9 * group["eps"], 1.0, what="ε in units of 10^-9", read="§5.3")
    expect.equal(len(group["params"]), 2, what="parameters in the optimizer, of a model with two",
                 read="exercise 4.8")


@exercise("4.8", weight=2)
def test_rates(student):
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
        causes={"the first step counts as step 0, whose rate is 0": rates(0),
                "the first step counts as step 2": rates(2),
                "Adam's default rate, 0.001, still multiplies it": rates(factor=0.00025),
                "d_model is not used": rates(factor=1.0),
                "the larger of the two, not the smaller": rates(choose=max)},
        otherwise="what does LambdaLR multiply, and where does torch start counting?",
        read="§5.3, Eq. 3")


@exercise("4.8")
def test_no_warmup(student):
    """A warm-up of 0 steps raises a ValueError."""
    model = student.make("torch.nn.Linear(2, 2)")
    expect.raises(lambda: student.paper_optimizer(model, 16, 0), read="exercise 4.8",
                  otherwise="0^-1.5 is undefined: raise a ValueError with a message")

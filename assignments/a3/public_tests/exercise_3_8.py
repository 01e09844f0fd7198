"""The visible checks of exercise 3.8: warm-up."""

from course_lib.checking import expect
from course_lib.checking.exercise import exercise

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
        causes={"d_model is not used": [1000 * rate for rate in want],
                "it never falls: take the smaller of the two":
                    [1000 * 512**-0.5 * rate for rate in rising],
                "max instead of min":
                    [1000 * 512**-0.5 * max(p) for p in zip(rising, falling, strict=True)]},
        otherwise="d_model^-0.5 · min(step^-0.5, step · warmup_steps^-1.5)", read="§5.3, Eq. 3")
    expect.raises(lambda: student.warmup_rate(0, 512), because="step 0 is accepted",
                  otherwise="raise a ValueError: steps count from 1", read="exercise 3.8")


@exercise("3.8")
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
        causes={"the first step counts as step 0, whose rate is 0": rates(0),
                "the first step counts as step 2": rates(2),
                "the optimizer's own rate, here 3, is not used: it is a factor": rates(1, 1.0)},
        otherwise="torch's last_epoch is 0 at the first step; the paper's step is 1",
        read="exercise 3.8")

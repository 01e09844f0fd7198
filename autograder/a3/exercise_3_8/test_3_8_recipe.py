"""Hidden tests of exercise 3.8: the paper's Adam and learning rate."""

import functools

import numpy as np
import torch

from autograder.a3.answers import answered, normal
from autograder.a3.exercise_3_8.test_3_8_warmup import FROM_1, mistakes, rate
from grader.checking import expect
from grader.checking.exercise import exercise
from grader.checking.known_mistakes import known_mistakes

MISTAKE = known_mistakes(__file__)

READ = "§5.3"
MODEL = "torch.nn.ParameterDict({n: torch.nn.Parameter(v) for n, v in values.items()})"
DESCEND = (
    "lambda model, gradients: [setattr(p, 'grad', gradients[n].clone()) "
    "for n, p in model.named_parameters()] and None"
)


def made(student, values, *arguments, **options):
    """The model, its optimizer and its schedule, on the student's side."""
    model = student.make(MODEL, values=values)
    call = answered(
        # the first optimizer imports much of torch
        lambda: (
            student.call(student.paper_optimizer, model, *arguments, deadline=8.0, **options).value
        ),
        FROM_1,
        READ,
    )
    optimizer, schedule = expect.parts(
        call, 2, otherwise="return (optimizer, schedule)", read="the docstring of `paper_optimizer`"
    )
    return model, optimizer, schedule


def adam(start, gradients, rates, betas=(0.9, 0.98), epsilon=1e-9, decay=0.0):
    """Kingma and Ba's update in double precision; `decay` is AdamW's weight decay."""
    value = start.double()
    first, second = torch.zeros_like(value), torch.zeros_like(value)
    for step, (gradient, size) in enumerate(zip(gradients, rates, strict=True), start=1):
        gradient = gradient.double()
        value = value - size * decay * value
        first = betas[0] * first + (1 - betas[0]) * gradient
        second = betas[1] * second + (1 - betas[1]) * gradient**2
        unbiased = (second / (1 - betas[1] ** step)).sqrt()
        value = value - size * first / (1 - betas[0] ** step) / (unbiased + epsilon)
    return value


def run(student, values, gradients, d_model, warmup):
    """The weights after these steps, and the rate of each step."""
    model, optimizer, schedule = made(student, values, d_model, warmup)
    descend, rates = student.make(DESCEND), []
    for number in range(len(next(iter(gradients.values())))):
        descend(model, {name: steps[number] for name, steps in gradients.items()})
        rates.append(float(optimizer.get("param_groups.0")["lr"]))
        optimizer.method("step")
        schedule.method("step")
    return model.state_dict(), rates


@exercise("3.8", weight=2, after=["warmup_rate", "WarmupSchedule"])
def test_steps(student, rng):
    """Several steps of Adam with the paper's β and ε, including small and changing gradients."""
    d_model, warmup, sizes = 16, 2, (1.0, 4.0, 0.25, 2.0, 8.0, 0.5, 0.25, 1.0)
    values = {"a": normal(rng, 3, 2), "b": normal(rng, 4)}
    scales, count = {"a": 1.0, "b": 1e-9}, len(sizes)
    gradients = {
        n: [scales[n] * size * normal(rng, *v.shape) for size in sizes] for n, v in values.items()
    }
    found, _ = run(student, values, gradients, d_model, warmup)
    rates = [rate(step, d_model, warmup) for step in range(1, count + 1)]
    zero = [0.0, *rates[:-1]]
    wrong = {
        MISTAKE.recipe_torch_epsilon: {"epsilon": 1e-8},
        MISTAKE.recipe_torch_beta: {"betas": (0.9, 0.999)},
        "β₁ is 0.98: the paper has 0.9": {"betas": (0.98, 0.98)},
        "β₂ and ε are torch's defaults: the paper has 0.98 and 1e-9": {
            "betas": (0.9, 0.999),
            "epsilon": 1e-8,
        },
        MISTAKE.recipe_decays_weights: {"decay": 0.01},
        "step 0: torch counts from 0, the paper from 1; the first step has rate 0": {"rates": zero},
        "the optimizer's own rate multiplies the schedule: it is 1e-3, and should be 1": {
            "rates": [1e-3 * r for r in rates]
        },
        "the schedule is not used: the rate stays 1": {"rates": [1.0] * count},
        MISTAKE.rate_max_instead_of_min: {
            "rates": mistakes(range(1, count + 1), d_model, warmup)[MISTAKE.rate_max_instead_of_min]
        },
        MISTAKE.rate_without_d_model: {"rates": [rate(s, 1, warmup) for s in range(1, count + 1)]},
    }
    for name in ("b", "a"):  # the small ones first: they reveal ε
        ours = functools.partial(adam, values[name], gradients[name])
        expect.close(
            found[name],
            ours(rates),
            atol=1e-5,
            otherwise="Adam with β₁ = 0.9, β₂ = 0.98, ε = 1e-9 over all parameters, and the rate "
            "of Eq. 3",
            read=READ,
            what=f"weights after {count} steps with gradients around {scales[name]:g}",
        )


@exercise("3.8", weight=2, after=["warmup_rate", "WarmupSchedule"])
def test_rates(student):
    """The first step has the rate of step 1 in Eq. 3, which rises for warmup_steps, then falls."""
    values = {"a": torch.zeros(1)}
    for d_model, warmup in ((64, 4), (512, 1), (16, 3)):
        steps = list(range(1, 9))
        _, got = run(student, values, {"a": [torch.ones(1)] * 8}, d_model, warmup)
        right = [rate(step, d_model, warmup) for step in steps]
        zero = [0.0, *right[:-1]]
        others = mistakes(steps, d_model, warmup).items()
        expect.close(
            got,
            right,
            atol=1e-9,
            otherwise="d_model^-0.5 · min(step^-0.5, step · warmup_steps^-1.5)",
            read="§5.3, Eq. 3",
            what=f"the rates of the first eight steps, d_model = {d_model}, warmup = {warmup}",
        )


@exercise("3.8", after=["warmup_rate", "WarmupSchedule"])
def test_paper_values(student):
    """The defaults: 4000 warm-up steps, β = (0.9, 0.98) and ε = 1e-9."""
    _, optimizer, _ = made(student, {"a": torch.zeros(2)}, 512)
    group = optimizer.get("param_groups.0")
    for key, want in (("betas", (0.9, 0.98)), ("eps", 1e-9), ("weight_decay", 0.0)):
        expect.close(
            list(group.get(key, ())) if key == "betas" else group.get(key, 0.0),
            list(want) if key == "betas" else want,
            atol=1e-12,
            otherwise="β₁ = 0.9, β₂ = 0.98, ε = 1e-9, and no weight decay",
            read=READ,
            what=key,
        )
    expect.close(
        float(group["lr"]),
        rate(1, 512, 4000),
        atol=1e-12,
        otherwise="the rate of step 1, with 4000 steps of warm-up",
        read="§5.3, Eq. 3",
        what="the rate of the base model's first step",
    )


@exercise(
    "3.8",
    after=["warmup_rate", "WarmupSchedule"],
    beside=["test_steps", "test_rates", "test_paper_values"],
)
def test_no_warmup(student):
    """Fewer than one warm-up step raises a ValueError."""
    model = student.make(MODEL, values={"a": torch.zeros(1)})
    for warmup in (0, -5):
        expect.raises(
            functools.partial(student.paper_optimizer, model, 64, warmup),
            because="fewer than one warm-up step is accepted, but 0^-1.5 has no value: raise a "
            "ValueError",
            otherwise=MISTAKE.recipe_warmup_unchecked,
            read="the docstring of `paper_optimizer`",
        )

"""Checks of the learning rate: its formula, its schedule, and the paper's optimizer."""

import math
from collections.abc import Callable, Iterator
from typing import Any

import torch
from torch import nn

from ..check import Check, Fault, first_of

Rate = Callable[[int, int, int], float]
WIDTH, WARMUP, STEPS = 64, 4, 9
PAPER = {"betas": (0.9, 0.98), "eps": 1e-9, "weight_decay": 0}  # §5.3, R47


def warm_up(rate: Rate | None) -> Check:
    """The rate rises during warm-up, then falls, and is lower for wider models (§5.3, Eq. 3)."""
    name = "warm-up"
    if rate is None:
        return Check(name, None, "no schedule was given", "")
    first, middle, peak, late = (rate(step, 64, 100) for step in (1, 50, 100, 400))
    measured = f"step 1: {first:.1e}, 100 of 100: {peak:.1e}, 400: {late:.1e}"
    rises = 0 < first < middle < peak and math.isclose(first * 100, peak, rel_tol=1e-3)
    falls = math.isclose(late * 2, peak, rel_tol=1e-3)
    highest = math.isclose(peak, 0.0125, rel_tol=1e-3)  # (64 · 100)^-0.5
    narrower = math.isclose(2 * rate(100, 256, 100), peak, rel_tol=1e-3)
    advice = "d_model^-0.5 · min(step^-0.5, step · warmup^-1.5); the first step is 1"
    return Check(name, rises and falls and narrower and highest, measured, advice)


def schedule(make: Callable[..., Any]) -> Check:
    """The schedule's k-th rate is the paper's of step k, times each group's own (§5.3)."""
    return first_of("schedule", _of_schedule(make), "step k has the rate of step k")


def _of_schedule(make: Callable[..., Any]) -> Iterator[Fault]:
    groups = [{"params": [nn.Parameter(torch.zeros(1))], "lr": lr} for lr in (1.0, 0.5)]
    optimizer = torch.optim.SGD(groups)
    made = make(optimizer, WIDTH, WARMUP)
    yield from _of_rates(optimizer, made, (1.0, 0.5))


def _of_rates(optimizer: Any, made: Any, bases: tuple[float, ...]) -> Iterator[Fault]:
    found: list[list[float]] = []
    for _ in range(STEPS):
        found.append([float(group["lr"]) for group in optimizer.param_groups])
        optimizer.step()
        made.step()
    first = [rates[0] for rates in found]
    wanted = [bases[0] * _rate(step) for step in range(1, STEPS + 1)]
    if not all(math.isclose(a, b, rel_tol=1e-3) for a, b in zip(first, wanted, strict=True)):
        advice = "the optimizer's first step has the rate of step 1, its second that of step 2"
        shown = [", ".join(f"{value:.3g}" for value in some[:3]) for some in (first, wanted)]
        yield f"the first rates are {shown[0]}, not {shown[1]}", advice
    for own, base in zip(zip(*found, strict=True), bases, strict=True):
        if not math.isclose(own[0] * bases[0], first[0] * base, rel_tol=1e-3):
            yield "a second group has another rate", "each group's own rate is a factor"


def _rate(step: int) -> float:
    """The paper's rate for `WIDTH` and `WARMUP`."""
    return float(WIDTH**-0.5 * min(step**-0.5, step * WARMUP**-1.5))


def paper_optimizer(make: Callable[..., Any], model: nn.Module) -> Check:
    """Adam with the paper's numbers over every parameter, and its schedule (§5.3)."""
    return first_of(
        "optimizer", _of_optimizer(make, model), "Adam of every parameter, with warm-up"
    )


def _of_optimizer(make: Callable[..., Any], model: nn.Module) -> Iterator[Fault]:
    optimizer, made = make(model, WIDTH, WARMUP)
    held = {id(p) for group in optimizer.param_groups for p in group["params"]}
    left = [name for name, p in model.named_parameters() if id(p) not in held]
    if left:
        advice = "make it from model.parameters(), of the very model that is trained"
        yield f"{left[0]} is not in the optimizer ({len(left)} in all)", advice
    for name, wanted in PAPER.items():
        found = optimizer.param_groups[0].get(name)
        if found != wanted:
            yield f"{name} = {found}, in the paper {wanted}", "§5.3: β₁ = 0.9, β₂ = 0.98, ε = 10⁻⁹"
    yield from _of_rates(optimizer, made, (1.0,) * len(optimizer.param_groups))

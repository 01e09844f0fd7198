"""One line of a checklist, and how its checks find and say a fault."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

from torch import Tensor

TOLERANCE = 1e-4
Fault = tuple[str, str]  # what was measured, and the advice


@dataclass(frozen=True)
class Check:
    """One line of the checklist. `ok` is None for a check that does not apply to this model."""

    name: str
    ok: bool | None
    measured: str
    advice: str

    def __str__(self) -> str:
        sign = {True: "ok    ", False: "WRONG ", None: "-     "}[self.ok]
        line = f"{sign}{self.name:<24} {self.measured}"
        return f"{line}\n      → {self.advice}" if self.ok is False else line


def listed(arguments: Mapping[str, object]) -> str:
    """Arguments as they are written in a call."""
    return ", ".join(f"{name}={value!r}" for name, value in arguments.items())


def first_of(name: str, faults: Iterable[Fault], sound: str) -> Check:
    """The check that the first of `faults` makes wrong; without any, `sound` was measured."""
    fault = next(iter(faults), None)
    return Check(name, True, sound, "") if fault is None else Check(name, False, *fault)


def tried(name: str, check: Callable[..., Check], *given: object) -> Check:
    """The check, or what the student's code raised: the others still run."""
    try:
        return check(*given)
    except Exception as error:  # the student's own code: it may raise anything
        said = str(error).partition("\n")[0]
        advice = "it cannot be called as its docstring says: the visible checks say more"
        return Check(name, False, f"{type(error).__name__}: {said}", advice)


def off_by(found: Tensor, expected: Tensor) -> float:
    """The largest difference, infinite for another shape; NaN stays NaN."""
    if found.shape != expected.shape:
        return float("inf")
    return (found.float() - expected.float()).abs().max().item() if found.numel() else 0.0


def same(found: object, expected: Tensor) -> bool:
    """Whether `found` is a tensor that differs from `expected` by rounding only."""
    return isinstance(found, Tensor) and off_by(found.to(expected), expected) < TOLERANCE

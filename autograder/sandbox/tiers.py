"""How well a machine can isolate: four tiers, found by trying them.

    A  namespaces, a root and a uid of its own, a quota, Landlock, seccomp, limits  (root on Linux)
    B  the same without privileges, through a user namespace
    C  Landlock, seccomp, limits                                          (an ordinary container)
    D  limits only                               (any POSIX system: for submissions one trusts)

A tier is a promise: a worker on which one of its layers fails does not run.
"""

from __future__ import annotations

import functools
import json
import os
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import NoReturn

NAMESPACES, VIEW, UID, QUOTA = "namespaces", "view", "uid", "quota"
LANDLOCK, SECCOMP, LIMITS = "landlock", "seccomp", "limits"

LAYERS = {
    "A": (NAMESPACES, VIEW, UID, QUOTA, LANDLOCK, SECCOMP, LIMITS),
    "B": (NAMESPACES, VIEW, QUOTA, LANDLOCK, SECCOMP, LIMITS),
    "C": (LANDLOCK, SECCOMP, LIMITS),
    "D": (LIMITS,),
}

ON_WINDOWS = (
    "Grading needs processes that can be forked, which Windows does not have: grade inside WSL 2 "
    "or a Linux container. Building notebooks and reading results work here."
)


class LayerFailed(Exception):
    """One layer could not be put on: its name and why."""

    def __init__(self, layer: str, reason: str):
        super().__init__(f"{layer}: {reason}")
        self.layer, self.reason = layer, reason


@dataclass(frozen=True)
class Tier:
    """The best tier of this machine, and what kept it from each better one."""

    letter: str
    missing: dict[str, str] = field(default_factory=dict)

    @property
    def layers(self) -> tuple[str, ...]:
        return LAYERS[self.letter]


def detect() -> Tier:
    """Put on the layers of A, B and C in forked children until a tier works to the end.

    Takes some ten milliseconds. Raises RuntimeError, in a sentence, where nothing can be forked.
    """
    if not hasattr(os, "fork"):
        raise RuntimeError(ON_WINDOWS)
    from . import confine

    missing: dict[str, str] = {}
    for letter in "ABC" if sys.platform == "linux" else "":
        try:
            in_child(functools.partial(confine.rehearse, letter))
        except LayerFailed as error:
            missing[f"{letter}: {error.layer}"] = error.reason
        else:
            return Tier(letter, missing)
    if sys.platform != "linux":
        missing["A, B, C"] = f"the layers are Linux's; this is {sys.platform}"
    return Tier("D", missing)


def in_child(step: Callable[[], object]) -> None:
    """Run `step` in a forked child, and raise here the LayerFailed that it raised there."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        _tell(step, writing)
    os.close(writing)
    with open(reading, "rb") as pipe:
        text = pipe.read()
    os.waitpid(child, 0)
    failure = json.loads(text or '["probe", "the process that tried it died"]')
    if failure:
        raise LayerFailed(*failure)


def _tell(step: Callable[[], object], writing: int) -> NoReturn:
    """In the child: run the step and write down what went wrong, if anything did."""
    failure: list[str] = ["probe", "did not finish"]
    try:
        step()
        failure = []
    except LayerFailed as error:
        failure = [error.layer, error.reason]
    except BaseException as error:
        failure = ["probe", f"{type(error).__name__}: {error}"]
    finally:
        os.write(writing, json.dumps(failure).encode())
        os._exit(0)

"""Measures how much of each tolerance correct answers use, so that grades agree on all processors.

Each correct submission is graded under many release seeds and with different numerics (instruction
set, library, number of threads). For each test the largest ratio of difference to tolerance counts:
a tenth is allowed, so that no honest answer comes near the limit.
"""

import contextlib
import multiprocessing
import os
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from typing import NamedTuple
from unittest import mock

from grader.checking import numeric
from grader.course.course import Course

from . import cases, claims, prove
from .prove import BACKENDS
from .run import SEEDS, Task, in_processes, opener

MAX_RATIO = 0.1  # of a difference to its tolerance
FEW_SEEDS: tuple[int, ...] = ()  # in addition to the release's, in the sandbox or other numerics
SEEDS_A_TASK = 7


@dataclass(frozen=True)
class Setting:
    """One way in which a machine may compute; the variables are read when a library is imported."""

    name: str
    variables: tuple[tuple[str, str], ...] = ()
    threads: int = 1
    onednn: bool = True  # in the judge's process; `variables` set it in a worker
    backends: tuple[str, ...] = BACKENDS


AS_IT_IS = Setting("as this machine computes")
SETTINGS = (
    AS_IT_IS,
    Setting("ATEN_CPU_CAPABILITY=default", (("ATEN_CPU_CAPABILITY", "default"),)),
    Setting("ATEN_CPU_CAPABILITY=avx2", (("ATEN_CPU_CAPABILITY", "avx2"),)),
    Setting("oneDNN off", (("ONEDNN_MAX_CPU_ISA", "SSE41"),), onednn=False),
    Setting("MKL_CBWR=COMPATIBLE", (("MKL_CBWR", "COMPATIBLE"),)),
    Setting("OPENBLAS_CORETYPE=Prescott", (("OPENBLAS_CORETYPE", "Prescott"),)),
    Setting("OPENBLAS_CORETYPE=Haswell", (("OPENBLAS_CORETYPE", "Haswell"),)),
    # a worker always has one thread
    Setting("2 threads", threads=2, backends=("local",)),
)


class Margin(NamedTuple):
    """The worst ratio among a test's comparisons, and where it occurred."""

    ratio: float
    case: str
    backend: str
    seed: int


Margins = dict[tuple[str, str], Margin]  # by assignment and test


@dataclass(frozen=True)
class Found:
    """The result of a task. `wrong` are gradings without full points."""

    margins: Margins
    wrong: list[str]
    gradings: int


def tasks(ids: tuple[str, ...], setting: Setting, quick: bool) -> list[Task]:
    """The tasks of a setting, longest first."""
    found = []
    for id in reversed(ids):
        assignment = Course.here().assignment(id)
        for backend in setting.backends:
            many = setting is AS_IT_IS and backend == "local" and not quick
            others = SEEDS if many else FEW_SEEDS
            seeds = (assignment.seed, *(seed for seed in others if seed != assignment.seed))
            parts = [seeds[n : n + SEEDS_A_TASK] for n in range(0, len(seeds), SEEDS_A_TASK)]
            for case in cases.of(assignment):
                if case.kind in ("reference", "variant"):
                    found += [Task((case,), backend, part) for part in parts]
    return found


def run(ids: tuple[str, ...], setting: Setting, jobs: int, quick: bool) -> Iterator[Found]:
    """Yield what each task finds as it ends, from processes that use the setting."""
    sandboxed = ids if "sandbox" in setting.backends else ()
    afresh = multiprocessing.get_context("spawn")  # imports the libraries anew
    given = tasks(ids, setting, quick)
    with _environment(setting):
        yield from in_processes(measured, given, jobs, sandboxed, afresh, partial(_set_up, setting))


def _environment(setting: Setting) -> contextlib.AbstractContextManager[object]:
    threads = dict.fromkeys(
        ("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS"), str(setting.threads)
    )
    return mock.patch.dict(os.environ, {**threads, **dict(setting.variables)})


def _set_up(setting: Setting) -> None:
    import torch

    torch.set_num_threads(setting.threads)
    if not setting.onednn:
        torch.backends.mkldnn.set_flags(False)


def measured(task: Task) -> Found:
    """Grade a correct submission under every seed of the task, watching its comparisons."""
    assignment = Course.here().assignment(task.cases[0].assignment)
    opened = opener(task)
    only = None if task.cases[0].kind == "reference" else task.cases[0].affected(assignment)
    margins: Margins = {}
    wrong = []
    for seed in task.seeds:

        def observer(ratio: float, seed: int = seed) -> None:
            margin = Margin(ratio, task.cases[0].name, task.backend, seed)
            merge(margins, {(assignment.id, numeric.running()): margin})

        with numeric.observed(observer):
            result = prove.grade_case(task.cases[0], opened, only, seed)
        if problem := claims.everything(result):
            wrong.append(
                f"{assignment.id} {task.cases[0].name} ({task.backend}, {seed}): {problem}"
            )
    return Found(margins, wrong, len(task.seeds))


def merge(into: Margins, margins: Margins) -> None:
    """Keep the worse margin for each key."""
    for key, margin in margins.items():
        if key not in into or margin.ratio > into[key].ratio:
            into[key] = margin


def too_wide(margins: Margins) -> list[str]:
    """A line for each test in which a correct answer uses too much of the tolerance."""
    return [
        f"{id} {test}: {margin.ratio:.3f} of the tolerance, {margin.case} "
        f"({margin.backend}, seed {margin.seed})"
        for (id, test), margin in sorted(margins.items())
        if margin.ratio > MAX_RATIO
    ]

"""Feeds generated inputs to what reads untrusted bytes on the trusted side of the grader.

    PYTHONPATH=.:tests python tests/fuzzing/fuzz.py --inputs 100000

Hypothesis generates them. Each target answers with a value or with one of its documented
exceptions, in little time and memory; anything else is a finding. Every target has a process of its
own, so that a crash is one finding too. Writes results/fuzz.json.
"""

from __future__ import annotations

import faulthandler
import json
import math
import multiprocessing
import resource
import signal
import time
import warnings
from collections import Counter
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from dataclasses import asdict, dataclass, field
from typing import Annotated

import fuzz_answers
import fuzz_files
import fuzz_messages
import typer
from fuzz_mutation import Target
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import seed as seeded

app = typer.Typer()

# Every reader of untrusted bytes on the trusted side, by name.
MODULES = (fuzz_answers, fuzz_files, fuzz_messages)
TARGETS = {target.name: target for module in MODULES for target in module.TARGETS}

SECONDS = 5.0  # of CPU time for one input
STUCK = 180.0  # seconds of any kind after which a process is given up, with its traceback
AT_ONCE = 2_000  # inputs of one run of hypothesis, which gets slower the more it has seen
MEMORY = 3 * 2**30  # bytes that a target's process may have; torch takes most of the first one
GENERATED = settings(
    deadline=None,
    database=None,
    phases=[Phase.generate],
    suppress_health_check=list(HealthCheck),
)
SHOWN = 5  # findings kept of each target, with their inputs


class HangError(BaseException):
    """One input took more than SECONDS."""


@dataclass
class Found:
    """What one target did with its inputs."""

    target: str
    inputs: int = 0
    values: int = 0
    refused: dict[str, int] = field(default_factory=dict)  # by documented exception
    slowest: float = 0.0  # seconds of CPU time
    memory_mib: int = 0  # the most the process had
    failed: int = 0  # inputs with another exception, or that took too long
    findings: list[str] = field(default_factory=list)  # the first of these


def run(target: Target, inputs: int, seed: int) -> Found:
    """Feed a target this many inputs; the same ones for the same seed."""
    found, refused = Found(target.name), Counter[str]()

    def feed(given_input):
        found.inputs += 1
        started = time.process_time()
        signal.setitimer(signal.ITIMER_VIRTUAL, SECONDS)
        faulthandler.dump_traceback_later(STUCK, exit=True)  # also for what Python cannot interrupt
        try:
            target.feed(given_input)
            found.values += 1
        except target.documented as error:
            refused[type(error).__name__] += 1
        except (Exception, HangError) as error:
            found.failed += 1
            if len(found.findings) < SHOWN:
                found.findings.append(
                    f"{type(error).__name__}: {error!s:.200}; {given_input!r:.500}"
                )
        finally:
            signal.setitimer(signal.ITIMER_VIRTUAL, 0)
            faulthandler.cancel_dump_traceback_later()
            found.slowest = max(found.slowest, time.process_time() - started)

    before = signal.signal(signal.SIGVTALRM, _hang)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of zipfile, about names that are there twice
            for start in range(0, inputs, AT_ONCE):
                examples = settings(GENERATED, max_examples=min(AT_ONCE, inputs - start))
                seeded(seed + start)(examples(given(target.inputs)(feed)))()
    finally:
        signal.signal(signal.SIGVTALRM, before)
    found.refused = dict(sorted(refused.items()))
    found.memory_mib = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss >> 10
    return found


def _hang(*_: object) -> None:
    raise HangError(f"no answer within {SECONDS:g} s of CPU time")


def _run(name: str, inputs: int, seed: int) -> Found:
    return run(TARGETS[name], inputs, seed)


def in_process(name: str, inputs: int, seed: int) -> Found:
    """The same in a new process with limited memory; a crash is a finding."""
    forked = multiprocessing.get_context("fork")  # all is imported already
    limits = (resource.RLIMIT_DATA, (MEMORY, MEMORY))
    with ProcessPoolExecutor(1, forked, resource.setrlimit, limits) as pool:
        try:
            return pool.submit(_run, name, inputs, seed).result()
        except BrokenProcessPool as error:
            return Found(name, failed=1, findings=[f"{error}"])


@app.command()
def main(
    inputs: Annotated[int, typer.Option(help="of all targets together")] = 100_000, seed: int = 0
) -> None:
    """Feed generated inputs to what reads untrusted bytes on the trusted side of the grader."""
    every = []
    for name in TARGETS:
        every.append(in_process(name, math.ceil(inputs / len(TARGETS)), seed))
        print(json.dumps(asdict(every[-1])), flush=True)
        _write(every, f"--inputs {inputs} --seed {seed}")


def _write(every: list[Found], options: str) -> None:
    """The results of the targets that are done."""
    from grader.authoring import results_file

    measures = {
        f"{found.target}: {what}": results_file.measure(unit, [value])
        for found in every
        for what, unit, value in (
            ("inputs", "inputs", found.inputs),
            ("accepted", "inputs", found.values),
            ("failed", "inputs", found.failed),
            ("slowest", "s", found.slowest),
            ("memory", "MiB", found.memory_mib),
        )
    }
    results_file.write(
        "fuzz",
        f"python tests/fuzzing/fuzz.py {options}",
        measures,
        {"name": "generated inputs", "source": "tests/fuzzing"},
        {
            "inputs": sum(found.inputs for found in every),
            "refused": {found.target: found.refused for found in every},
            "findings": {found.target: found.findings for found in every},
        },
    )


if __name__ == "__main__":
    app()

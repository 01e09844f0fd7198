"""Feeds generated inputs to what reads untrusted bytes on the trusted side of the grader.

    PYTHONPATH=. python tests/fuzz.py --inputs 100000

Each target answers with a value or with one of its documented exceptions, in little time and
memory; anything else is a finding. Every target has a process of its own, so that a crash is one
finding too. Writes results/fuzz.json.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import resource
import signal
import time
from collections import Counter
from dataclasses import asdict, dataclass, field

from fuzz_targets import TARGETS, Target
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import seed as seeded

SECONDS = 5.0  # of CPU time for one input
MEMORY = 3 * 2**30  # bytes that a target's process may have; torch takes most of the first one
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
    findings: list[str] = field(default_factory=list)


def run(target: Target, inputs: int, seed: int) -> Found:
    """Feed a target this many inputs; the same ones for the same seed."""
    found, refused = Found(target.name), Counter[str]()

    @seeded(seed)
    @settings(
        max_examples=inputs,
        deadline=None,
        database=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(target.inputs)
    def feed(given_input):
        found.inputs += 1
        started = time.process_time()
        signal.setitimer(signal.ITIMER_VIRTUAL, SECONDS)
        try:
            target.feed(given_input)
            found.values += 1
        except target.documented as error:
            refused[type(error).__name__] += 1
        except (Exception, HangError) as error:
            if len(found.findings) < SHOWN:
                found.findings.append(
                    f"{type(error).__name__}: {error!s:.200}; {given_input!r:.500}"
                )
        finally:
            signal.setitimer(signal.ITIMER_VIRTUAL, 0)
            found.slowest = max(found.slowest, time.process_time() - started)

    before = signal.signal(signal.SIGVTALRM, _hang)
    try:
        feed()
    finally:
        signal.signal(signal.SIGVTALRM, before)
    found.refused = dict(sorted(refused.items()))
    found.memory_mib = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss >> 10
    return found


def _hang(*_: object) -> None:
    raise HangError(f"no answer within {SECONDS:g} s of CPU time")


def _in_process(name: str, inputs: int, seed: int, answers) -> None:
    resource.setrlimit(resource.RLIMIT_DATA, (MEMORY, MEMORY))
    answers.send(asdict(run(TARGETS[name], inputs, seed)))


def in_process(name: str, inputs: int, seed: int) -> Found:
    """The same in a new process with limited memory; a crash is a finding."""
    context = multiprocessing.get_context("spawn")
    ours, theirs = context.Pipe(duplex=False)
    process = context.Process(target=_in_process, args=(name, inputs, seed, theirs))
    process.start()
    theirs.close()
    try:
        return Found(**ours.recv())
    except EOFError:
        process.join()
        return Found(name, findings=[f"the process ended with code {process.exitcode}"])


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    options.add_argument("--inputs", type=int, default=100_000, help="of all targets together")
    options.add_argument("--seed", type=int, default=0)
    chosen = options.parse_args()
    from autograder.bench import results_file

    every = []
    for name in TARGETS:
        every.append(in_process(name, chosen.inputs // len(TARGETS), chosen.seed))
        print(json.dumps(asdict(every[-1])), flush=True)
    measures = {}
    for found in every:
        measures[f"{found.target}: inputs"] = results_file.measure("inputs", [found.inputs])
        measures[f"{found.target}: values"] = results_file.measure("inputs", [found.values])
        measures[f"{found.target}: slowest"] = results_file.measure("s", [found.slowest])
        measures[f"{found.target}: memory"] = results_file.measure("MiB", [found.memory_mib])
    path = results_file.write(
        "fuzz",
        f"python tests/fuzz.py --inputs {chosen.inputs} --seed {chosen.seed}",
        measures,
        {"name": "generated inputs", "source": "tests/fuzz_targets.py"},
        {"findings": {found.target: found.findings for found in every}},
    )
    print(path)


if __name__ == "__main__":
    main()

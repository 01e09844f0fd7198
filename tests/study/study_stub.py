"""A task whose steps take as long as one likes, and a worker process that runs it."""

import argparse
import os
import resource
import signal
import sys
import threading
import time
from pathlib import Path

import optuna
from torch import nn

from course_study.database.plan import Plan
from course_study.database.rows import rows
from course_study.database.run import run_workers
from course_study.database.storage import StudyError, storage
from course_study.database.worker import work
from course_study.space import DEFAULT
from course_study.trial import attempt, run_trial


def run_here(opened, task=None, trial=run_trial, **options):
    """Work on the stub's study in this process; the sentence at the end."""
    return work(opened, "stub", task or Stub(), trial, attempt, **options)


def statuses(study):
    return sorted(row["status"] for row in rows(study))


def in_threads(attempt, count):
    """Do it in several threads at once; what they raise."""
    failures = []

    def attempted():
        try:
            attempt()
        except Exception as error:
            failures.append(error)

    threads = [threading.Thread(target=attempted) for _ in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return failures


def noted(log, what):
    """The points that some worker began or ended, and the workers' process ids."""
    lines = [line.split() for line in log.read_text().splitlines()] if log.exists() else []
    lines = [line for line in lines if line[0] == what]
    return [tuple(line[2:]) for line in lines], [int(line[1]) for line in lines]


def until(condition, seconds=300):
    limit = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < limit, "it did not come to that"
        time.sleep(0.05)


class Stub:
    """Four steps that measure nothing; `seconds` is what each of them takes."""

    measure, n_steps, evaluate_every, untimed_steps = "points", 4, 2, 1

    def __init__(self, seconds=0.0, log=None):
        self.seconds, self.log, self.clock = seconds, log, time.perf_counter

    def model(self, configuration):
        return nn.Linear(2, 2)

    def training(self, model, configuration, seed):
        self.note("begin", configuration, seed)
        for step in range(self.n_steps):
            time.sleep(self.seconds)
            if step == self.n_steps - 1:
                self.note("end", configuration, seed)
            yield {"loss": 1.0, "tokens": 10}

    def validate(self, model):
        return {"quality": 50.0 + 1 / 3, "loss": 0.1 + 0.2}

    def inference(self, model):
        return {"inferences_per_second": 1e-17 / 3}

    def note(self, what, configuration, seed):
        if self.log:
            with Path(self.log).open("a") as stream:
                stream.write(f"{what} {os.getpid()} {configuration['warmup']} {seed}\n")


def plan(n_seeds=4, name="stub"):
    """A study of three points a seed."""
    points = [{**DEFAULT, "warmup": warmup} for warmup in (1000, 4000, 10_000)]
    return Plan.of(name, "tiny", {"made up": points}, range(n_seeds))


def command(url, **options):
    """The command of a worker process."""
    flags = [f"--{name}={value}" for name, value in options.items()]
    return [sys.executable, __file__, url, "stub", *flags]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("url")
    parser.add_argument("name")
    parser.add_argument("--seconds", type=float, default=0.0)
    parser.add_argument("--log")
    parser.add_argument("--grace", type=int, default=15)
    parser.add_argument("--limit", type=int)
    parser.add_argument("--workers", type=int, default=0)
    given = parser.parse_args()
    optuna.logging.set_verbosity(optuna.logging.ERROR)
    signal.signal(signal.SIGINT, signal.default_int_handler)  # ignored, if started with `&`
    if given.limit:
        resource.setrlimit(resource.RLIMIT_FSIZE, (given.limit, given.limit))
    try:
        opened = storage(given.url, given.grace)
        if given.workers:
            options = {"seconds": given.seconds, "log": given.log, "grace": given.grace}
            started = command(given.url, **options)
            run_workers(
                opened, given.name, started, given.workers, lambda line: print(line, flush=True)
            )
        else:
            signal.signal(signal.SIGTERM, signal.default_int_handler)
            work(opened, given.name, Stub(given.seconds, given.log), run_trial, attempt)
    except StudyError as error:
        print(error, file=sys.stderr)
        return error.exit_code
    except KeyboardInterrupt:
        return 130
    return 0


if __name__ == "__main__":
    sys.exit(main())

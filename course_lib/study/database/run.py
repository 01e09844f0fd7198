"""A study on this machine: several worker processes on one database, replaced when they die."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence

from optuna.storages import RDBStorage
from optuna.trial import TrialState

from .storage import GRACE, StudyError, open_study, sentences
from .worker import waiting

POLL = 0.5  # seconds


def run_workers(
    opened: RDBStorage,
    name: str,
    command: Sequence[str],
    n_workers: int,
    log: Callable[[str], None],
) -> None:
    """Run `command` as `n_workers` processes until no trial of the study `name` is left.

    A worker that is killed is replaced, and the trial it had is queued again once its heartbeat is
    old. Raises StudyError when a worker ends by itself with an error (its last line is the
    sentence); SIGTERM and Ctrl-C end the workers too.
    """
    study = open_study(opened, name)
    workers: list[_Worker] = []
    previous = signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    try:
        while True:
            with sentences(opened.url):
                queued = waiting(study)
                running = study.get_trials(deepcopy=False, states=(TrialState.RUNNING,))
            for worker in [w for w in workers if w.poll() is not None]:
                workers.remove(worker)
                if worker.returncode > 0:
                    raise StudyError(worker.last_line())
                if worker.returncode < 0:
                    log(f"a worker was ended by {_signal(worker)}; its trial will be run again")
            if not queued and not running:
                break
            if queued and len(workers) < n_workers:
                workers.append(_Worker(command))
            elif not workers and running:
                log(f"waiting for a trial of another worker (at most {GRACE} s if it is dead)")
                time.sleep(GRACE / 3)
            time.sleep(POLL)
        for worker in workers:
            worker.wait()
    finally:
        signal.signal(signal.SIGTERM, previous)
        for worker in workers:
            if worker.poll() is None:
                worker.kill()
                worker.wait()


class _Worker(subprocess.Popen):
    """A worker process; what it writes to stderr goes to a file, which never fills up."""

    def __init__(self, command: Sequence[str]) -> None:
        self.errors = tempfile.TemporaryFile("w+", encoding="utf-8")  # noqa: SIM115
        environment = {**os.environ, "OMP_NUM_THREADS": "1"}
        super().__init__(command, stderr=self.errors, env=environment)

    def last_line(self) -> str:
        self.errors.seek(0)
        lines = self.errors.read().strip().splitlines()
        return lines[-1] if lines else f"a worker ended with exit code {self.returncode}"


def _signal(worker: _Worker) -> str:
    try:
        return signal.Signals(-worker.returncode).name
    except ValueError:
        return f"signal {-worker.returncode}"

"""A study on this machine: several worker processes on one database, replaced when they die."""

import os
import signal
import subprocess
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

import optuna
from optuna.storages import RDBStorage
from optuna.trial import FrozenTrial, TrialState

from ..trial import Row
from .plan import OPEN, settled
from .storage import GRACE, RETRIES, StudyError, open_study, study_errors
from .worker import waiting

POLL = 0.5  # seconds
PATIENCE = 30  # seconds that a worker is given to put its trial back


class WorkerError(StudyError):
    """A worker that ended by itself: its last words, and the exit code it chose."""

    def __init__(self, words: str, exit_code: int) -> None:
        super().__init__(words)
        self.exit_code = exit_code


def run_workers(
    opened: RDBStorage,
    name: str,
    command: Sequence[str],
    n_workers: int,
    log: Callable[[str], None],
) -> None:
    """Run `command` as `n_workers` processes until no trial of the study `name` is left.

    `log` is given a line for each trial that ends and each worker that dies. A worker that is
    killed is replaced, and the trial it had is queued again once its signs of life are old. Ctrl-C
    and SIGTERM end the workers too, which put their trials back; only SIGKILL leaves them, and then
    they continue until the queue is empty. Raises WorkerError when a worker ends by itself with an
    error, and StudyError when the database is not to be had, or when workers only die.
    """
    study = open_study(opened, name)
    with interruptible(), _workers() as workers, study_errors(opened.url):
        progress, deaths = Progress(study), 0
        while True:
            queued = waiting(study, opened.grace_period or GRACE)
            deaths += _remove_ended(workers, log)
            lines = progress.lines()
            deaths = 0 if lines else deaths
            for line in lines:
                log(line)
            if deaths > (RETRIES + 1) * n_workers:
                raise StudyError(f"{deaths} workers died, one after another, and no trial ended")
            if queued and len(workers) < n_workers:
                workers.append(_Worker(command))
            running = study.get_trials(deepcopy=False, states=(TrialState.RUNNING,))
            if not (queued or running or workers):
                break
            time.sleep(POLL)


def _remove_ended(workers: "list[_Worker]", log: Callable[[str], None]) -> int:
    """Take those that ended out of the list; how many were killed. Raises WorkerError."""
    killed = 0
    for worker in [w for w in workers if w.poll() is not None]:
        workers.remove(worker)
        if worker.returncode > 0:
            raise WorkerError(worker.last_words(), worker.returncode)
        if worker.returncode < 0:
            killed += 1
            log(f"a worker was ended by {_signal(worker)}; its trial will be run again")
    return killed


@contextmanager
def _workers() -> "Iterator[list[_Worker]]":
    """A list for workers, which end when this process leaves the block."""
    workers: list[_Worker] = []
    try:
        yield workers
    finally:
        for worker in workers:
            worker.terminate()
        for worker in workers:
            try:
                worker.wait(PATIENCE)
            except subprocess.TimeoutExpired:
                worker.kill()
                worker.wait()


class _Worker(subprocess.Popen):
    """A worker process; what it writes to stderr goes to a file, which never fills up.

    It has a session of its own: Ctrl-C reaches this process alone, which ends its workers.
    """

    def __init__(self, command: Sequence[str]) -> None:
        self.words = tempfile.TemporaryFile("w+", encoding="utf-8")  # noqa: SIM115
        super().__init__(
            command,
            stdout=subprocess.DEVNULL,
            stderr=self.words,
            env={**os.environ, "OMP_NUM_THREADS": "1"},
            start_new_session=True,
        )

    def last_words(self) -> str:
        """Its traceback, if there is one, else its last line."""
        self.words.seek(0)
        text = self.words.read().strip()
        if "Traceback" in text:
            return text
        return text.splitlines()[-1] if text else f"a worker ended with code {self.returncode}"


def _signal(worker: _Worker) -> str:
    try:
        return signal.Signals(-worker.returncode).name
    except ValueError:
        return f"signal {-worker.returncode}"


@contextmanager
def interruptible() -> Iterator[None]:
    """Inside, SIGTERM raises KeyboardInterrupt as Ctrl-C does; only the main thread gets any."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


class Progress:
    """Which trials of a study ended since it was last asked, on whichever machine they ran."""

    def __init__(self, study: optuna.Study) -> None:
        self.study = study
        self.seen = {t.number for t in study.get_trials(deepcopy=False) if t.state not in OPEN}

    def lines(self) -> list[str]:
        """One line for each of them, with how many points of how many are done."""
        trials = self.study.get_trials(deepcopy=False)
        ended = [t for t in trials if t.state not in OPEN and t.number not in self.seen]
        self.seen |= {trial.number for trial in ended}
        if not ended:
            return []
        n_points = len({t.user_attrs["key"] for t in trials if "key" in t.user_attrs})
        n_done = len(settled(self.study)) - sum("row" in trial.user_attrs for trial in ended)
        awaited = {t.user_attrs.get("key") for t in trials if t.state in OPEN}
        lines = []
        for trial in ended:
            n_done += "row" in trial.user_attrs
            if line := _line(trial, trial.user_attrs.get("key") in awaited):
                lines.append(f"[{n_done}/{n_points}] {line}")
        return lines


def described(row: Row, number: int) -> str:
    """A trial that ended, on one line."""
    sizes = f"{row['n_layers']} layers, {row['n_heads']} heads, dropout {row['dropout']}"
    rest = f"smoothing {row['label_smoothing']}, {row['schedule']}, warm-up {row['warmup']}"
    reached = f"{row['quality']:.2f}" if "quality" in row else row.get("reason", "")
    status = "" if row["status"] == "complete" else f"{row['status']} "
    line = f"trial {number}: {sizes}, {rest}, seed {row['seed']}: {status}{reached}"
    return f"{line.rstrip()} ({row['seconds']:.1f} s)"


def _line(trial: FrozenTrial, is_queued_again: bool) -> str:
    if "row" in trial.user_attrs:
        return described(trial.user_attrs["row"], trial.number)
    if "key" not in trial.user_attrs or "superseded" in trial.user_attrs:
        return ""
    what = "it is queued again" if is_queued_again else "it was tried often enough"
    worker = trial.user_attrs.get("worker", "that had just taken it")
    return f"trial {trial.number} was lost with its worker {worker}: {what}"

"""Runs an assignment's tests on a notebook in a process of their own, and watches over it.

A test that hangs or ends its process costs only itself and what builds on its exercise: the other
tests go on in a new process.
"""

from __future__ import annotations

import json
import os
import queue
import subprocess
import sys
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ..checking.messages import Message
from ..checking.raised import explain
from ..course.course import Assignment, root_of
from ..seam import StudentError
from ..seam.errors import CRASHED, TIMEOUT
from .problem import Problem, missing_package
from .root import search_path
from .work import Work

SECONDS = 60.0  # for one test; right answers take far less than one
START_SECONDS = 300.0  # to import libraries and load the definitions


@dataclass(frozen=True)
class Tested:
    """One test and what it found; `message` is None if it passed."""

    id: str
    exercise: str
    title: str
    message: Message | None


@dataclass
class Run:
    """What all tests of a notebook found, in their order, and statements that did not load."""

    tests: list[Tested] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)

    def of(self, exercise: str) -> list[tuple[str, Message | None]]:
        """Title and message of each test of an exercise."""
        return [(test.title, test.message) for test in self.tests if test.exercise == exercise]

    def passes(self, exercise: str) -> bool:
        found = self.of(exercise)
        return bool(found) and all(message is None for _, message in found)


def run(
    work: Work,
    hidden: Path | None = None,
    model: bool = False,
    seconds: float = SECONDS,
    start_seconds: float = START_SECONDS,
) -> Run:
    """Run the visible tests, and those in the folder `hidden`. Raises Problem.

    `model`: try the trained model beside the notebook, too. `seconds`: for one test;
    `start_seconds`: until the first one begins.
    """
    facts: list[list[str]] = []
    found: dict[str, Message | None] = {}
    problems: list[str] = []
    while not facts or len(found) < len(facts):
        left = [id for id, *_ in facts if id not in found] if facts else None
        job = {
            "assignment": work.assignment.id,
            "notebook": str(work.path.resolve()),
            "hidden": str(hidden) if hidden else None,
            "tests": left,
            "model": model,
        }
        began = ""
        try:
            for line in _lines(job, work.path.parent, seconds, start_seconds):
                facts = line.get("tests", facts)
                problems = line.get("problems", problems)
                began = line.get("begins", began)
                if "ends" in line:
                    message = line["message"]
                    found[line["ends"]] = Message(**message) if message else None
        except StudentError as error:
            if not began or began in found:
                raise Problem(
                    f"{work.path}: its definitions cannot be loaded ({error.message}): look for "
                    "a loop, `input()` or `exit()` in the cells that define functions"
                ) from None
            _give_up(work.assignment, facts, began, error, found)
        if not facts:
            raise Problem(f"{work.assignment.folder}: there are no visible tests")
    tests = [Tested(id, exercise, title, found[id]) for id, exercise, title in facts]
    return Run(tests, list(dict.fromkeys(problems)))


def _give_up(
    assignment: Assignment,
    facts: list[list[str]],
    began: str,
    error: StudentError,
    found: dict[str, Message | None],
) -> None:
    """Fill in the test that failed, and what of its exercise and those after it was not run."""
    exercise = next(of for id, of, _ in facts if id == began)
    found[began] = explain(error, assignment.exercise(exercise).names)
    skipped = {exercise, *assignment.downstream(exercise)}
    for id, of, _ in facts:
        if of in skipped and id not in found:
            what = "took too long" if error.kind == TIMEOUT else "ended the process"
            why = StudentError(
                error.kind, f"not run: an earlier call of exercise {exercise} {what}"
            )
            found[id] = explain(why, assignment.exercise(of).names)


def _lines(
    job: dict[str, Any], folder: Path, seconds: float, start_seconds: float
) -> Iterator[dict[str, Any]]:
    """What the process says. Raises StudentError if it hangs or dies, Problem if it cannot work."""
    process = subprocess.Popen(
        [sys.executable, "-m", f"{__package__}.tests_process"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        cwd=folder,
        env=os.environ | {"PYTHONPATH": search_path(root_of(Path.cwd())), "MPLBACKEND": "Agg"},
    )
    assert process.stdin is not None
    assert process.stdout is not None
    assert process.stderr is not None
    said: queue.Queue[bytes] = queue.Queue()
    threading.Thread(target=_forward, args=(process.stdout, said), daemon=True).start()
    try:
        process.stdin.write(json.dumps(job).encode())
        process.stdin.close()
        limit = start_seconds
        while True:
            try:
                line = said.get(timeout=limit)
            except queue.Empty:
                raise StudentError(TIMEOUT, f"none within {limit:g} seconds") from None
            if not line:
                break
            told = json.loads(line)
            yield told
            if told.get("done"):
                return
            limit = seconds if {"begins", "ends"} & told.keys() else start_seconds
        code = process.wait()
        errors = process.stderr.read().decode("utf-8", "replace").strip()
        if code and errors:  # from before the notebook's code began, so not by it
            raise Problem(_reason(errors.splitlines()[-1]))
        raise StudentError(CRASHED, f"exit code {code}")
    finally:
        process.kill()
        process.wait()
        process.stdout.close()
        process.stderr.close()


def _forward(stream: Any, said: queue.Queue[bytes]) -> None:
    try:
        for line in stream:
            said.put(line)
    except ValueError:
        pass  # closed, as the process was given up
    said.put(b"")


def _reason(last_line: str) -> str:
    if "ModuleNotFoundError: No module named " in last_line:
        return missing_package(last_line.rpartition(" ")[2].strip("'\""))
    return f"the tests cannot be run: {last_line}"

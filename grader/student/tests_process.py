"""The process in which the tests meet the notebook's functions; see `running`.

Reads a job from stdin as JSON, `{"assignment", "notebook", "hidden", "tests", "model"}`, and writes
JSON lines: `{"tests": [[id, exercise, title], …]}`, then for each test of the job `{"begins": id}`
and `{"ends": id, "message": …}`, and at last `{"done": true}`. What the notebook's own code prints
is dropped.
"""

from __future__ import annotations

import contextlib
import io
import json
import os
import sys
from dataclasses import asdict
from pathlib import Path
from typing import Any

from ..checking import session
from ..checking.faults import SuiteError
from ..checking.raised import explain
from ..checking.suite import read_tests
from ..course.course import Course
from ..notebook.verdicts import decided
from ..seam import Student
from ..seam.executor import Executor
from ..seam.loading import load
from ..seam.local import LocalBackend
from . import model_trial, work


def main() -> None:
    job = json.load(sys.stdin)
    channel = os.fdopen(os.dup(1), "w", encoding="utf-8")

    def tell(line: dict[str, Any]) -> None:
        channel.write(json.dumps(line) + "\n")
        channel.flush()

    assignment = Course.here().assignment(job["assignment"])
    if job["hidden"]:
        sys.path.insert(0, str(Path(job["hidden"]).parents[2]))  # they import `autograder.suites`
    files = session.suite_files(assignment, Path(job["hidden"]) if job["hidden"] else None)
    tests = [(path, test) for path in files for test in read_tests(path)]
    trial = [model_trial.described(assignment)] if job["model"] else []
    listed = [[test.id, test.mark.exercise, test.mark.title] for _, test in tests]
    tell({"tests": [*listed, *trial]})
    done = work.read(assignment, Path(job["notebook"]))
    collected = done.collected
    nowhere = os.open(os.devnull, os.O_WRONLY)
    for output in (1, 2):
        os.dup2(nowhere, output)
    statements = [asdict(statement) for statement in collected.statements]
    namespace, unavailable, problems = load(
        {"statements": statements, "unavailable": collected.unavailable, "substitutes": []}
    )
    tell({"problems": [problem["reason"] for problem in problems]})
    student = Student(LocalBackend(Executor(namespace, unavailable)))
    handed_in = {name: path.read_bytes() for name, path in done.files.items()}
    verdicts = decided(assignment, collected)
    for path, test in tests:
        if job["tests"] is not None and test.id not in job["tests"]:
            continue
        tell({"begins": test.id})
        try:
            [result] = session.run(
                assignment,
                student,
                files=[path],
                only=[test.id],
                verdicts=verdicts,
                handed_in=handed_in,
            )
            message = result.message
        except SuiteError as error:
            message = explain(error, [])
        tell({"ends": test.id, "message": asdict(message) if message else None})
    if job["model"] and (job["tests"] is None or model_trial.ID in job["tests"]):
        assert assignment.model is not None
        tell({"begins": model_trial.ID})
        with contextlib.redirect_stdout(io.StringIO()):
            message = model_trial.message(student, assignment.model)
        tell({"ends": model_trial.ID, "message": asdict(message) if message else None})
    tell({"done": True})


if __name__ == "__main__":
    main()

"""What the proofs of the grader share: notebooks made from wrong and right sources, graded."""

import functools
from contextlib import contextmanager

from autograder.judge.grade import grade
from autograder.release import notebooks
from autograder.release.components import Component
from autograder.sandbox import loading
from course_lib import syllabus
from course_lib.seam.executor import Executor
from course_lib.seam.local import LocalBackend

COURSE = syllabus.load()


class LocalWorker(LocalBackend):
    """The student's code in this process: the second backend that every suite must run through."""

    isolation = {"tier": "local", "layers": {}}
    printed = ""
    unloadable = None


@contextmanager
def local_worker(load):
    namespace, unavailable, _ = loading.load(
        {
            "statements": [vars(statement) for statement in load.statements],
            "unavailable": load.unavailable,
            "substitutes": load.substitutes,
        }
    )
    executor = Executor(namespace, unavailable)
    try:
        yield LocalWorker(executor)
    finally:
        executor.rules.lift()


@functools.lru_cache(maxsize=8)
def built(id: str, view: str) -> str:
    return notebooks.dump(notebooks.build(COURSE, COURSE.assignment(id), view))


def notebook(id: str, view: str, replace: dict[str, str] | None = None) -> bytes:
    """A submission's bytes; `replace` maps components to other sources."""
    if not replace:
        return built(id, view).encode()
    made = notebooks.build(COURSE, COURSE.assignment(id), view, replace)
    return notebooks.dump(made).encode()


def wrong(id: str, bug) -> bytes:
    """The solution with one named bug."""
    source = bug.apply(Component.parse(bug.component).source)
    return notebook(id, "solution", {bug.component: source})


def graded(data: bytes, id: str, open_worker=local_worker, only=None) -> dict:
    return grade(data, COURSE, COURSE.assignment(id), open_worker, only)


def failing(result: dict) -> dict[str, dict]:
    """Failed tests by id, also those whose points were carried through."""
    tests = [test for entry in result["exercises"] for test in entry.get("tests", [])]
    return {test["id"]: test for test in tests if test["outcome"] != "PASSED"}


def exercise_of(result: dict, test_id: str) -> str:
    return next(
        entry["id"]
        for entry in result["exercises"]
        for test in entry.get("tests", [])
        if test["id"] == test_id
    )

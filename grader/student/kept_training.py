"""A training that survives a disconnect: its checkpoints stay until it has finished.

    with kept_training("3.10", settings) as folder:
        history = fit(model, batches, ..., folder=folder)

An interrupted training continues from its last save, seconds ago, when the cell is run again, also
in a new session. One that finished, or failed, is trained anew. So is whatever was
changed in the meantime: the folder is named after the settings, the cell, and the functions and
classes of the exercises.
"""

import hashlib
import inspect
import os
import shutil
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import CodeType
from typing import Any

from ..course.course import Course
from .notebook_home import RUNS


class Interrupted(KeyboardInterrupt):
    """A training that was stopped by hand: a notebook shows one sentence, not torch's traceback."""

    def __init__(self) -> None:
        super().__init__(
            "The training was interrupted. Run this cell again to continue from its last save, "
            "seconds ago (on Google Drive: minutes). After a restart, run all cells."
        )

    def _render_traceback_(self) -> list[str]:
        return [str(self)]


@contextmanager
def kept_training(exercise: str, settings: object) -> Iterator[Path]:
    """The folder for a training's checkpoints, which is removed unless the training is interrupted.

    It is below `runs`, or below the folder that `COURSE_RUNS` names. `settings` is anything whose
    `repr` tells trainings apart. Raises Interrupted for a KeyboardInterrupt.
    """
    folder = Path(os.environ.get(RUNS, "runs"), f"{exercise}-{_digest(exercise, settings)}")
    try:
        yield folder
    except KeyboardInterrupt:
        raise Interrupted from None
    except Exception:
        _remove(folder)
        raise
    _remove(folder)


def _remove(folder: Path) -> None:
    shutil.rmtree(folder, ignore_errors=True)
    if folder.parent.is_dir() and not any(folder.parent.iterdir()):
        folder.parent.rmdir()


def _digest(exercise: str, settings: object) -> str:
    """A short hash of what the training depends on, the same in every session of one Python."""
    assignment = Course.here().assignment_of(exercise)
    ids = [found.id for found in assignment.exercises]
    earlier = assignment.exercises[: ids.index(exercise) + 1]
    namespace = sys.modules["__main__"].__dict__
    cell = namespace.get("In", [""])[-1]  # IPython: the cell that runs
    written = [
        (name, _meaning(namespace[name]))
        for found in earlier
        for name in found.names
        if name in namespace
    ]
    return hashlib.sha256(repr((repr(settings), cell, written)).encode()).hexdigest()[:12]


def _meaning(thing: Any) -> Any:
    """A function's or class's code, without lines, comments and addresses."""
    if isinstance(thing, type):
        return [(n, _meaning(t)) for n, t in sorted(vars(thing).items()) if inspect.isfunction(t)]
    code = getattr(inspect.unwrap(thing), "__code__", None) if callable(thing) else None
    return _of_code(code) if code else ""


def _of_code(code: CodeType) -> tuple[Any, ...]:
    constants = [_of_code(c) if isinstance(c, CodeType) else _constant(c) for c in code.co_consts]
    return (code.co_code, code.co_names, code.co_varnames, constants)


def _constant(constant: Any) -> str:
    """As `repr`, but with the members of a set in order."""
    return repr(sorted(map(repr, constant)) if isinstance(constant, frozenset) else constant)

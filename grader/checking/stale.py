"""Says when a check tests other code than the student sees, or than will run in the grader.

Three versions of a definition can differ: the one in the saved notebook, the one that was run
last, and the one in the kernel's memory, which a check tests. The newest is the saved one if the
file has changed since its cell was run, otherwise the one that was run last: a student who types,
runs and checks has not saved yet, and nothing is wrong.
"""

import ast
import inspect
import linecache
import os
import re
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..course.assignment import Assignment
from ..course.course import Course
from ..notebook import notebook_file
from ..notebook.collect import collect
from ..notebook.foreign_imports import foreign_imports
from ..notebook.notebook_file import Cell
from ..notebook.statements import sort_cell

INVALID = "not valid Python"  # instead of the version of a definition
ABSENT = "there is no `{name}` in this session yet. Run the cell that defines it; keep this name."
BROKEN = "the cell of `{name}` has a syntax error. Run it to see the line, and repair it."
FAILED = "the cell of `{name}` stopped with an error before it defined `{name}`. Repair and run it."
OLD = "This check tested the version before."
EDITED = (
    "`{name}` was edited after its cell was last run, so this check tested the old version. "
    "Run the cell, then check again."
)


@dataclass(frozen=True)
class _Run:
    """A cell that was run, and the state that the notebook's file had then."""

    source: str
    state: tuple[int, int] | None


_runs: list[_Run] = []  # the first stands for what was run before `watch`


def watch() -> None:
    """Note from now on which cells this kernel runs; without a kernel, nothing happens."""
    running = shell()
    if running is None or _runs:
        return
    _note("")
    running.events.register("pre_run_cell", lambda info: _note(info.raw_cell))


def sentences(names: list[str], namespace: dict[str, Any]) -> list[str]:
    """One sentence for each definition that is missing, or not the newest one."""
    path = notebook_path(namespace)
    saved = _cells(path)
    return [text for name in names if (text := _sentence(name, namespace, saved, _state(path)))]


def unsaved(names: list[str], namespace: dict[str, Any], path: Path) -> list[str]:
    """The names whose newest version was run, but is not in the notebook's file at `path`."""
    saved, state = _cells(path), _state(path)
    return [
        name
        for name in names
        if state == _last_run(name).state
        and (tested := _tested(namespace.get(name), name))
        and tested not in _versions(saved, name)
    ]


def notebook_path(namespace: dict[str, Any]) -> Path | None:
    """The open notebook's file, if the front end reports it (Jupyter, VS Code); otherwise None."""
    for place in (os.environ.get("JPY_SESSION_NAME"), namespace.get("__vsc_ipynb_file__")):
        if place and Path(place).suffix == ".ipynb" and Path(place).exists():
            return Path(place)
    return None


def _sentence(
    name: str, namespace: dict[str, Any], saved: list[str], state: tuple[int, int] | None
) -> str:
    run = _last_run(name)
    ran = _versions([run.source], name)
    newer = _versions(saved, name) if state != run.state else []
    newest = (newer or ran or [""])[-1]
    exists, tested = name in namespace, _tested(namespace.get(name), name)
    if exists and (not newest or not tested or tested in (newer or ran)):
        return ""
    if newest == INVALID or newest in ran:
        reason = BROKEN if newest == INVALID else FAILED
        return reason.format(name=name) + (f" {OLD}" if exists else "")
    return (EDITED if exists else ABSENT).format(name=name)


def shell() -> Any:
    """The running IPython shell, or None; IPython is not imported for it."""
    found = sys.modules.get("IPython")
    return found.get_ipython() if found else None


def _note(source: str) -> None:
    _runs.append(_Run(source, _state(notebook_path(vars(sys.modules["__main__"])))))


def _last_run(name: str) -> _Run:
    """The last cell that was run and defines `name`, or else the first note."""
    found = (run for run in reversed(_runs) if _versions([run.source], name))
    return next(found, _runs[0] if _runs else _Run("", None))


def _state(path: Path | None) -> tuple[int, int] | None:
    try:
        status = path.stat() if path else None
    except OSError:
        return None
    return status and (status.st_mtime_ns, status.st_size)


def _cells(path: Path | None) -> list[str]:
    try:
        cells = notebook_file.read(path.read_bytes()) if path else []
    except (OSError, notebook_file.InvalidNotebook):
        return []  # only a hint is lost: the check itself must not fail on an unreadable file
    return [cell.source for cell in cells if cell.kind == "code"]


def _versions(sources: list[str], name: str) -> list[str]:
    """The syntax tree of every definition of `name`, in order; INVALID where it does not parse."""
    found = []
    for source in sources:
        if name not in source:
            continue
        cell = sort_cell(Cell(0, "code", _transformed(source)))
        if name in cell.broken:
            found.append(INVALID)
        found += [
            ast.dump(one.node)
            for one in cell.found
            if one.kind in ("definition", "stub") and name in one.statement.names
        ]
    return found


def _transformed(source: str) -> str:
    """The cell as IPython compiles it, with calls for magics."""
    try:
        return str(running.transform_cell(source)) if (running := shell()) else source
    except SyntaxError:
        return source


def _tested(thing: Any, name: str) -> str:
    """The version that is in the kernel's memory, or "" if it is not from a cell."""
    for code in _codes(thing):
        if not os.path.exists(code.co_filename):  # IPython's names for cells are of no files
            lines = linecache.getlines(code.co_filename)
            if versions := _versions(["".join(lines)], name):
                return versions[-1]
    return ""


def _codes(thing: Any) -> Iterator[Any]:
    """The compiled code of a function, or of each method of a class."""
    for one in vars(thing).values() if inspect.isclass(thing) else [thing]:
        if code := getattr(inspect.unwrap(one), "__code__", None):
            yield code


def about_packages(
    assignment: Assignment, names: Sequence[str], namespace: dict[str, Any]
) -> list[str]:
    """One sentence for each import that `names` need, by the number beside the cell that ran."""
    run = [text if isinstance(text, str) else "" for text in namespace.get("In", [])]
    cells = [Cell(number, "code", text) for number, text in enumerate(run)]
    found = foreign_imports(Course.here(), assignment, collect(cells, names), names)
    return [re.sub(r"^cell (\d+)", r"cell [\1]", why) for why in dict.fromkeys(found.values())]

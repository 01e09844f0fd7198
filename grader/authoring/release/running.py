"""Runs the notebooks of a finished release, each in a kernel of its own, before it is written.

Starters run from top to bottom while nothing is written: what needs an answer is skipped or stops
at the stub. Copies of a notebook and executed solutions are not run.
"""

import ast
import os
import re
import subprocess
import tempfile
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

from grader.student.notebook_home import PROFILE

from . import folder
from .imports import Fault, bound

SECONDS = 120  # per cell; one that takes longer, because it trains, ends the run of its notebook
SMALLEST = "tiny"  # the profile that loads data and trains within seconds, if a course has one
SOLUTIONS = "solutions"  # a folder of executed notebooks
STOPS = ("NotImplementedError", "KeyboardInterrupt")  # a stub, and the end of a cell's time


@dataclass(frozen=True)
class Run:
    """The result of running one notebook; `until` is the cell that took too long, or 0."""

    notebook: str
    faults: list[Fault] = field(default_factory=list)
    until: int = 0


def run_all(files: Mapping[str, bytes]) -> list[Run]:
    """The runs of a release's notebooks, several at a time."""
    chosen = _chosen(files)
    with tempfile.TemporaryDirectory(prefix="course-release-") as place:
        tree = Path(place).resolve() / "course"
        folder.put(dict(files), tree)
        with ThreadPoolExecutor(max_workers=os.cpu_count()) as pool:
            return list(pool.map(partial(_run, tree), chosen))


def _chosen(files: Mapping[str, bytes]) -> list[str]:
    """The notebooks to run: of equal ones, the one nearest to the root."""
    paths = [path for path in files if path.endswith(".ipynb") and SOLUTIONS not in path.split("/")]
    deepest_first = sorted(paths, key=lambda path: (-path.count("/"), path))
    return sorted({files[path]: path for path in deepest_first}.values())


def _run(tree: Path, name: str) -> Run:
    import nbclient
    import nbformat

    notebook = nbformat.read(tree / name, as_version=4)
    client = nbclient.NotebookClient(
        notebook,
        timeout=SECONDS,
        allow_errors=True,
        kernel_name="python3",
        resources={"metadata": {"path": str((tree / name).parent)}},
    )
    with tempfile.TemporaryDirectory(prefix="course-release-") as home:
        try:
            client.execute(env=_environment(home), stderr=subprocess.DEVNULL)
        except nbclient.exceptions.CellTimeoutError:
            begun = [n for n, cell in enumerate(notebook.cells, 1) if cell.get("execution_count")]
            return Run(name, _failures(name, notebook.cells), max(begun, default=1))
        except nbclient.exceptions.DeadKernelError:
            return Run(name, [Fault(name, "crashes its kernel")])
    return Run(name, _failures(name, notebook.cells))


def _environment(home: str) -> dict[str, str]:
    """The kernel's: one thread, nothing of the instructor's own, no package is installed."""
    kept = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    quiet = {"PYDEVD_DISABLE_FILE_VALIDATION": "1", "OMP_NUM_THREADS": "1"}
    return {**kept, **quiet, "IPYTHONDIR": home, "PIP_NO_INDEX": "1", PROFILE: SMALLEST}


def _failures(name: str, cells: list[Any]) -> list[Fault]:
    """The cells that failed, except at a stub, or for a name that a cell before failed to bind."""
    unbound, found = set[str](), list[Fault]()
    for number, cell in enumerate(cells, 1):
        for error in (o for o in cell.get("outputs", ()) if o["output_type"] == "error"):
            kind, why = error["ename"], error["evalue"]
            missing = re.match(r"name '(\w+)' is not defined", why) if kind == "NameError" else None
            if kind not in STOPS and not (missing and missing[1] in unbound):
                found.append(Fault(f"{name}, cell {number}", f"fails with {kind}: {why}"))
            unbound |= _names(cell.source)
    return found


def _names(source: str) -> set[str]:
    """The names that a cell's code binds."""
    try:
        body = ast.parse(source)
    except SyntaxError:
        return set()
    return {*bound(body)}

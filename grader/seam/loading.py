"""Executes a student's collected statements, one by one, in one namespace.

A statement that raises loses only the names it would have bound.
"""

import codeop
import linecache
import sys
import traceback
import types
from typing import Any

from . import forbidden
from .errors import text_of

MAX_REASON = 500

Tree = dict[str, Any]


def load(job: Tree) -> tuple[dict[str, Any], dict[str, str], list[Tree]]:
    """Return the namespace, the reason for each missing name, and every statement that failed.

    Executes `job["statements"]`, each `{cell, line, source, names}`, in order; then
    `job["substitutes"]`, the judge's source texts, which override names and count as cell 0.
    `job["unavailable"]` holds reasons known beforehand, `job["forbidden"]` what exercises forbid.
    """
    forbidden.find(job["forbidden"])  # before the student's code can put something else there
    student = types.ModuleType("student")
    sys.modules["student"] = student  # dataclasses and inspect look up a class's module
    unavailable: dict[str, str] = dict(job["unavailable"])
    problems = []
    _register_sources(job["statements"])
    compiler = _compiler()
    for statement in job["statements"]:
        reason = _execute(statement, student.__dict__, compiler, unavailable)
        if not reason:
            continue
        problems.append({"cell": statement["cell"], "reason": reason})
        for name in statement["names"]:
            if name not in student.__dict__:  # an earlier definition that worked still counts
                unavailable.setdefault(name, reason)
    for source in job["substitutes"]:
        given = {"cell": 0, "line": 1, "source": source}
        if reason := _execute(given, student.__dict__, _compiler(), unavailable):
            problems.append({"cell": 0, "reason": f"a substitute did not load: {reason}"})
    return student.__dict__, unavailable, problems


def _compiler() -> codeop.Compile:
    """IPython's base class: what is imported from `__future__` applies to later code, too."""
    compiler = codeop.Compile()
    compiler.flags = 0  # those for code that is still being typed
    return compiler


def _execute(
    statement: Tree, namespace: Tree, compiler: codeop.Compile, unavailable: dict[str, str]
) -> str:
    """Run one statement with its line numbers; returns why it failed, or ""."""
    filename = f"<cell {statement['cell']}>"
    source = "\n" * (statement["line"] - 1) + statement["source"]
    try:
        exec(compiler(source, filename, "exec"), namespace)
    except BaseException as error:
        if isinstance(error, NameError) and (cause := unavailable.get(error.name or "")):
            return cause  # that the name is missing is only what follows from it
        frames = traceback.extract_tb(error.__traceback__)
        lines = [frame.lineno for frame in frames if frame.filename == filename]
        line = lines[-1] if lines else getattr(error, "lineno", None) or statement["line"]
        text = text_of(error)
        reason = f"cell {statement['cell']}, line {line} raised {type(error).__name__}"
        return f"{reason}: {text}"[:MAX_REASON] if text else reason
    return ""


def _register_sources(statements: list[Tree]) -> None:
    """Make the cells readable for tracebacks and `inspect`; uncollected lines are empty."""
    cells: dict[int, list[str]] = {}
    for statement in statements:
        lines = cells.setdefault(statement["cell"], [])
        own = statement["source"].splitlines()
        first = statement["line"] - 1
        lines += [""] * (first + len(own) - len(lines))
        lines[first : first + len(own)] = own
    for cell, lines in cells.items():
        text = [line + "\n" for line in lines]
        linecache.cache[f"<cell {cell}>"] = (sum(map(len, text)), None, text, f"<cell {cell}>")

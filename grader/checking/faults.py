"""Mistakes in a suite's own code: told with file and line, and never charged to a student."""

import ast
import builtins
import re
import traceback
from collections.abc import Collection, Iterator
from pathlib import Path

from ..course.course_file import shown
from ..course.problem import Problem
from ..course.tree import root_of

# what may or may not run, depending on a student's answer
_CHOICES = (ast.For, ast.While, ast.If, ast.Try, ast.With, ast.Match)
_NAMED = (ast.FunctionDef, ast.ClassDef, ast.ExceptHandler, ast.MatchAs, ast.MatchStar)
_ELSEWHERE = "# noqa: F821"  # marks a line whose names exist where the student's code runs


class SuiteError(Problem):
    """A suite cannot be read, or a test's own code is wrong; one sentence with file and line."""


def at(path: Path, line: int, what: str) -> SuiteError:
    """The error at a line of a file, which is named as in the repository."""
    return SuiteError(f"{shown(path)}, line {line}: {what}: correct this line")


def in_reading(error: Exception, path: Path) -> SuiteError:
    """The error for an exception that importing a suite's file raised."""
    file, line = path, 1
    if isinstance(error, SyntaxError) and error.filename:
        file, line = Path(error.filename), error.lineno or 1
        return at(file, line, f"{type(error).__name__}: {error.msg}")
    ours = [path.parent, root_of(path.parent), Path(__file__).resolve().parents[1]]
    reached = False
    for frame, number in traceback.walk_tb(error.__traceback__):
        this = Path(frame.f_code.co_filename)
        reached = reached or this == path
        if reached and any(this.is_relative_to(folder) for folder in ours):
            file, line = this, number
    return at(file, line, f"{type(error).__name__}: {error}")


def check_names(path: Path, known: Collection[str]) -> None:
    """Raises SuiteError for a name that a file reads though it binds it nowhere.

    `known` are the names of its module.
    """
    text = path.read_text(encoding="utf-8")
    nodes, lines = list(ast.walk(ast.parse(text))), text.splitlines()
    bound = {*known, *dir(builtins)}
    bound |= {node.arg for node in nodes if isinstance(node, ast.arg)}
    bound |= {n.id for n in nodes if isinstance(n, ast.Name) and not isinstance(n.ctx, ast.Load)}
    bound |= {name for node in nodes for name in _bound(node)}
    unknown = [n for n in nodes if isinstance(n, ast.Name) and n.id not in bound]
    for node in sorted(unknown, key=lambda node: node.lineno):
        if _ELSEWHERE not in lines[node.lineno - 1]:
            raise at(path, node.lineno, f"the name {node.id!r} is not defined")


def _bound(node: ast.AST) -> Iterator[str]:
    if isinstance(node, ast.alias):
        yield node.asname or node.name.partition(".")[0]
    elif isinstance(node, _NAMED):
        yield node.name or ""


def of_a_test(error: NameError | ImportError, path: Path) -> SuiteError | None:
    """The error if a test of this file failed by a mistake of its own; None if by the answer.

    No answer makes an import fail or a name vanish that the test reads. It may well decide whether
    a loop or a branch gives a variable its value, so such a variable is not the test's mistake.
    """
    *_, (frame, line) = traceback.walk_tb(error.__traceback__)
    file, function = Path(frame.f_code.co_filename), frame.f_code
    if not file.is_relative_to(path.parent.parent):
        return None
    name = next(iter(re.findall(r"'(\w+)'", str(error))), "")
    own = {*function.co_varnames, *function.co_cellvars, *function.co_freevars}
    if isinstance(error, NameError) and name in own and _may_be_unbound(file, name):
        return None
    return _own(error, file, line)


def own_fault(error: Exception, path: Path) -> SuiteError:
    """The exception of a test of this file, at the last line of its own that was running."""
    frames = traceback.walk_tb(error.__traceback__)
    places = [(Path(frame.f_code.co_filename), line) for frame, line in frames]
    own = [place for place in places if place[0].is_relative_to(path.parent.parent)]
    return _own(error, *(own[-1] if own else (path, 1)))


def _own(error: Exception, file: Path, line: int) -> SuiteError:
    return at(file, line, f"the test itself fails ({type(error).__name__}: {error})")


def _may_be_unbound(path: Path, name: str) -> bool:
    """Whether a loop or a branch anywhere in the file binds the name."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    return any(
        isinstance(inner, ast.Name) and inner.id == name and isinstance(inner.ctx, ast.Store)
        for outer in ast.walk(tree)
        if isinstance(outer, _CHOICES)
        for inner in ast.walk(outer)
    )

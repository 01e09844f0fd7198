"""Checks that what students get contains no unreleased answer.

Two tests on every piece of code in the student's tree: no function body has the same normalized
syntax tree as an unreleased one, and it shares no run of three consecutive body lines with one,
unless released code has them too.
"""

import ast
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from ...library.components import Component
from .. import likeness
from ..likeness import RUN


@dataclass(frozen=True)
class Leak:
    """One place that contains unreleased code."""

    where: str
    component: str
    what: str

    def __str__(self) -> str:
        return f"{self.where} contains {self.what} of {self.component}, which is not released"


def find(code: Iterable[tuple[str, str]], hidden: Iterable[str], released: str = "") -> list[Leak]:
    """Leaks in pieces of code (where, source), given the hidden components.

    `released` is code that students may have: bodies and runs of lines in it are not leaks.
    """
    leaks = []
    allowed_bodies = {body for tree in _trees(released) for body in _bodies(tree)}
    allowed_runs = {run for tree in _trees(released) for run in _runs(tree)}
    secrets = []
    for reference in hidden:
        component = Component.parse(reference)
        trees, given = _trees(component.source), _trees(component.stub(""))
        bodies = {body for tree in trees for body in _bodies(tree)}
        bodies -= allowed_bodies | {body for tree in given for body in _bodies(tree)}
        runs = {run for tree in trees for run in _runs(tree)}
        runs -= allowed_runs | {run for tree in given for run in _runs(tree)}
        secrets.append((reference, bodies, runs))
    for where, source in code:
        trees = _trees(source)
        bodies = {body for tree in trees for body in _bodies(tree)}
        runs = {run for tree in trees for run in _runs(tree)}
        for reference, secret_bodies, secret_runs in secrets:
            if bodies & secret_bodies:
                leaks.append(Leak(where, reference, "a function body"))
            elif runs & secret_runs:
                leaks.append(Leak(where, reference, f"{RUN} lines in a row"))
    return leaks


def code_of_notebook(name: str, notebook: dict[str, Any]) -> list[tuple[str, str]]:
    """Every code cell and the text of every markdown cell, which may contain code too."""
    return [
        (f"{name}, cell {number}", "".join(cell["source"]))
        for number, cell in enumerate(notebook["cells"], start=1)
    ]


def pieces(source: str) -> set[str]:
    """Every line and every expression of the function bodies in a source, normalized."""
    found: set[str] = set()
    for tree in _trees(source):
        for node in ast.walk(tree):
            if isinstance(node, likeness.FUNCTIONS):
                for statement in likeness.without_docstring(node.body):
                    found.update(line.strip() for line in ast.unparse(statement).splitlines())
                    within = ast.walk(statement)
                    found.update(ast.unparse(one) for one in within if isinstance(one, ast.expr))
    return found


def _trees(source: str) -> list[ast.AST]:
    try:
        return [ast.parse(source)]
    except SyntaxError:
        return []


def _bodies(tree: ast.AST) -> set[str]:
    return {likeness.exact(body) for _, body in likeness.bodies(tree)}


def _runs(tree: ast.AST) -> set[tuple[str, ...]]:
    """Every three consecutive lines of every function body, as normalized source."""
    found: set[tuple[str, ...]] = set()
    for _, body in likeness.bodies(tree):
        text = ast.unparse(ast.Module(body=body, type_ignores=[]))
        lines = [line.strip() for line in text.splitlines()]
        found.update(tuple(lines[i : i + RUN]) for i in range(len(lines) - RUN + 1))
    return found

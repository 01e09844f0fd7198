"""Compares texts by fingerprints: lines without layout, syntax trees without names, words.

A fingerprint of code survives another layout (squeezed text), other comments and quotes (the syntax
tree), and renamed variables (the tree with names numbered as they come).
"""

import ast
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from ..library.components import Component

RUN = 3  # consecutive lines or statements that are an answer's, and not a coincidence
LEAST_NODES = 40  # and names of a renamed tree: smaller ones look alike by chance
LEAST_CHARACTERS = 40  # of a squeezed text, for the same reason
WORD = re.compile(r"\w+")
DECLARATIONS = (ast.AnnAssign, ast.Import, ast.ImportFrom)
FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)


def line(text: str) -> str:
    """A line without layout: no spaces, no comment, no Markdown quote."""
    return "".join(text.partition("  #")[0].split())


def code_lines(text: str) -> list[tuple[int, str]]:
    """Number and normalized text of each line that is no comment and not blank."""
    lines = [(number, line(raw)) for number, raw in enumerate(text.splitlines())]
    return [(number, found) for number, found in lines if found and not found.startswith("#")]


def squeezed(text: str) -> str:
    """A text without any white space and in lower case: no line break can hide it."""
    return "".join(text.split()).casefold()


def parsed(text: str) -> ast.Module | None:
    """The syntax tree of code, magics left out; None if the text is not code."""
    forms = dict.fromkeys((text, re.sub(r"(?m)^[!%].*$", "", text), _dedented(text)))
    for source in forms:
        try:
            return ast.parse(source)
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            continue
    return None


def _dedented(text: str) -> str:
    """Indented code below a header, so that a body alone is code too."""
    return "if True:\n" + text if text[:1] in " \t" else text


def bodies(tree: ast.AST) -> Iterator[tuple[int, list[ast.stmt]]]:
    """Line and statements of each function body, without docstring; stubs are left out."""
    for node in ast.walk(tree):
        if isinstance(node, FUNCTIONS):
            body = without_docstring(node.body)
            if body and not (len(body) == 1 and isinstance(body[0], (ast.Raise, ast.Pass))):
                yield node.lineno, body


def blocks(tree: ast.AST) -> Iterator[list[ast.stmt]]:
    """Every list of statements in the tree, at any depth."""
    for node in ast.walk(tree):
        for name in ("body", "orelse", "finalbody"):
            inside = getattr(node, name, None)
            if isinstance(inside, list) and inside and isinstance(inside[0], ast.stmt):
                yield without_docstring(inside)


def without_docstring(body: list[ast.stmt]) -> list[ast.stmt]:
    first = body[0] if body else None
    has = isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant)
    return body[1:] if has else body


def exact(body: list[ast.stmt]) -> str:
    """The tree of statements as text, without positions."""
    return "\n".join(ast.dump(s, annotate_fields=False) for s in body)


def renamed(body: list[ast.stmt]) -> str | None:
    """The same with every name numbered in the order it comes; None if it is too small."""
    if all(isinstance(statement, DECLARATIONS) for statement in body):
        return None
    numbers: dict[str, str] = {}
    found: list[str] = []
    for statement in body:
        _dump(statement, numbers, found)
    return " ".join(found) if len(found) >= LEAST_NODES else None


def _dump(node: ast.AST, numbers: dict[str, str], found: list[str]) -> None:
    """Append the node and what is below it; names and an object's own attributes get numbers."""
    found.append(type(node).__name__)
    own = isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name)
    own = own and node.value.id == "self"  # type: ignore[attr-defined]
    for field, value in ast.iter_fields(node):
        if field in ("ctx", "type_comment", "kind", "annotation", "returns", "type_params"):
            continue
        if isinstance(value, ast.AST):
            _dump(value, numbers, found)
        elif isinstance(value, list):
            found.append("[")
            for inner in value:
                if isinstance(inner, ast.AST):
                    _dump(inner, numbers, found)
                else:
                    found.append(repr(inner))
            found.append("]")
        elif isinstance(value, str) and (field in ("id", "arg", "name") or own):
            # `axis=axis` is the function's name and one's own: only the second can be renamed
            name = f"{value}=" if isinstance(node, ast.keyword) else value
            found.append(numbers.setdefault(name, f"v{len(numbers)}"))
        elif not _is_message(node, value):
            found.append(repr(value))


def _is_message(node: ast.AST, value: object) -> bool:
    """Whether this is the text of a string, which may be reworded."""
    return isinstance(node, ast.Constant) and isinstance(value, str)


def windows(block: list[ast.stmt]) -> Iterator[tuple[int, list[ast.stmt]]]:
    """Line and statements of each run of consecutive statements."""
    for first in range(len(block) - RUN + 1):
        yield block[first].lineno, block[first : first + RUN]


@dataclass(frozen=True)
class Leak:
    """One place that contains unreleased code."""

    where: str
    component: str
    what: str

    def __str__(self) -> str:
        return f"{self.where} contains {self.what} of {self.component}, which is not released"


def find_leaks(
    code: Iterable[tuple[str, str]], hidden: Iterable[str], released: str = ""
) -> list[Leak]:
    """Leaks in pieces of code (where, source), given the hidden components.

    No function body has the same syntax tree as a hidden one, nor three lines in a row of one.
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
            if isinstance(node, FUNCTIONS):
                for statement in without_docstring(node.body):
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
    return {exact(body) for _, body in bodies(tree)}


def _runs(tree: ast.AST) -> set[tuple[str, ...]]:
    """Every three consecutive lines of every function body, as normalized source."""
    found: set[tuple[str, ...]] = set()
    for _, body in bodies(tree):
        text = ast.unparse(ast.Module(body=body, type_ignores=[]))
        lines = [line.strip() for line in text.splitlines()]
        found.update(tuple(lines[i : i + RUN]) for i in range(len(lines) - RUN + 1))
    return found

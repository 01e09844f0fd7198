"""Guarded definitions: an `if` or `try` around them, and what grading leaves out of it.

Left out of an `if` is what would be left out beside it, a loop or a call. A `try` whose own
statements cannot all be run is no guard, since its handlers may depend on what they do.
"""

import ast
from collections.abc import Iterator, Sequence
from typing import NamedTuple

Definition = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
Assignment = (ast.Assign, ast.AnnAssign, ast.AugAssign)
Import = (ast.Import, ast.ImportFrom)
Guarding = (ast.If, ast.Try)


class Guard(NamedTuple):
    """A guard's statements. Nothing is kept of what is no guard: it is left out as a whole."""

    kept: list[ast.stmt]
    left_out: list[ast.stmt]


def read(node: ast.stmt, lines: Sequence[str]) -> Guard:
    """Sort the statements within a top-level statement; `lines`: of its cell."""
    nothing = Guard([], [node])
    if not isinstance(node, Guarding) or (isinstance(node, ast.If) and _asks_otherwise(node.test)):
        return nothing
    found = Guard([], [])
    for branch, must_run in _branches(node):
        for child in branch:
            if isinstance(child, (*Definition, *Assignment, *Import)):
                found.kept.append(child)
            elif not isinstance(child, ast.Pass):
                inner = read(child, lines)
                found.kept.extend(inner.kept)
                found.left_out.extend(inner.left_out)
                if inner.left_out and must_run:
                    return nothing
    alone = all(_is_alone(child, lines) for child in found.left_out)
    return found if found.kept and alone else nothing


def source(node: ast.stmt, guard: Guard, lines: Sequence[str]) -> str:
    """The guard as text with the same number of lines, without what is left out.

    In a notebook, `__name__ == "__main__"` is true.
    """
    text = list(lines)
    for inner in ast.walk(node):
        if isinstance(inner, ast.If) and _asks_for_main(inner.test):
            row, end = inner.test.lineno - 1, inner.test.end_col_offset
            text[row] = text[row][: inner.test.col_offset] + "True" + text[row][end:]
    for child in guard.left_out:
        text[child.lineno - 1 : child.end_lineno] = [
            " " * child.col_offset + "pass",
            *[""] * (_last(child) - child.lineno),
        ]
    return "\n".join(text[node.lineno - 1 : _last(node)])


def _branches(node: ast.If | ast.Try) -> Iterator[tuple[list[ast.stmt], bool]]:
    """The statements of each branch, and whether all of them must run."""
    yield node.body, isinstance(node, ast.Try)
    yield node.orelse, False
    if isinstance(node, ast.Try):
        for handler in node.handlers:
            yield handler.body, False
        yield node.finalbody, False


def _asks_otherwise(test: ast.expr) -> bool:
    """Whether a test asks for `__name__`, but not for the notebook's own."""
    asks = any(isinstance(n, ast.Name) and n.id == "__name__" for n in ast.walk(test))
    return asks and not _asks_for_main(test)


def _asks_for_main(test: ast.expr) -> bool:
    return test.lineno == test.end_lineno and ast.unparse(test) == "__name__ == '__main__'"


def _is_alone(node: ast.stmt, lines: Sequence[str]) -> bool:
    """Whether a statement shares its lines with no other."""
    before = lines[node.lineno - 1][: node.col_offset]
    behind = lines[_last(node) - 1].encode()[node.end_col_offset :].strip()
    return not before.strip() and behind[:1] in (b"", b"#")


def _last(node: ast.stmt) -> int:
    return node.end_lineno or node.lineno

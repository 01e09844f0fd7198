"""Finds definitions that are in a notebook, but where grading does not look for them."""

import ast
import re
from collections.abc import Iterable, Iterator

from .guards import Definition
from .notebook_file import Cell
from .statements import Found

IN_TEXT = re.compile(r"^(?:async\s+)?(?:def|class)\s+(\w+)\s*[(:]", re.MULTILINE)
KINDS = {"markdown": "a Markdown cell", "raw": "a raw cell"}


def definitions(cells: Iterable[Cell], found: Iterable[Found]) -> dict[str, str]:
    """By the name of each, where it is and what to do."""
    told = {}
    for cell in cells:
        if why := _why_no_code(cell):
            for name in IN_TEXT.findall(cell.source):
                told[name] = f"cell {cell.number} defines `{name}`, but {why}"
    for skipped in (f for f in found if f.kind == "skipped"):
        for block, name in _inside(skipped.node):
            told[name] = (
                f"`{name}` is defined inside {block} in cell {skipped.statement.cell}, which is "
                "not run while grading: move it to the top level"
            )
    return told


def _why_no_code(cell: Cell) -> str:
    """Why nothing in a cell is taken for code, and what to do; "" if it is."""
    if cell.kind != "code":
        kind = KINDS.get(cell.kind, f"a cell of type {cell.kind!r}")
        return f"is {kind}: change its type to Code"
    magic = cell.source.split(maxsplit=1)[:1]
    if magic and magic[0].startswith("%%"):
        return f"begins with `{magic[0]}`, so it is not graded: delete that line"
    return ""


def _inside(node: ast.stmt) -> Iterator[tuple[str, str]]:
    """For each definition in a statement: the innermost block around it, and its name."""
    waiting: list[tuple[ast.AST, ast.stmt]] = [(node, node)]
    while waiting:
        around, block = waiting.pop()
        for child in ast.iter_child_nodes(around):
            if isinstance(child, Definition):
                yield _named(block), child.name
            else:
                waiting.append((child, child if isinstance(child, ast.stmt) else block))


def _named(block: ast.stmt) -> str:
    if isinstance(block, (ast.For, ast.AsyncFor, ast.While)):
        return "a loop"
    keyword = type(block).__name__.removeprefix("Async").removesuffix("Star").lower()
    return f"{'an' if keyword == 'if' else 'a'} `{keyword}` block"

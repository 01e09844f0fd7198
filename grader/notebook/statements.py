"""Classifies a cell's top-level statements: import, definition, stub, assignment or skipped.

And finds the global names that a statement uses.
"""

import ast
import builtins
import contextlib
import re
import symtable
from dataclasses import dataclass
from functools import cached_property, lru_cache

from . import guards
from .guards import Assignment, Definition, Import
from .notebook_file import Cell

MOST_BRACES = 2000  # of a cell: Python's time for an f-string grows with their square


@dataclass(frozen=True)
class Statement:
    """One statement to execute: its source, its position and the names it binds."""

    cell: int
    line: int
    source: str
    names: tuple[str, ...]

    @cached_property
    def uses(self) -> frozenset[str]:
        """The global names that it uses. Raises SyntaxError."""
        return global_names(self.source)


@dataclass(frozen=True)
class Found:
    """A top-level statement of the notebook, and its kind."""

    statement: Statement
    node: ast.stmt
    kind: str  # "import", "definition", "stub", "assignment", "skipped"


@dataclass
class CellStatements:
    """The statements of one cell; `broken`: names whose definition does not parse → why.

    `invalid` says why the cell is not valid Python, or "".
    """

    found: list[Found]
    notices: list[str]
    broken: dict[str, str]
    invalid: str = ""


@lru_cache(maxsize=512)  # most cells of a class, or of a proof, are the same
def sort_cell(cell: Cell) -> CellStatements:
    """The cell's top-level statements; magics and a cell that does not parse become notices."""
    result = CellStatements([], [], {})
    source = cell.source
    try:
        if source.count("{") > MOST_BRACES:
            raise ValueError(f"more than {MOST_BRACES} braces")
        tree, source = _parse(cell, result)
        lines = source.split("\n")  # as Python counts lines
        found = [f for node in tree.body for f in _sort(node, cell.number, lines)]
        for statement in (f.statement for f in found if f.kind != "skipped"):
            _compile(statement)
        result.found = found
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        line = getattr(error, "lineno", None)
        at = f", line {line}" if line else ""
        why = f"cell {cell.number}{at} is not valid Python: {getattr(error, 'msg', None) or error}"
        result.notices.append(why)
        result.invalid = why
        result.broken = dict.fromkeys(_names_at_line_starts(source), why)
    return result


def _names_at_line_starts(source: str) -> list[str]:
    """The names that a cell would define or import, if it were valid Python."""
    names = re.findall(r"^(?:async\s+)?(?:def|class)\s+(\w+)", source, re.MULTILINE)
    for line in re.findall(r"^(?:from\s.*\s)?import\s.*", source, re.MULTILINE):
        with contextlib.suppress(SyntaxError, ValueError, RecursionError, MemoryError):
            names += [name for node in ast.parse(line).body for name in _bound(node)]
    return names


def _parse(cell: Cell, result: CellStatements) -> tuple[ast.Module, str]:
    """Parse the source as it is or, if that fails, as IPython reads it."""
    try:
        return ast.parse(cell.source), cell.source
    except SyntaxError:
        from .ipython_syntax import translate  # few notebooks need it, and IPython takes a while

        found = translate(cell.source)
        if found.magic:
            result.notices.append(f"cell {cell.number}: {found.magic} cells are not graded")
        for line in found.not_run:
            result.notices.append(f"cell {cell.number}: `{line[:60]}` was not run")
        return ast.parse(found.source), found.source


def _compile(statement: Statement) -> None:
    """Raises SyntaxError, with its line in the cell, for what parses but does not compile."""
    try:
        _ = statement.uses
    except SyntaxError as error:
        error.lineno = statement.line + (error.lineno or 1) - 1
        raise


def _sort(node: ast.stmt, cell: int, lines: list[str]) -> list[Found]:
    """A top-level statement; if it is a guard, also what is left out of it."""
    guard = guards.read(node, lines)
    if not guard.kept:
        return [_sort_one(node, cell, lines)]
    names = tuple(name for child in guard.kept for name in _bound(child))
    statement = Statement(cell, node.lineno, guards.source(node, guard, lines), names)
    defines = any(isinstance(child, (*Import, *Definition)) for child in guard.kept)
    left_out = [_sort_one(child, cell, lines, "skipped") for child in guard.left_out]
    return [Found(statement, node, "definition" if defines else "assignment"), *left_out]


def _sort_one(node: ast.stmt, cell: int, lines: list[str], kind: str = "") -> Found:
    decorators = getattr(node, "decorator_list", [])
    first = min([node.lineno, *(d.lineno for d in decorators)])
    last = node.end_lineno or first
    if first == last or node.col_offset == 0:
        source = "\n".join(lines[first - 1 : last])
    if node.col_offset or ";" in source:  # several statements on a line
        source = ast.unparse(node)
    return Found(Statement(cell, first, source, tuple(_bound(node))), node, kind or _kind(node))


def _kind(node: ast.stmt) -> str:
    if isinstance(node, Import):
        return "import"
    if isinstance(node, Definition):
        return "stub" if _is_stub(node) else "definition"
    if isinstance(node, Assignment) and not _asks_ipython(node.value):
        return "assignment"
    return "skipped"


def _asks_ipython(value: ast.expr | None) -> bool:
    """Whether a value comes from IPython: `files = !ls`."""
    names = (n.id for n in ast.walk(value or ast.Constant(None)) if isinstance(n, ast.Name))
    return "get_ipython" in names


def _bound(node: ast.AST) -> list[str]:
    """Names that a statement binds, or writes into (`table[0] = 1` binds `table`)."""
    if isinstance(node, Definition):
        return [node.name]
    if isinstance(node, Import):
        return [alias.asname or alias.name.split(".")[0] for alias in node.names]
    if isinstance(node, Assignment):
        targets = node.targets if isinstance(node, ast.Assign) else [node.target]
        return [name for target in targets for name in base_names(target)]
    return [
        name
        for child in ast.iter_child_nodes(node)
        if isinstance(child, (ast.stmt, ast.ExceptHandler))
        for name in _bound(child)
    ]


def base_names(target: ast.expr) -> list[str]:
    if isinstance(target, (ast.Tuple, ast.List)):
        return [name for part in target.elts for name in base_names(part)]
    while isinstance(target, (ast.Attribute, ast.Subscript, ast.Starred)):
        target = target.value
    return [target.id] if isinstance(target, ast.Name) else []


def _is_stub(node: ast.stmt) -> bool:
    """Whether a function is unwritten; a class, if a method is, but not if `forward` is written."""
    if isinstance(node, ast.ClassDef):
        methods = [item for item in node.body if isinstance(item, Definition)]
        return any(_is_stub(method) for method in methods) and not any(
            method.name in ("forward", "__call__") and not _is_stub(method) for method in methods
        )
    body = list(getattr(node, "body", []))
    if body and isinstance(body[0], ast.Expr) and isinstance(body[0].value, ast.Constant):
        body = body[1:]
    if len(body) != 1 or not isinstance(body[0], ast.Raise) or body[0].exc is None:
        return False
    raised = body[0].exc.func if isinstance(body[0].exc, ast.Call) else body[0].exc
    return isinstance(raised, ast.Name) and raised.id == "NotImplementedError"


@lru_cache(maxsize=4096)
def global_names(source: str) -> frozenset[str]:
    """The global names that top-level statements use, except builtins.

    Uses the compiler's symbol tables, so a local variable is never mistaken for a global. Raises
    SyntaxError.
    """
    found: set[str] = set()

    def walk(table: symtable.SymbolTable) -> None:
        for symbol in table.get_symbols():
            # symtable calls what a function named `top` binds global as well as local
            # of `global calls; calls += 1`, symtable says that `calls` is assigned alone
            used = symbol.is_referenced() or symbol.is_declared_global()
            if used and symbol.is_global() and not symbol.is_local():
                found.add(symbol.get_name())
        for child in table.get_children():
            walk(child)

    top = symtable.symtable(source, "<component>", "exec")
    for symbol in top.get_symbols():
        if symbol.is_referenced():
            found.add(symbol.get_name())
    walk(top)
    return frozenset(name for name in found if not hasattr(builtins, name))

"""Finds code that could get around a ban: what makes a function out of another one's parts.

While an exercise forbids something, a guard in the student's own process refuses it under any name
(`seam.forbidden`). It cannot see what leads around Python, so that is read from the source: by its
name, however it is imported, or as a text, as `getattr` and `import_module` are given.
"""

import ast
from collections.abc import Iterable, Iterator

from .statements import Statement

ROUTES = frozenset(
    "builtins.eval builtins.exec cffi ctypes importlib runpy types.CodeType types.FunctionType "
    "torch._C torch._dynamo torch._inductor torch._ops torch._refs torch._decomp torch._prims "
    "torch.library torch.ops torch.utils._python_dispatch torch.utils.cpp_extension".split()
)
LONGEST = max(route.count(".") for route in ROUTES)  # dots
PARTS = frozenset("__code__ __globals__ __closure__ __subclasses__ __import__ __loader__".split())


def used(statements: Iterable[Statement]) -> dict[Statement, str]:
    """By statement: the first name of this kind in it; one pass, linear in the source."""
    imported, found = dict[str, str](), dict[Statement, str]()
    for statement in statements:
        for node in ast.walk(ast.parse(statement.source)):
            for name in _named(node, imported):
                if _is_route(name):
                    found.setdefault(statement, name)
    return found


def _is_route(name: str) -> bool:
    parts = name.split(".")
    heads = (".".join(parts[:number]) for number in range(1, len(parts) + 1))
    return parts[-1] in PARTS or not ROUTES.isdisjoint(heads)


def _named(node: ast.AST, imported: dict[str, str]) -> Iterator[str]:
    """The dotted names in a node; what it imports is noted by the name that it gets."""
    if isinstance(node, ast.Import):
        for alias in node.names:
            head = alias.name.partition(".")[0]
            imported[alias.asname or head] = alias.name if alias.asname else head
            yield alias.name
    elif isinstance(node, ast.ImportFrom):
        for alias in node.names:
            imported[alias.asname or alias.name] = f"{node.module}.{alias.name}"
            yield f"{node.module}.{alias.name}"
    elif isinstance(node, ast.Attribute):
        if name := _dotted(node):
            head, _, rest = name.partition(".")
            yield f"{imported.get(head, '')}.{rest}"
        else:
            yield node.attr
    elif isinstance(node, ast.Name):
        yield imported.get(node.id, f"builtins.{node.id}")
    elif isinstance(node, ast.Constant) and isinstance(node.value, str):
        yield node.value


def _dotted(node: ast.expr) -> str:
    """The name that a node spells out; "" without one, or if it is longer than any route."""
    parts: list[str] = []
    while isinstance(node, ast.Attribute) and len(parts) < LONGEST:
        parts.append(node.attr)
        node = node.value
    return ".".join([node.id, *reversed(parts)]) if isinstance(node, ast.Name) else ""

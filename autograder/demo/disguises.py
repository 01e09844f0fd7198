"""Copies of a solution made to look different, as a student who copies might."""

from __future__ import annotations

import ast
import builtins
from collections.abc import Callable, Mapping

Sources = Mapping[str, str]  # component → source
Disguise = Callable[[Sources], dict[str, str]]


def renamed(sources: Sources) -> dict[str, str]:
    """Every name of the author's choice becomes another one."""
    fixed = {component.partition(":")[2] for component in sources} | {*dir(builtins), "self"}
    return _each(sources, lambda tree: _Renamed(tree, fixed).visit(tree))


def laid_out_anew(sources: Sources) -> dict[str, str]:
    """Other comments, docstrings and line breaks."""

    def change(tree: ast.Module) -> ast.Module:
        for node in ast.walk(tree):
            if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
                if ast.get_docstring(node) is not None:
                    node.body[0] = ast.Expr(ast.Constant("As the handout says."))
                else:
                    node.body.insert(0, ast.Expr(ast.Constant("My own idea.")))
        return tree

    return {
        component: source.replace(":\n", ":  # next\n", 1)
        for component, source in _each(sources, change).items()
    }


def reordered(sources: Sources) -> dict[str, str]:
    """Definitions, and the methods of a class, in the opposite order."""

    def change(tree: ast.Module) -> ast.Module:
        tree.body = tree.body[::-1]
        for node in tree.body:
            if isinstance(node, ast.ClassDef):
                node.body.sort(key=lambda item: isinstance(item, ast.FunctionDef))
                first = next(
                    (i for i, item in enumerate(node.body) if isinstance(item, ast.FunctionDef)), 0
                )
                node.body[first:] = node.body[:first:-1] + node.body[first : first + 1]
        return tree

    return dict(reversed(_each(sources, change).items()))


def padded(sources: Sources) -> dict[str, str]:
    """A useless statement after every third one of a function."""

    def change(tree: ast.Module) -> ast.Module:
        for node in ast.walk(tree):
            if isinstance(node, ast.FunctionDef):
                body: list[ast.stmt] = []
                for number, statement in enumerate(node.body, start=1):
                    body.append(statement)
                    if number % 3 == 0 and statement is not node.body[-1]:
                        body += ast.parse(f"unused_{number} = {number}").body
                node.body = body
        return tree

    return _each(sources, change)


def all_at_once(sources: Sources) -> dict[str, str]:
    """Each of the others."""
    for disguise in (padded, renamed, reordered, laid_out_anew):
        sources = disguise(sources)
    return dict(sources)


def half(sources: Sources) -> dict[str, str]:
    """Only every other definition is copied, each disguised in every way."""
    return dict([*all_at_once(sources).items()][::2])


ALL: tuple[Disguise, ...] = (renamed, laid_out_anew, reordered, padded, all_at_once, half)


def _each(sources: Sources, change: Callable[[ast.Module], ast.AST]) -> dict[str, str]:
    return {
        component: ast.unparse(ast.fix_missing_locations(change(ast.parse(source))))
        for component, source in sources.items()
    }


class _Renamed(ast.NodeTransformer):
    """Renames what the code itself binds, apart from `fixed` names and what it imports."""

    def __init__(self, tree: ast.Module, fixed: set[str]):
        bound = {n.id for n in ast.walk(tree) if isinstance(n, ast.Name) and _binds(n)}
        bound |= {n.arg for n in ast.walk(tree) if isinstance(n, ast.arg)}
        bound |= {n.name for n in tree.body if isinstance(n, (ast.FunctionDef, ast.ClassDef))}
        self.names = {name: f"my_{number}" for number, name in enumerate(sorted(bound - fixed))}

    def visit_Name(self, node: ast.Name) -> ast.AST:
        node.id = self.names.get(node.id, node.id)
        return node

    def visit_arg(self, node: ast.arg) -> ast.AST:
        node.arg = self.names.get(node.arg, node.arg)
        return node

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        node.name = self.names.get(node.name, node.name)
        return self.generic_visit(node)

    visit_ClassDef = visit_FunctionDef  # type: ignore[assignment]

    def visit_Nonlocal(self, node: ast.Nonlocal) -> ast.AST:
        node.names = [self.names.get(name, name) for name in node.names]
        return node


def _binds(node: ast.Name) -> bool:
    return isinstance(node.ctx, ast.Store)

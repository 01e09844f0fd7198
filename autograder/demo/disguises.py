"""Copies of a solution made to look different, as a student who copies might."""

import ast
import builtins
from collections.abc import Callable, Mapping

Sources = Mapping[str, str]  # component → source
Disguise = Callable[[Sources], dict[str, str]]
DEFINITION = (ast.FunctionDef, ast.ClassDef)
NAMED = {ast.Name: "id", ast.arg: "arg", ast.FunctionDef: "name", ast.ClassDef: "name"}


def renamed(sources: Sources) -> dict[str, str]:
    """Every name of the author's choice becomes another one, but for what the author imports."""
    fixed = {component.partition(":")[2] for component in sources} | {*dir(builtins), "self"}

    def change(tree: ast.Module) -> None:
        nodes = [*ast.walk(tree)]
        bound = {n.id for n in nodes if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
        bound |= {n.arg for n in nodes if isinstance(n, ast.arg)}
        bound |= {n.name for n in tree.body if isinstance(n, DEFINITION)}
        names = {name: f"my_{number}" for number, name in enumerate(sorted(bound - fixed))}
        for node in nodes:
            if field := NAMED.get(type(node)):
                setattr(node, field, names.get(getattr(node, field), getattr(node, field)))
            elif isinstance(node, ast.Nonlocal):
                node.names = [names.get(name, name) for name in node.names]

    return _each(sources, change)


def laid_out_anew(sources: Sources) -> dict[str, str]:
    """Other comments, docstrings and line breaks."""

    def change(tree: ast.Module) -> None:
        for node in ast.walk(tree):
            if isinstance(node, DEFINITION):
                documented = ast.get_docstring(node) is not None
                node.body[:documented] = [ast.Expr(ast.Constant("As the handout says."))]

    return {
        component: source.replace(":\n", ":  # next\n", 1)
        for component, source in _each(sources, change).items()
    }


def reordered(sources: Sources) -> dict[str, str]:
    """Definitions, and the methods of a class, in the opposite order."""

    def change(tree: ast.Module) -> None:
        tree.body.reverse()
        for node in tree.body:
            if isinstance(node, ast.ClassDef):
                methods = [item for item in node.body if isinstance(item, ast.FunctionDef)]
                others = [item for item in node.body if item not in methods]
                node.body = [*others, *reversed(methods)]

    return dict(reversed(_each(sources, change).items()))


def padded(sources: Sources) -> dict[str, str]:
    """A useless statement after every third one of a function."""

    def change(tree: ast.Module) -> None:
        for node in ast.walk(tree):
            if isinstance(node, ast.FunctionDef):
                for place in reversed(range(3, len(node.body), 3)):
                    node.body[place:place] = ast.parse(f"unused_{place} = {place}").body

    return _each(sources, change)


def all_at_once(sources: Sources) -> dict[str, str]:
    """Each of the others."""
    return laid_out_anew(reordered(renamed(padded(sources))))


def half(sources: Sources) -> dict[str, str]:
    """Only every other definition is copied, each disguised in every way."""
    return dict([*all_at_once(sources).items()][::2])


ALL: tuple[Disguise, ...] = (renamed, laid_out_anew, reordered, padded, all_at_once, half)


def _each(sources: Sources, change: Callable[[ast.Module], None]) -> dict[str, str]:
    found = {}
    for component, source in sources.items():
        tree = ast.parse(source)
        change(tree)
        found[component] = ast.unparse(ast.fix_missing_locations(tree))
    return found

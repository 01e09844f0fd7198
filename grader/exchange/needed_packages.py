"""The packages that a judge of one assignment imports, found in the sources that it is given.

A platform that grades one assignment then installs these, and not all that the course needs.
"""

import ast
import re
import sys
from collections.abc import Iterable, Iterator, Mapping
from importlib.metadata import packages_distributions

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ENTRIES = (  # where the processes of a judge begin, and what notebooks import of the grader
    r"grader\.exchange\.gradescope_run|grader\.judge\.workers\..+|grader\.sandbox\..+"
    r"|grader\.checking\.notebook|grader\.notebook\.ipython_syntax|autograder\.(?!stand_ins).+"
)


def needed(files: Mapping[str, bytes], imports: Iterable[str], listed: Iterable[str]) -> list[str]:
    """The lines of a requirements file that are needed, of all `listed`.

    `files` are the sources by path, `imports` the modules that notebooks of the assignment import.
    """
    packages = {module.partition(".")[0] for module in [*imports, *_reached(files)]}
    packages -= sys.stdlib_module_names
    distributions = packages_distributions()
    found = {name for package in packages for name in distributions.get(package, [package])}
    names = {canonicalize_name(name) for name in found}
    return [line for line in listed if canonicalize_name(Requirement(line).name) in names]


def _reached(files: Mapping[str, bytes]) -> set[str]:
    """Every module that is imported from the entries on, without those that functions import.

    Functions import what other commands need, or what only some assignments' notebooks use.
    """
    modules = {_module(path): path for path in files if path.endswith(".py")}
    left = [name for name in modules if re.fullmatch(ENTRIES, name)]
    found = set[str]()
    while left:
        name = left.pop()
        if name in found:
            continue
        found.add(name)
        if name in modules:
            path = modules[name]
            package = name if path.endswith("__init__.py") else name.rpartition(".")[0]
            left += _imported(ast.parse(files[path]), package)
        left += [name.rpartition(".")[0]] if "." in name else []
    return found


def _module(path: str) -> str:
    return path.removesuffix(".py").removesuffix("/__init__").replace("/", ".")


def _imported(tree: ast.AST, package: str) -> Iterator[str]:
    """The modules, and names that may be modules, that importing this source imports."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            parts = package.split(".")
            above = parts[: len(parts) - node.level + 1] if node.level else []
            base = ".".join([*above, *([node.module] if node.module else [])])
            yield base
            yield from (f"{base}.{alias.name}" for alias in node.names)
        elif not isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)) and not (
            isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test)
        ):
            yield from _imported(node, package)

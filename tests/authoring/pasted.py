"""What students are given, pasted in place of what they are asked for: none of it earns a point.

A week's release is read as a student would: every function and class in its files, with what it
needs of its own module, is given the name of a component of each exercise that is still open, if it
takes as many arguments. The rest of the notebook is right, so that what is earned is the pasted
function's.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache

from grader.course.assignment import Assignment
from grader.library.components import Component
from grader.notebook.statements import global_names

Definition = ast.FunctionDef | ast.ClassDef


@dataclass(frozen=True)
class Pasted:
    """A function or class of a released file, in place of a component of an exercise."""

    exercise: str
    component: str
    path: str
    name: str
    source: str

    def __str__(self) -> str:
        return f"{self.exercise} {self.component.partition(':')[2]}: {self.name} of {self.path}"


def of(files: Mapping[str, bytes], assignment: Assignment) -> Iterator[Pasted]:
    """All attempts at an assignment with a release's files."""
    for exercise in assignment.exercises:
        for reference in exercise.components:
            wanted = ast.parse(Component.parse(reference).source).body[-1]
            for path, data in sorted(files.items()):
                if path.endswith(".py"):
                    yield from _of_file(exercise.id, reference, wanted, path, data.decode())


def _of_file(
    exercise: str, reference: str, wanted: ast.stmt, path: str, text: str
) -> Iterator[Pasted]:
    name = reference.partition(":")[2]
    definitions, imports = _parts(path, text)
    for given, node in definitions.items():
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)) and _fits(node, wanted):
            lines = [*imports, *_needed(given, definitions)]
            lines += [f"{name} = {given}"] if given != name else []
            yield Pasted(exercise, reference, path, given, "\n\n".join(lines) + "\n")


@lru_cache(maxsize=1024)
def _parts(path: str, text: str) -> tuple[dict[str, ast.stmt], list[str]]:
    """A module's definitions by name, and its imports with whole names."""
    package = path.removesuffix(".py").split("/")[:-1]
    definitions: dict[str, ast.stmt] = {}
    imports = []
    for node in ast.parse(text).body:
        if isinstance(node, ast.ImportFrom) and node.module != "__future__":
            up = package[: len(package) - node.level + 1] if node.level else []
            whole = ".".join([*up, *filter(None, [node.module])])
            imports.append(ast.unparse(ast.ImportFrom(whole, node.names, 0)))
        elif isinstance(node, ast.Import):
            imports.append(ast.unparse(node))
        elif isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            definitions[node.name] = node
        elif isinstance(node, (ast.Assign, ast.AnnAssign)):
            target = node.targets[0] if isinstance(node, ast.Assign) else node.target
            if isinstance(target, ast.Name):
                definitions[target.id] = node
    return definitions, imports


def _needed(name: str, definitions: Mapping[str, ast.stmt]) -> list[str]:
    """The sources of a definition and of all that it uses of its module, in the module's order."""
    needed, waiting = set[str](), [name]
    while waiting:
        one = waiting.pop()
        if one not in needed:
            needed.add(one)
            waiting += [n for n in _uses(ast.unparse(definitions[one])) if n in definitions]
    return [ast.unparse(node) for one, node in definitions.items() if one in needed]


@lru_cache(maxsize=8192)
def _uses(source: str) -> frozenset[str]:
    return global_names(source)


def _fits(given: Definition, wanted: ast.stmt) -> bool:
    """Whether it can be called as the component is."""
    if isinstance(wanted, ast.ClassDef):
        return isinstance(given, ast.ClassDef) and (
            _inherits(given) or _methods(wanted) <= _methods(given) | {"__init__"}
        )
    if not isinstance(given, ast.FunctionDef) or not isinstance(wanted, ast.FunctionDef):
        return False
    least, most = _arguments(given)
    return least <= _arguments(wanted)[0] <= most


def _inherits(node: ast.ClassDef) -> bool:
    """Whether it may have more methods than its text shows."""
    return not {ast.unparse(base) for base in node.bases} <= {"nn.Module", "torch.nn.Module"}


def _methods(node: ast.ClassDef) -> set[str]:
    return {one.name for one in node.body if isinstance(one, ast.FunctionDef)}


def _arguments(node: ast.FunctionDef) -> tuple[int, int]:
    """How many arguments it must have and how many it may have."""
    a = node.args
    positional = len(a.posonlyargs) + len(a.args)
    return positional - len(a.defaults), 99 if a.vararg else positional

"""Finds forbidden names in the syntax tree: the first, best-effort layer of an exercise's ban.

The other two layers (replaced names, watched calls) act in the worker: `grader.seam.forbidden`.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable
from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import lru_cache

from ..course.assignment import Assignment
from ..seam import StudentError
from ..seam.errors import LOAD_ERROR, POLICY
from .collect import Collected
from .statements import Statement

MAX_PARTS = 20  # of a dotted name; what is forbidden has fewer


def decided(assignment: Assignment, collected: Collected) -> dict[str, StudentError]:
    """By exercise: it uses a forbidden name, or a name it needs cannot be loaded."""
    verdicts = {}
    for exercise in assignment.exercises:
        closure = collected.closure(exercise.names)
        if used := uses(closure, collected.statements, assignment.forbidden_in(exercise)):
            verdicts[exercise.id] = StudentError(POLICY, ", ".join(used))
        refused = [collected.refused[n] for n in exercise.names if n in collected.refused]
        if refused:
            verdicts[exercise.id] = StudentError(LOAD_ERROR, refused[0])
    return verdicts


def uses(
    closure: Iterable[Statement], all_statements: Iterable[Statement], forbidden: list[str]
) -> list[str]:
    """Forbidden dotted names that the statements of an exercise use, as the notebook writes them.

    The imports in `all_statements` resolve aliases.
    """
    if not forbidden:
        return []
    aliases: dict[str, str] = {}
    for statement in all_statements:
        aliases |= _facts(statement.source).aliases
    found: dict[str, None] = {}
    for statement in closure:
        for written in _facts(statement.source).dotted:
            head, _, rest = written.partition(".")
            full = aliases.get(head, head) + (f".{rest}" if rest else "")
            if any(fnmatchcase(full, pattern) for pattern in forbidden):
                found[written] = None
    return list(found)


@dataclass(frozen=True)
class _Facts:
    """A statement's import aliases, and the dotted names it uses."""

    aliases: dict[str, str]
    dotted: list[str]


@lru_cache(maxsize=4096)
def _facts(source: str) -> _Facts:
    tree = ast.parse(source)
    return _Facts(_aliases(tree), [name for node in ast.walk(tree) if (name := _dotted(node))])


def _aliases(tree: ast.AST) -> dict[str, str]:
    """`import torch.nn as nn` → {"nn": "torch.nn"}; `from torch import nn` the same."""
    found: dict[str, str] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                if alias.asname:
                    found[alias.asname] = alias.name
        elif isinstance(node, ast.ImportFrom) and node.module:
            for alias in node.names:
                found[alias.asname or alias.name] = f"{node.module}.{alias.name}"
    return found


def _dotted(node: ast.AST) -> str:
    """The text of `a.b.c`, or "" for anything else."""
    parts: list[str] = []
    while isinstance(node, ast.Attribute) and len(parts) < MAX_PARTS:
        parts.append(node.attr)
        node = node.value
    if not isinstance(node, ast.Name):
        return ""
    return ".".join([node.id, *reversed(parts)])

"""A definition as a sequence of tokens that survive renaming, comments and layout.

The tokens are those of the syntax tree. Names that a student may choose become one letter; names
of libraries, builtins and exercises stay, as do numbers. Comments, docstrings and annotations are
gone.

Fingerprints of a sequence are taken by winnowing (Schleimer, Wilkerson and Aiken, SIGMOD 2003):
every run of `K` tokens is hashed; of every `WINDOW` hashes in a row, the smallest is kept, so two
sequences that share `K + WINDOW - 1` tokens in a row share a fingerprint, and none that share fewer
than `K` do. Code moved elsewhere keeps its fingerprints.
"""

import ast
import builtins
import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

OWN, TEXT = "v", "'"  # a name of the student's choice, a string
_BUILTINS = frozenset(dir(builtins))
K, WINDOW = 14, 5  # in tokens of the syntax tree: about two lines
_LEFT_OUT = ("annotation", "returns", "type_params", "ctx")


@dataclass(frozen=True)
class Token:
    """One token and the line, from 1, that it is on."""

    text: str
    line: int


def imported(tree: ast.AST) -> dict[str, str]:
    """The names that imports bind, and what each stands for: `import numpy as n` → n: numpy."""
    found = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                found[alias.asname or alias.name.partition(".")[0]] = alias.name
        elif isinstance(node, ast.ImportFrom):
            for alias in node.names:
                found[alias.asname or alias.name] = alias.name
    return found


def tokens(tree: ast.AST, known: Mapping[str, str]) -> list[Token]:
    """The tokens of a syntax tree, from the outside in.

    `known`: names that nobody may choose, such as those of exercises, and what each stands for.
    """
    names = {**{name: name for name in _BUILTINS}, **known, **imported(tree)}
    found: list[Token] = []
    waiting: list[tuple[ast.AST, int]] = [(tree, 1)]  # not recursive: code may be nested deeply
    while waiting:
        node, line = waiting.pop()
        line = getattr(node, "lineno", line)
        found += [Token(text, line) for text in _texts(node, names)]
        waiting += [(child, line) for child in reversed([*_children(node)])]
    return found


def _texts(node: ast.AST, names: Mapping[str, str]) -> Iterator[str]:
    """The texts of a node itself, without its children."""
    if isinstance(node, ast.Name):
        yield names.get(node.id, OWN)
    elif isinstance(node, ast.arg):
        yield OWN
    elif isinstance(node, ast.Constant):
        yield TEXT if isinstance(node.value, (str, bytes)) else repr(node.value)[:40]
    elif isinstance(node, ast.Attribute):
        of_self = isinstance(node.value, ast.Name) and node.value.id == "self"
        yield "."
        yield OWN if of_self else node.attr
    elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
        yield type(node).__name__
        yield names.get(node.name, OWN)
    elif isinstance(node, ast.keyword):
        yield f"{node.arg}="
    elif isinstance(node, (ast.Import, ast.ImportFrom, ast.alias, ast.Pass)):
        return
    elif isinstance(node, ast.AnnAssign):
        yield "Assign"
    elif not isinstance(node, (ast.Module, ast.Expr, ast.arguments)):
        yield type(node).__name__


def _children(node: ast.AST) -> Iterator[ast.AST]:
    """The nodes below, without annotations, docstrings and other lone constants."""
    if isinstance(node, (ast.Import, ast.ImportFrom)):
        return
    for field, value in ast.iter_fields(node):
        if field in _LEFT_OUT:
            continue
        for child in value if isinstance(value, list) else [value]:
            lone = isinstance(child, ast.Expr) and isinstance(child.value, ast.Constant)
            if isinstance(child, ast.AST) and not lone:
                yield child


def hashes(texts: Sequence[str]) -> list[int]:
    """The hash of every run of `K` tokens, the same in every process."""
    return [_hash("\n".join(texts[start : start + K])) for start in range(len(texts) - K + 1)]


def chosen(found: Sequence[int]) -> set[int]:
    """The positions of the hashes that are kept: in each window the smallest, the last if equal."""
    if not found:
        return set()
    kept = set()
    for start in range(max(1, len(found) - WINDOW + 1)):
        window = found[start : start + WINDOW]
        least = min(window)
        kept.add(start + len(window) - 1 - window[::-1].index(least))
    return kept


def _hash(text: str) -> int:
    digest = hashlib.blake2b(text.encode("utf-8", "backslashreplace"), digest_size=8).digest()
    return int.from_bytes(digest, "big")

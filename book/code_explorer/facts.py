"""Reads facts from a component's source: a summary, shapes, and sections of the paper."""

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass

KINDS = {"Float": "real", "Real": "real", "Int": "integer", "Bool": "boolean"}
_DETAIL = r"(?:, (?:Eq\.|Table|Figures?|footnote)\s\d+(?:[–-]\d+)?)?"
ANCHOR = re.compile(rf"§\d+(?:\.\d+)*{_DETAIL}|Appendix{_DETAIL}")


@dataclass(frozen=True)
class Shape:
    """An array that goes in or, as "returns", comes out; `method` is "" in a function."""

    method: str
    name: str
    kind: str
    axes: str


def summary(source: str) -> str:
    """The first paragraph of the docstring, in one line."""
    said = ast.get_docstring(_definition(source)) or ""
    return " ".join(said.partition("\n\n")[0].split())


def anchors(text: str) -> list[str]:
    """Sections of the paper, each once: "§3.2.1, Eq. 1"."""
    found = dict.fromkeys(" ".join(one.split()) for one in ANCHOR.findall(text))
    return [one for one in found if not any(other.startswith(f"{one}, ") for other in found)]


def shapes(source: str) -> list[Shape]:
    """The arrays in the signatures of a function, or of a class's public methods."""
    definition = _definition(source)
    if isinstance(definition, ast.FunctionDef):
        return list(_signature(definition, ""))
    methods = (part for part in definition.body if isinstance(part, ast.FunctionDef))
    return [
        shape
        for method in methods
        if not method.name.startswith("_") or method.name in ("__init__", "__call__")
        for shape in _signature(method, method.name)
    ]


def _definition(source: str) -> ast.FunctionDef | ast.ClassDef:
    found = ast.parse(source).body[0]
    assert isinstance(found, (ast.FunctionDef, ast.ClassDef))
    return found


def _signature(function: ast.FunctionDef, method: str) -> Iterator[Shape]:
    given = function.args
    for argument in [*given.posonlyargs, *given.args, *given.kwonlyargs]:
        for kind, axes in _arrays(argument.annotation):
            yield Shape(method, argument.arg, kind, axes)
    for kind, axes in _arrays(function.returns):
        yield Shape(method, "returns", kind, axes)


def _arrays(annotation: ast.expr | None) -> Iterator[tuple[str, str]]:
    """Kind and axes of each `Float[Tensor, "batch n"]` in an annotation, from left to right."""
    if isinstance(annotation, ast.Subscript):
        if isinstance(annotation.value, ast.Name) and annotation.value.id in KINDS:
            axes = ast.literal_eval(annotation.slice.elts[1])  # type: ignore[attr-defined]
            axes = "…" if axes == "..." else ", ".join(axes.split())
            yield KINDS[annotation.value.id], f"({axes})"
            return
        yield from _arrays(annotation.slice)
    elif isinstance(annotation, ast.Tuple):
        for part in annotation.elts:
            yield from _arrays(part)
    elif isinstance(annotation, ast.BinOp):  # … | None
        yield from _arrays(annotation.left)
        yield from _arrays(annotation.right)

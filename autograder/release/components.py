"""Components of `course_lib` as text: their source, and the stub that a student starts from.

A component is a top-level function or class, written "course_lib.numpy_forms.attention:softmax".
"""

from __future__ import annotations

import importlib.util
from dataclasses import dataclass
from functools import cached_property, lru_cache
from pathlib import Path

import libcst as cst

from course_lib.course.syllabus import ROOT

KEPT_COMMENT = "# step "  # scaffold lines that stay in a stub
GIVEN = "# given"  # behind a method's `def`: the student gets it whole


class BuildError(Exception):
    """The course cannot be built: what does not fit, and where."""


@dataclass(frozen=True)
class Component:
    """One function or class of a module."""

    module: str
    name: str

    @classmethod
    def parse(cls, reference: str) -> Component:
        module, _, name = reference.partition(":")
        return cls(module, name)

    @cached_property
    def source(self) -> str:
        """The definition as it stands in the library, with the comments above it.

        Raises BuildError when there is no such module, or no such definition in it.
        """
        found = module_text(self.module).definitions
        if self.name not in found:
            raise BuildError(
                f"{self.module} defines no {self.name!r}; it has {', '.join(sorted(found))}"
            )
        return found[self.name]

    def stub(self, label: str) -> str:
        """Signature and docstring; every body raises NotImplementedError(label)."""
        return stub(self.source, label, self.name)


@lru_cache(maxsize=1024)  # the proof that nothing leaks asks for every stub again and again
def stub(source: str, label: str, name: str) -> str:
    """The stub of one definition, given as source. Raises BuildError if `name` is not in it."""
    module = cst.parse_module(source)
    stubber = _Stubber(label, name)
    stubbed = module.visit(stubber)
    if not stubber.hits:
        raise BuildError(f"{name}: no function body to replace in its source")
    return stubbed.code


class _Stubber(cst.CSTTransformer):
    """Replaces the body of one function, or of every method of one class that is not given."""

    def __init__(self, label: str, name: str):
        super().__init__()
        self.label, self.name = label, name
        self.hits = 0
        self.inside: list[str] = []

    def visit_ClassDef(self, node: cst.ClassDef) -> None:
        self.inside.append(node.name.value)

    def leave_ClassDef(self, original: cst.ClassDef, updated: cst.ClassDef) -> cst.ClassDef:
        self.inside.pop()
        return updated

    def visit_FunctionDef(self, node: cst.FunctionDef) -> bool:
        self.inside.append(node.name.value)
        return len(self.inside) <= 1  # a function in a function goes with its body

    def leave_FunctionDef(
        self, original: cst.FunctionDef, updated: cst.FunctionDef
    ) -> cst.FunctionDef:
        path = list(self.inside)
        self.inside.pop()
        if path[0] != self.name or len(path) > 2 or _is_given(original):
            return updated
        self.hits += 1
        return updated.with_changes(body=_stub_body(original.body, self.label))


def _is_given(function: cst.FunctionDef) -> bool:
    header = getattr(function.body, "header", None)
    comment = header.comment.value if header and header.comment else ""
    return comment.startswith(GIVEN)


def _stub_body(body: cst.BaseSuite, label: str) -> cst.IndentedBlock:
    assert isinstance(body, cst.IndentedBlock)
    kept: list[cst.BaseStatement] = []
    if body.body and _is_docstring(body.body[0]):
        kept.append(body.body[0])  # type: ignore[arg-type]
    comments = [
        line
        for statement in body.body
        for line in getattr(statement, "leading_lines", ())
        if line.comment and line.comment.value.startswith(KEPT_COMMENT)
    ]
    refusal = cst.ensure_type(
        cst.parse_statement(f'raise NotImplementedError("{label}")'), cst.SimpleStatementLine
    )
    kept.append(refusal.with_changes(leading_lines=comments))
    return cst.IndentedBlock(body=kept)


def _is_docstring(statement: cst.CSTNode) -> bool:
    if not isinstance(statement, cst.SimpleStatementLine):
        return False
    first = statement.body[0]
    return isinstance(first, cst.Expr) and isinstance(
        first.value, (cst.SimpleString, cst.ConcatenatedString)
    )


@dataclass(frozen=True)
class ModuleText:
    """A module of `course_lib`, taken apart by name."""

    name: str
    text: str
    definitions: dict[str, str]  # functions and classes
    constants: dict[str, str]
    imports: dict[str, str]  # bound name → the import statement that binds just it


@lru_cache(maxsize=64)
def module_text(name: str) -> ModuleText:
    """Raises BuildError when the module cannot be found."""
    return take_apart(name, module_path(name).read_text(encoding="utf-8"))


def module_path(name: str) -> Path:
    path = ROOT.joinpath(*name.split(".")).with_suffix(".py")
    if not path.exists():
        raise BuildError(f"{name}: there is no such module in course_lib")
    return path


def take_apart(name: str, text: str) -> ModuleText:
    module = cst.parse_module(text)
    found = ModuleText(name, text, {}, {}, {})
    for statement in module.body:
        code = module.code_for_node(statement).strip("\n") + "\n"
        if isinstance(statement, (cst.FunctionDef, cst.ClassDef)):
            found.definitions[statement.name.value] = code
        elif isinstance(statement, cst.SimpleStatementLine):
            for small in statement.body:
                if isinstance(small, (cst.Import, cst.ImportFrom)):
                    found.imports.update(_imports(small, name))
                elif isinstance(small, (cst.Assign, cst.AnnAssign)):
                    found.constants[_target(small)] = code
    return found


def _target(assignment: cst.Assign | cst.AnnAssign) -> str:
    target = (
        assignment.targets[0].target if isinstance(assignment, cst.Assign) else assignment.target
    )
    return target.value if isinstance(target, cst.Name) else ""


def _imports(statement: cst.Import | cst.ImportFrom, module: str) -> dict[str, str]:
    """One import statement a bound name, relative imports made absolute."""
    empty = cst.Module(body=[])
    if isinstance(statement.names, cst.ImportStar):
        raise BuildError(f"{module}: `import *` hides which names a component needs")
    found = {}
    for alias in statement.names:
        dotted = empty.code_for_node(alias.name)
        bound = alias.evaluated_alias or dotted.split(".")[0]
        text = dotted if not alias.evaluated_alias else f"{dotted} as {bound}"
        if isinstance(statement, cst.ImportFrom):
            source = empty.code_for_node(statement.module) if statement.module else ""
            dots = "." * len(statement.relative)
            absolute = importlib.util.resolve_name(dots + source, module.rpartition(".")[0])
            found[bound] = f"from {absolute} import {text}"
        else:
            found[bound] = f"import {text}"
    return found

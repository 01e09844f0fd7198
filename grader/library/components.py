"""Components of the library as text: the source, and the stub that students start from.

A component is a top-level function or class, written "library.module:name".
"""

import ast
import importlib.util
import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property, lru_cache
from pathlib import Path

from ..course.course_file import shown
from ..course.problem import Problem

BEGIN, END = "### BEGIN SOLUTION", "### END SOLUTION"  # nbgrader's marks: cleared in between
KEPT_COMMENT = "# step "  # scaffold lines that stay in a stub
Function = ast.FunctionDef
Change = Callable[[list[str], str], list[str]]  # of a body's lines, with their indentation
GIVEN = re.compile(r":\s*# given\b")  # after a method's `def`: the student gets its body too


class BuildError(Problem):
    """The course cannot be built; the message says what is wrong and where."""


class SourceError(BuildError):
    """A module of the library is no Python; the message names its file and line."""


@dataclass(frozen=True)
class Component:
    """One function or class of a module."""

    module: str
    name: str

    @classmethod
    def parse(cls, reference: str) -> "Component":
        module, _, name = reference.partition(":")
        return cls(module, name)

    @cached_property
    def source(self) -> str:
        """The definition in the library, with the comments above it.

        Raises BuildError if the module or the definition does not exist.
        """
        found = module_text(self.module).definitions
        if self.name not in found:
            raise BuildError(
                f"{self.module} defines no {self.name!r}; it has {', '.join(sorted(found))}"
            )
        return found[self.name]

    def stub(self, label: str) -> str:
        """The source with every function body replaced by `raise NotImplementedError(label)`."""
        return stub(self.source, label, self.name)

    @property
    def marked(self) -> str:
        """The source with every function body between nbgrader's marks."""
        return _with_bodies(self.source, self.name, _marked_body)


@lru_cache(maxsize=1024)  # `no_leak` asks for the same stubs many times
def stub(source: str, label: str, name: str) -> str:
    """The stub of one definition, given as source. Raises BuildError if `name` is not in it."""
    return _with_bodies(
        source, name, lambda _, indent: [f'{indent}raise NotImplementedError("{label}")\n']
    )


def _with_bodies(source: str, name: str, change: Change) -> str:
    """The source with other function bodies; docstrings and `# step` comments stay."""
    lines = source.splitlines(keepends=True)
    bodies = [f for f in _functions(ast.parse(source), name) if not _is_given(f, lines)]
    if not bodies:
        raise BuildError(f"{name}: no function body to replace in its source")
    for function in reversed(bodies):
        lines[_head(function, lines) : function.end_lineno] = _changed_body(function, lines, change)
    return "".join(lines)


def _functions(tree: ast.Module, name: str) -> list[Function]:
    """The function of that name, or the methods of the class."""
    found: list[Function] = []
    for node in tree.body:
        if isinstance(node, Function) and node.name == name:
            found.append(node)
        elif isinstance(node, ast.ClassDef) and node.name == name:
            found += [method for method in node.body if isinstance(method, Function)]
    return found


def _head(function: Function, lines: list[str]) -> int:
    """The number of lines up to the colon before the body."""
    line = function.body[0].lineno - 1
    while not lines[line - 1].strip() or lines[line - 1].lstrip().startswith("#"):
        line -= 1
    return line


def _is_given(function: Function, lines: list[str]) -> bool:
    return bool(GIVEN.search(lines[_head(function, lines) - 1]))


def _changed_body(function: Function, lines: list[str], change: Change) -> list[str]:
    """The docstring, the `# step` comments and what `change` makes of the other lines."""
    first, start = function.body[0], _head(function, lines)
    indent, kept = " " * first.col_offset, list[str]()
    if ast.get_docstring(function, clean=False) is not None:
        kept, start = lines[start : first.end_lineno], first.end_lineno or start
    body = lines[start : function.end_lineno]
    steps = [line for line in body if line.startswith(indent + KEPT_COMMENT)]
    rest = "".join(line for line in body if line not in steps).strip("\n") + "\n"
    return [*kept, *steps, *change(rest.splitlines(keepends=True), indent)]


def _marked_body(body: list[str], indent: str) -> list[str]:
    return [f"{indent}{BEGIN}\n", *body, f"{indent}{END}\n"]


@dataclass(frozen=True)
class ModuleText:
    """A module of the library, split into its top-level parts by name."""

    name: str
    text: str
    definitions: dict[str, str]  # functions and classes
    constants: dict[str, str]
    imports: dict[str, str]  # bound name → the import statement that binds just it


@lru_cache(maxsize=64)
def module_text(name: str) -> ModuleText:
    """The parts of a module. Raises BuildError if it cannot be found, SourceError if not parsed."""
    path = _path(name)
    try:
        return take_apart(name, path.read_text(encoding="utf-8"))
    except SyntaxError as error:
        raise SourceError(
            f"{shown(path)}, line {error.lineno}: {error.msg}: correct this line"
        ) from None


def _path(name: str) -> Path:
    """The file of an importable module, which is not imported. Raises BuildError."""
    why = ""
    try:
        spec = importlib.util.find_spec(name)
    except ImportError as error:
        spec, why = None, f" ({error})"
    if spec is None or not spec.origin:
        raise BuildError(f"{name}: there is no such module{why}")
    return Path(spec.origin)


def take_apart(name: str, text: str) -> ModuleText:
    found, lines, end = ModuleText(name, text, {}, {}, {}), text.splitlines(keepends=True), 0
    for node in ast.parse(text).body:
        before, end = end, node.end_lineno or node.lineno
        code = "".join(lines[before:end]).strip("\n") + "\n"  # with the comments above it
        if isinstance(node, (Function, ast.ClassDef)):
            found.definitions[node.name] = code
        elif isinstance(node, (ast.Import, ast.ImportFrom)):
            found.imports.update(_imports(node, name))
        elif isinstance(node, (ast.Assign, ast.AnnAssign)):
            target = node.targets[0] if isinstance(node, ast.Assign) else node.target
            found.constants[target.id if isinstance(target, ast.Name) else ""] = code
    return found


def _imports(statement: ast.Import | ast.ImportFrom, module: str) -> dict[str, str]:
    """One import statement per bound name, with relative imports made absolute."""
    found = {}
    for alias in statement.names:
        if alias.name == "*":
            raise BuildError(f"{module}: `import *` hides which names a component needs")
        bound = alias.asname or alias.name.split(".")[0]
        text = f"{alias.name} as {alias.asname}" if alias.asname else alias.name
        if isinstance(statement, ast.ImportFrom):
            relative = "." * statement.level + (statement.module or "")
            absolute = importlib.util.resolve_name(relative, module.rpartition(".")[0])
            found[bound] = f"from {absolute} import {text}"
        else:
            found[bound] = f"import {text}"
    return found


def defined(module: str, text: str) -> set[str]:
    """The names that a text of a module binds."""
    parts = take_apart(module, text)
    return {*parts.definitions, *parts.constants, *parts.imports}


def stubbed(module: str, hidden: dict[str, str]) -> str:
    """A module's text with its hidden components stubbed."""
    text = module_text(module).text
    for reference, exercise in hidden.items():
        component = Component.parse(reference)
        if component.module == module:
            source = component.source
            label = f"A{exercise}: {component.name} is not written yet"
            if not exercise:
                label = f"{component.name} belongs to a later assignment"
            text = text.replace(source, stub(source, label, component.name))
    return text

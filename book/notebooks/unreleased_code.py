"""Finds the code of a lecture's notebook that waits for answers which a release does not hold yet.

A release's notebooks run from top to bottom, so such code becomes text until its answers are out.
"""

import ast
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from grader.course.course import Course
from grader.library import student_tree
from grader.library.components import Component
from grader.notebook.skipped_code import touched
from grader.notebook.statements import global_names

IMPORTS = (ast.Import, ast.ImportFrom)
Cell = tuple[str, str, list[str]]  # kind, text, tags
RESULTS = "results/"  # measured figures of the checkout, which no release holds
WAITS = (
    "*This code needs an answer that is not out yet, or our measurements. The page shows what it "
    "prints and draws.*"
)


@dataclass
class Waiting:
    """The names that are still missing; `names` grows with each statement that cannot run."""

    course: Course
    week: int
    names: set[str] = field(default_factory=set)

    def __post_init__(self) -> None:
        released = student_tree.released_in_week(self.course, self.week)
        is_open = self.week > max(week.number for week in self.course.weeks)  # for self-study
        hidden = {} if is_open else student_tree.unreleased(self.course, released)
        self.closed = {Component.parse(reference).module for reference in hidden}
        self.own = student_tree.sources(self.course).keys()
        self.there = student_tree.modules(self.course, hidden)

    def split(self, code: str) -> Iterator[tuple[str, str]]:
        """The cells that a cell becomes: ("code" or "markdown", text)."""
        source = _plain(code)
        body = ast.parse(source).body
        texts = [ast.get_source_segment(source, node) or "" for node in body]
        waits = [self._waits(node, text) for node, text in zip(body, texts, strict=True)]
        if not any(waits):
            yield "code", code
            return
        kept = [
            text
            for node, text, is_late in zip(body, texts, waits, strict=True)
            if not is_late and isinstance(node, IMPORTS)
        ]
        for node in body:
            if not isinstance(node, IMPORTS):
                self.names |= set().union(*touched(node)) | {getattr(node, "name", "")}
        if kept:
            yield "code", "\n".join(kept)
        yield "markdown", f"{WAITS}\n\n```python\n{code}\n```"

    def _waits(self, node: ast.stmt, text: str) -> bool:
        """Whether a statement cannot run; what it binds then waits, too, or else no longer does."""
        found = {alias for alias, module in _imported(node) if self._is_late(module)}
        is_late = bool(found or RESULTS in text or global_names(text) & self.names)
        binds = found if isinstance(node, IMPORTS) else set[str]().union(*touched(node))
        self.names = self.names | binds if is_late else self.names - binds
        return is_late

    def _is_late(self, module: str) -> bool:
        return module in self.own and (module in self.closed or module not in self.there)


def without_idle_imports(cells: Sequence[Cell]) -> Iterator[Cell]:
    """The cells; of one with nothing but imports only those that code uses which can run."""
    parsed = [ast.parse(_plain(text)).body if kind == "code" else [] for kind, text, _ in cells]
    rest = [node for body in parsed for node in body if not isinstance(node, IMPORTS)]
    used = global_names("\n".join(map(ast.unparse, rest)))
    for (kind, text, tags), body in zip(cells, parsed, strict=True):
        if not body or not all(isinstance(node, IMPORTS) for node in body):
            yield kind, text, tags
        elif kept := [ast.unparse(n) for n in body if {name for name, _ in _imported(n)} & used]:
            yield kind, "\n".join(kept), tags


def _plain(code: str) -> str:
    """Code without the lines that only IPython knows."""
    return "\n".join("pass" if line.startswith("%") else line for line in code.splitlines())


def _imported(node: ast.stmt) -> Iterator[tuple[str, str]]:
    """The names that a statement imports, each with a module that this reads."""
    for part in ast.walk(node):
        if isinstance(part, ast.Import):
            yield from ((a.asname or a.name.partition(".")[0], a.name) for a in part.names)
        elif isinstance(part, ast.ImportFrom) and part.module:
            for alias in part.names:
                bound = alias.asname or alias.name
                yield from ((bound, part.module), (bound, f"{part.module}.{alias.name}"))
        elif isinstance(part, ast.Call) and getattr(part.func, "id", "") == "print_source":
            yield "", str(ast.literal_eval(part.args[0])).partition(":")[0]

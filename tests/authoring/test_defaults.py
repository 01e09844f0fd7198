"""Each default of a signature that the handout fixes is proven: changed, it fails some test."""

import ast
from collections.abc import Iterator

import proofs
import pytest

from grader.checking.session import PASSED
from grader.course.mistakes import Bug
from grader.judge import mistaken
from grader.judge.workers.local import local_worker
from grader.library.components import Component

ASSIGNMENTS = [proofs.COURSE.assignment(id) for id in ("a1", "a2", "a3", "a4", "a5")]


class Changed(Bug):
    """The right source with another default."""

    source: str

    def apply(self, source: str) -> str:
        """The source that was made, whatever is given."""
        return self.source


def defaults(source: str) -> Iterator[tuple[str, ast.Constant]]:
    """The numbers and booleans that are defaults of functions and methods, by their names."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.FunctionDef):
            given, last = [*node.args.posonlyargs, *node.args.args], node.args.defaults
            pairs = [*zip(given[::-1], last[::-1], strict=False)]
            pairs += zip(node.args.kwonlyargs, node.args.kw_defaults, strict=True)
            for argument, value in pairs:
                if isinstance(value, ast.Constant) and isinstance(value.value, bool | int | float):
                    yield f"{node.name}({argument.arg})", value


def changed(source: str, default: ast.Constant) -> str:
    """The source with another value there: not True, 0.0 for a float, twice an integer."""
    old = default.value
    new = not old if isinstance(old, bool) else 0.0 if isinstance(old, float) else 2 * old or 1
    lines = source.splitlines(keepends=True)
    line = lines[default.lineno - 1].encode()
    line = line[: default.col_offset] + repr(new).encode() + line[default.end_col_offset :]
    lines[default.lineno - 1] = line.decode()
    return "".join(lines)


CASES = [
    pytest.param(assignment, exercise.id, name, value, id=f"{exercise.id}-{component}-{place}")
    for assignment in ASSIGNMENTS
    for exercise in assignment.exercises
    for name in exercise.components
    for component in [Component.parse(str(name)).name]
    for place, value in defaults(Component.parse(str(name)).source)
]


@pytest.mark.slow
@pytest.mark.parametrize(("assignment", "exercise", "name", "default"), CASES)
def test_another_default_fails_some_test(assignment, exercise, name, default):
    source = changed(Component.parse(str(name)).source, default)
    bug = Changed(component=str(name), sentence="another default", change=(), source=source)
    bug._name, bug._exercise = "another_default", exercise
    results = mistaken.run(assignment, bug, local_worker, exercises=[exercise])
    assert any(result.outcome != PASSED for result in results)

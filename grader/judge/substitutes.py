"""Substitutes for earlier exercises, so that a mistake costs points only once.

They are the right forms of the assignment's `reference.py`; a worker receives only the definitions
it needs, with the imports. For what students get in place of answers that are not out yet, see
`autograder/stand_ins`.
"""

import ast
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path

from grader.checking import faults
from grader.checking.findings import right_form
from grader.checking.suite import read_tests
from grader.course.assignment import Assignment
from grader.course.course_file import shown
from grader.notebook.statements import global_names


def names(assignment: Assignment) -> set[str]:
    """The names that have a substitute."""
    return set(read(path(assignment))[1])


def sources(assignment: Assignment, replaced: Sequence[str]) -> list[str]:
    """Source texts that redefine names, where a substitute exists.

    `replaced` are exercises, whose names are all redefined, or single names.
    """
    imports, definitions = read(path(assignment))
    of = {exercise.id: exercise.names for exercise in assignment.exercises}
    names = [name for one in replaced for name in of.get(one, [one])]
    needed, waiting = list[str](), [name for name in names if name in definitions]
    while waiting:
        name = waiting.pop()
        if name in needed:
            continue
        needed.append(name)
        # include a substitute's private helpers, but not other exercises' substitutes
        waiting += [n for n in global_names(definitions[name]) if n.startswith("_")]
    parts = [source for name, source in definitions.items() if name in needed]  # bases first
    return [*imports, *parts] if parts else []


def proofread(assignment: Assignment) -> None:
    """Raises SuiteError for a file that is no Python, or uses a name that is bound nowhere.

    It may be missing only if no hidden test is a question, whose right answer would be its own.
    """
    file = path(assignment)
    if file.exists():
        try:
            read(file)
        except SyntaxError as error:
            raise faults.in_reading(error, file) from None
        faults.check_names(file, ())
        return
    tests = [test for suite_file in assignment.hidden_tests() for test in read_tests(suite_file)]
    if any("its" in test.parameters for test in tests):
        raise faults.SuiteError(
            f"{shown(file)}: there is no such file: write right forms there, which answer the "
            "questions of the hidden tests"
        )


def path(assignment: Assignment) -> Path:
    """The file of an assignment's right forms."""
    return assignment.hidden / right_form.FILE


@lru_cache(maxsize=8)
def read(path: Path) -> tuple[list[str], dict[str, str]]:
    """The file's imports and definitions; of another reference, the names that it takes, too."""
    text = path.read_text(encoding="utf-8") if path.exists() else ""
    imports, definitions = list[str](), dict[str, str]()
    for node in ast.parse(text, filename=str(path)).body:
        first = min([node.lineno, *(one.lineno for one in getattr(node, "decorator_list", []))])
        source = "\n".join(text.splitlines()[first - 1 : node.end_lineno])
        if isinstance(node, ast.ImportFrom) and (node.module or "").endswith(".reference"):
            other = (node.module or "").split(".")[-2]  # another assignment's
            of, theirs = read(path.parents[1] / other / path.name)
            imports += of
            private = {name: text for name, text in theirs.items() if name.startswith("_")}
            definitions = private | definitions
            for name in (alias.name for alias in node.names):
                if name not in theirs:
                    raise faults.at(path, node.lineno, f"{node.module} has no {name!r}")
                definitions[name] = theirs[name]
        elif isinstance(node, (ast.Import, ast.ImportFrom)):
            if getattr(node, "module", "") != "__future__":
                imports.append(source)
        elif isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            definitions[node.name] = source
        elif isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            definitions[node.targets[0].id] = source
    return imports, definitions

"""Finds imports of packages that are not the course's, so that the grader need not have them."""

import ast
import sys
from collections.abc import Iterable, Iterator

from ..course import tree
from ..course.assignment import Assignment
from ..course.course import Course
from .collect import Collected


def foreign_imports(
    course: Course, assignment: Assignment, collected: Collected, names: Iterable[str]
) -> dict[str, str]:
    """Foreign packages that `names` need: the problem, by the name that an import binds.

    A student compares with the packages of the release, the grader with all of the course.
    """
    own = {module.partition(".")[0] for module in assignment.imports}
    known = {*sys.stdlib_module_names, *own, *course.facts.libraries}
    lines = tree.requirements(course.root)
    found = {}
    for statement in collected.closure(names) if lines else ():
        if collected.unavailable.keys() >= {*statement.names}:
            continue  # why is known, as with a module that the notebook itself writes
        for module in _imported(ast.parse(statement.source)):
            if module in known or module in tree.modules(tuple(lines)):
                continue
            has = ", ".join(sorted(own - sys.stdlib_module_names))
            why = (
                f"cell {statement.cell} imports `{module}`, which the grader does not have (it has "
                f"{has} and the rest of requirements.txt): write it without"
            )
            found.update(dict.fromkeys(statement.names, why))
    return found


def _imported(tree: ast.AST) -> Iterator[str]:
    """The top-level modules that code imports, wherever; not those that it can do without."""
    waiting = [tree]
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.Import):
            yield from (alias.name.partition(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            yield node.module.partition(".")[0]
        elif not isinstance(node, ast.Try):
            waiting += ast.iter_child_nodes(node)

"""Substitutes for earlier exercises, so that a mistake costs points only once.

They are built on SciPy's and torch's operations, in `autograder/suites/aN/substitutes.py`; a worker
receives only the definitions it needs, with the imports. For what students get in place of answers
that are not out yet, see `autograder/release/stand_ins`.
"""

from __future__ import annotations

import ast
from functools import lru_cache

from course_lib.course.syllabus import ROOT, Assignment

from ..notebook.global_names import global_names


def sources(assignment: Assignment, exercises: list[str]) -> list[str]:
    """Source texts that redefine the names of these exercises, where a substitute exists."""
    imports, definitions = _file(assignment.id)
    names = [name for id in exercises for name in assignment.exercise(id).names]
    needed, waiting = list[str](), [name for name in names if name in definitions]
    while waiting:
        name = waiting.pop()
        if name in needed:
            continue
        needed.append(name)
        # include a substitute's private helpers, but not other exercises' substitutes
        waiting += [n for n in global_names(definitions[name]) if n.startswith("_")]
    parts = [definitions[name] for name in reversed(needed) if name in definitions]
    return [*imports, *parts] if parts else []


@lru_cache(maxsize=8)
def _file(assignment: str) -> tuple[list[str], dict[str, str]]:
    path = ROOT / "autograder" / "suites" / assignment / "substitutes.py"
    text = path.read_text(encoding="utf-8") if path.exists() else ""
    imports, definitions = [], {}
    for node in ast.parse(text).body:
        source = ast.get_source_segment(text, node) or ""
        if isinstance(node, (ast.Import, ast.ImportFrom)):
            if getattr(node, "module", "") != "__future__":
                imports.append(source)
        elif isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            definitions[node.name] = source
        elif isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            definitions[node.targets[0].id] = source
    return imports, definitions

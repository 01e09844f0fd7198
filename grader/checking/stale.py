"""Detects a stale kernel, which could be mistaken for a wrong answer.

If a cell was edited but not run again, its check tests the old definition. This module notices by
comparing the saved notebook with what the kernel has run.
"""

from __future__ import annotations

import ast
import os
from pathlib import Path
from typing import Any

from ..notebook import notebook_file


def sentences(names: list[str], namespace: dict[str, Any]) -> list[str]:
    """One sentence for each definition that was edited and saved but not run since."""
    path = notebook_path(namespace)
    history = [text for text in namespace.get("In", []) if isinstance(text, str)]
    if path is None or not history:
        return []
    saved = _cells(path)
    found = []
    for name in names:
        typed = _definitions(saved, name)[-1:]
        run = _definitions(history, name)
        if typed and run and typed[0] not in run:
            found.append(
                f"`{name}` was edited, but its cell has not been run since: this check tested the "
                "old version. Run the cell, then check again."
            )
        elif typed and not run:
            found.append(f"the cell that defines `{name}` has not been run in this kernel: run it.")
    return found


def notebook_path(namespace: dict[str, Any]) -> Path | None:
    """The open notebook's file, if the front end reports it (Jupyter, VS Code); otherwise None."""
    for place in (os.environ.get("JPY_SESSION_NAME"), namespace.get("__vsc_ipynb_file__")):
        if place and Path(place).suffix == ".ipynb" and Path(place).exists():
            return Path(place)
    return None


def _cells(path: Path) -> list[str]:
    try:
        cells = notebook_file.read(path.read_bytes())
    except (OSError, notebook_file.InvalidNotebook):
        return []  # only a hint is lost: the check itself must not fail on an unreadable file
    return [cell.source for cell in cells if cell.kind == "code"]


def _definitions(cells: list[str], name: str) -> list[str]:
    """The normalized syntax tree of every definition of `name`, in order."""
    found = []
    for text in cells:
        try:
            tree = ast.parse(text)
        except (SyntaxError, ValueError):
            continue
        found += [
            ast.dump(node)
            for node in tree.body
            if isinstance(node, (ast.FunctionDef, ast.ClassDef)) and node.name == name
        ]
    return found

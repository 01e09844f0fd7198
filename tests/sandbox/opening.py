"""Helpers of the sandbox tests: a worker on a source text, and checks of what it leaves behind."""

import ast
import time
from dataclasses import fields
from pathlib import Path

import pytest
from world_tables import texts

from autograder.demo.bundled_class import HOSTILE
from grader.judge.workers.load import Load
from grader.judge.workers.remote import RemoteBackend, WarmProcess
from grader.notebook.statements import Statement
from grader.sandbox import process_tree
from grader.seam import StudentError

PROGRAMS = HOSTILE | texts("programs", "programs.toml")  # by name
DEADLINE = 1.0  # seconds per call; the course's own is longer


def backend_of(process: WarmProcess, source: str, **options) -> RemoteBackend:
    loaded = {field.name for field in fields(Load)} & options.keys()
    load = Load(
        statements(PROGRAMS.get(source, source)), **{name: options.pop(name) for name in loaded}
    )
    return RemoteBackend(process.workers, load, **{"deadline": DEADLINE} | options)


def statements(source: str) -> list[Statement]:
    """Every top-level statement as a cell of its own."""
    found = []
    for cell, node in enumerate(ast.parse(source).body, 1):
        names = [getattr(node, "name", "")]
        targets = [part for target in getattr(node, "targets", []) for part in ast.walk(target)]
        names += [part.id for part in targets if isinstance(part, ast.Name)]
        names += [alias.asname or alias.name for alias in getattr(node, "names", [])]
        first = min([node.lineno, *(d.lineno for d in getattr(node, "decorator_list", []))])
        text = "\n".join(source.splitlines()[first - 1 : node.end_lineno])
        found.append(Statement(cell, first, text, tuple(filter(None, names))))
    return found


def failure(call, *args, **options) -> StudentError:
    """What a call that must fail raises."""
    with pytest.raises(StudentError) as caught:
        call(*args, **options)
    return caught.value


def assert_nothing_is_left(process: WarmProcess) -> None:
    until = time.monotonic() + 30.0
    while process_tree.descendants(process.pid) and time.monotonic() < until:
        time.sleep(0.02)
    assert process_tree.descendants(process.pid) == []


def alive(pid: int) -> bool:
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return False
    return state not in "ZX"  # zombie or dead

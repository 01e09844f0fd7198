"""Keeps the named mistakes' answers in a file for the next run with the same suite and seed.

They are in the course's own folder, which no submission's code can open, and can be deleted at any
time. Numbers have seven digits, far more than a comparison of answers needs.
"""

import contextlib
import hashlib
import json
import os
from collections.abc import Iterable
from pathlib import Path

from grader.checking.findings import shown_answers
from grader.checking.findings.causes import Told
from grader.course.assignment import Assignment

FOLDER = ".course/mistaken"  # in the course's root


def folder_of(assignment: Assignment, given: Iterable[bytes], seed: int) -> Path:
    """Where the answers lie that follow from these texts and this seed."""
    digest = hashlib.sha256(str(seed).encode())
    for text in given:
        digest.update(text)
    return assignment.root / FOLDER / f"{assignment.id}-{digest.hexdigest()[:16]}"


def read(path: Path) -> dict[str, Told]:
    """By test; nothing if the file is not there or is damaged."""
    with contextlib.suppress(OSError, ValueError, KeyError, TypeError):
        kept = json.loads(path.read_text(encoding="utf-8"))
        return {
            test: Told(one["outcome"], one["answer"] and shown_answers.answer_of(one["answer"]))
            for test, one in kept.items()
        }
    return {}


def write(path: Path, told: dict[str, Told]) -> None:
    """Replace the file at once; where nothing can be written, nothing is kept."""
    kept = {
        test: {"outcome": one.outcome, "answer": one.answer and shown_answers.written(one.answer)}
        for test, one in told.items()
    }
    with contextlib.suppress(OSError):
        path.parent.mkdir(parents=True, exist_ok=True)
        half = path.with_suffix(f".{os.getpid()}")
        half.write_text(json.dumps(kept), encoding="utf-8")
        half.replace(path)

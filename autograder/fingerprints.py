"""What a grade rests on, as hashes: the suite that graded and the environment it ran in."""

from __future__ import annotations

import hashlib
import platform
from collections.abc import Iterable
from functools import lru_cache
from importlib.metadata import distributions
from pathlib import Path

from course_lib.syllabus import ROOT, Assignment

JUDGING = ("course_lib/seam", "course_lib/checking", "autograder/judge", "autograder/sandbox")


@lru_cache(maxsize=8)
def _of_files(folders: tuple[str, ...]) -> str:
    digest = hashlib.sha256()
    for path in _files(ROOT / folder for folder in folders):
        digest.update(path.relative_to(ROOT).as_posix().encode())
        digest.update(path.read_bytes())
    return digest.hexdigest()


def suite(assignment: Assignment) -> str:
    """Hash of all that decides points: tests, named bugs, what course.toml says, the judge."""
    measured = {e.full_at for e in assignment.exercises if isinstance(e.full_at, str)}
    files = _of_files(
        (
            f"autograder/suites/{assignment.id}",
            f"autograder/bugs/{assignment.id}",
            f"assignments/{assignment.id}",
            *(f"results/{name}.json" for name in sorted(measured)),
            *JUDGING,
        )
    )
    return hashlib.sha256((files + assignment.model_dump_json()).encode()).hexdigest()


@lru_cache(maxsize=1)
def environment() -> str:
    """Hash of Python's version and every installed package's."""
    names = sorted(f"{d.metadata['Name']}=={d.version}".lower() for d in distributions())
    return hashlib.sha256("\n".join([platform.python_version(), *names]).encode()).hexdigest()


def _files(folders: Iterable[Path]) -> list[Path]:
    kinds = (".py", ".toml")
    places = list(folders)
    inside = [p for place in places for p in place.rglob("*") if p.suffix in kinds]
    return sorted(inside + [place for place in places if place.is_file()])

"""Hashes of what a grade depends on: the suite that graded it and the environment it ran in.

When in doubt a file counts: the engine's packages that grade, the course's library and its hidden
folder count as a whole, for every assignment. Only what is one exercise's own is told apart.
"""

import hashlib
import json
import platform
import re
from collections.abc import Iterator, Mapping
from functools import lru_cache
from importlib.metadata import distributions
from pathlib import Path
from typing import TYPE_CHECKING, Any

from grader.course.assignment import Assignment
from grader.course.course import Course
from grader.course.course_file import data_of
from grader.course.record.files import FILE as RECORD
from grader.notebook.answer_cells import PREDICTION

if TYPE_CHECKING:
    from ..judge.models.scorer import HiddenLabels

ENGINE = Path(__file__).parents[1]
# What of the engine decides a grade; what is computed anew for every report is left out.
GRADES = (
    "checking course grading judge library notebook sandbox seam gradebook/exercise_result.py "
    "gradebook/result.py intake/handed_in.py intake/plain_files.py"
).split()
OF_MODELS = "judge/models"  # counts only where a trained model is scored
PROVES = {"demo", "hostile", "variants"}  # folders of hidden files that prove the grader
# Fields of course.toml that no grade depends on. Lateness is recomputed for every report.
IGNORED_FIELDS: dict[str, Any] = {
    "title": True, "build": True, "source": True, "week": True, "released": True, "due": True,
    "late_days": True, "late_penalty_percent": True, "weight_percent": True, "compute": True,
    "prerequisites": True, "profiles": True,
    "exercises": {"__all__": {"minutes", "difficulty", "title", "section", "hints", "mistakes"}},
}  # fmt: skip
HEADINGS = ("# ", "## ")  # of a starter, with titles, points, minutes
# An exercise, in a path or in a text: exercise_2_1/test_2_1_attention.py, @exercise("2.1")
_EXERCISE = re.compile(r"\b(?:test|exercise)(?:_|\(\s*[\"'])(\d+)[._](\d+)")


def parts(
    course: Course,
    assignment: Assignment,
    labels: "HiddenLabels | None" = None,
    engine: Path = ENGINE,
) -> dict[str, str]:
    """Hashes of all that decides points: by exercise, of its tests, named mistakes and, if it is
    code, its points; under "", of what all exercises depend on, such as the judge, the library,
    thresholds, the rest of course.toml, and the `labels` that trained models are scored with.

    Raises UnicodeDecodeError or OSError if the checkout cannot be read.
    """
    facts = assignment.model_dump(mode="json", exclude=IGNORED_FIELDS)
    found: dict[str, list[object]] = {"": [_stubs(course)]}
    for exercise in facts["exercises"]:
        points = exercise.pop("points") if exercise["kind"] == "code" else None
        found[exercise["id"]] = [points]
    found[""] += [facts, course.facts.plugins, course.facts.scorers]
    if labels is not None:
        found[""] += [labels.source, labels.fingerprint, labels.labels, labels.fallback]
    for path in _of_engine(engine, assignment):
        found[""].append((path.relative_to(engine).as_posix(), _sha256(path.read_bytes())))
    for path, id in _of_course(course, assignment).items():
        if id in found:  # it is not another assignment's exercise
            found[id].append((path.relative_to(course.root).as_posix(), _sha256(_content(path))))
    return {id: _sha256(json.dumps(told, sort_keys=True).encode()) for id, told in found.items()}


def _of_engine(engine: Path, assignment: Assignment) -> Iterator[Path]:
    for name in GRADES:
        for path in _files(engine / name):
            if assignment.model or not path.is_relative_to(engine / OF_MODELS):
                yield path


def _of_course(course: Course, assignment: Assignment) -> dict[Path, str]:
    """Every file of the course that decides grades, with the exercise that it is about.

    "" is for any other file, and for the files of exercises of which one's name another's.
    """
    shared = [path for package in course.libraries for path in _files(package)]
    shared += [*(course.root / "data").glob("*.toml"), assignment.starter]
    shared += {path for exercise in assignment.exercises for path in exercise.calibration}
    owners, named = dict.fromkeys(filter(Path.is_file, shared), ""), dict[Path, set[str]]()
    hidden = _files(course.hidden)
    hidden = [p for p in hidden if PROVES.isdisjoint(p.relative_to(course.hidden).parts)]
    for path in [*hidden, *assignment.public_tests]:
        owners[path] = max(_exercises(path.relative_to(course.root).as_posix()), default="")
        named[path] = {owners[path], *_exercises(path.read_text(encoding="utf-8"))}
    own, mixed = {exercise.id for exercise in assignment.exercises}, {""}
    while more := {
        id
        for path, ids in named.items()
        if owners[path] in own | mixed and len(ids) > 1
        for id in ids - mixed
    }:
        mixed |= more
    return {path: "" if owners[path] in mixed else owners[path] for path in sorted(owners)}


def _exercises(text: str) -> set[str]:
    return {".".join(numbers) for numbers in _EXERCISE.findall(text)}


def _files(place: Path) -> list[Path]:
    """The files below a folder, or the file itself; no prose and nothing compiled."""
    found = [place] if place.is_file() else place.rglob("*")
    return sorted(p for p in found if p.is_file() and p.suffix not in (".md", ".pyc"))


def _content(path: Path) -> bytes:
    """The part of a file that matters: a starter's compared part, an exercise record's mistakes.

    The rest of a record is in the facts of its assignment.
    """
    if path.suffix == ".ipynb":
        return _compared(path)
    if path.name == RECORD:
        return json.dumps(data_of(path).get("mistakes"), sort_keys=True).encode()
    return path.read_bytes()


def _compared(starter: Path) -> bytes:
    """The parts of a file that the judge compares: not the headings, which are of course.toml."""
    kept = []
    for cell in json.loads(starter.read_text(encoding="utf-8"))["cells"]:
        text = "".join(cell["source"])
        if cell["cell_type"] != "markdown" or PREDICTION in text or not text.startswith(HEADINGS):
            kept.append((cell["cell_type"], cell.get("metadata"), text))
    return json.dumps(kept, sort_keys=True).encode()


def _stubs(course: Course) -> list[object]:
    """The components that students get as stubs, so that their modules differ."""
    return [
        course.facts.reserved,
        [(a.id, [e.components for e in a.exercises]) for a in course.assignments],
    ]


def combine(parts: Mapping[str, str]) -> str:
    """One hash for all parts."""
    return _sha256(json.dumps(parts, sort_keys=True).encode())


@lru_cache(maxsize=1)
def environment() -> str:
    """Hash of Python's version and every installed package's."""
    heads = [found.metadata for found in distributions()]  # each is a parse: once a package
    names = sorted(f"{head['Name']}=={head['Version']}".lower() for head in heads)
    return _sha256("\n".join([platform.python_version(), *names]).encode())


def _sha256(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()

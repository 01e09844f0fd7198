"""Hashes of what a grade depends on: the suite that graded it and the environment it ran in.

The files are found by following import statements as text, without importing anything, from the
judge, the sandbox and the assignment's tests into `autograder` and `course_lib`. When in doubt a
file counts: any text that looks like an import is followed, and so is every module of `course_lib`
that a file or the submission names.
"""

from __future__ import annotations

import hashlib
import json
import platform
import re
from collections.abc import Iterable, Mapping
from functools import lru_cache
from importlib.metadata import distributions
from pathlib import Path
from typing import Any

from grader.course.course import FILE, Assignment, Course
from grader.notebook.written_answers import PREDICTION

from .exercise_files import owner_of
from .import_statements import imported, without_types

# Where grading starts, and what makes the `course_lib` that workers see.
JUDGE = (
    "grader.grading.class_run",
    "grader.grading.judge_process",
    "grader.library.student_tree",
)
FOLDERS = ("grader/notebook", "grader/judge", "grader/sandbox")
# Imported in a worker, with all its imports, before any student code.
PRELOADED = "grader.checking.notebook"
# Not followed: their output is part of a grade's key already, or recomputed for every report.
LEFT_OUT = (
    "grader.intake.submissions",
    "grader.grading.fingerprints",
    "grader.judge.models.hidden_labels",
    "grader.gradebook.lateness",
    "grader.gradebook.store",
    "grader.gradebook.totals",
)
# Needed only by assignments with a trained model.
OF_MODELS = tuple(
    f"grader.judge.models.{name}"
    for name in "model_part asking measure classification translation".split()
)
# Fields of course.toml that no grade depends on. Lateness is recomputed for every report.
IGNORED_FIELDS: dict[str, Any] = {
    "title": True, "build": True, "source": True, "week": True, "released": True, "due": True,
    "late_days": True, "late_penalty_percent": True, "weight_percent": True, "compute": True,
    "prerequisites": True, "profiles": True,
    "exercises": {"__all__": {"minutes", "difficulty", "title", "section"}},
}  # fmt: skip

MAX_PACKAGES = 12  # parts of a dotted name; ours have fewer
_NAMED = re.compile(r"\bcourse_lib((?:\.[A-Za-z_]\w*)+)(?![\w:])")  # module:name is not an import
_FROM_LIBRARY = re.compile(r"from\s+course_lib((?:\.\w+)*)\s+import\s+(\([^()]*\)|[\w ,]+)")
PACKAGES = ("autograder", "course_lib", "grader")
_FILE_NAME = re.compile(r"[\"']([\w.-]+\.(?:py|json|toml|txt|csv))[\"']")


class Sources:
    """A checkout's files, each read once, and the files that each one imports."""

    def __init__(self, root: Path, course: Course):
        self.root, self.course = root, course
        self._modules: dict[str, Path] = {}  # every module of ours, by its dotted name
        self._texts: dict[Path, str] = {}
        self._imports: dict[Path, frozenset[Path]] = {}
        self._digests: dict[tuple[str, bool, frozenset[Path]], dict[str, str]] = {}

    def digests(self, assignment: Assignment, submission: bytes = b"") -> dict[str, str]:
        """Hashes of the paths and contents of the files that this assignment's grades depend on.

        By exercise, of the files that no other one depends on: its tests and named mistakes; under
        "", of all others. They include the modules of `course_lib` that the submission imports.
        """
        named = self._modules_named(submission.decode("utf-8", "replace"))
        key = (assignment.id, assignment.model is not None, frozenset(named))
        if key not in self._digests:
            files = self.files(assignment, named)
            owners = self._owners(assignment, files)
            made = {"": hashlib.sha256("\n".join(self._stubbed(files)).encode())}
            made |= {exercise.id: hashlib.sha256() for exercise in assignment.exercises}
            for path in sorted(files):
                digest = made[owners.get(path, "")]
                digest.update(path.relative_to(self.root).as_posix().encode() + b"\0")
                digest.update(hashlib.sha256(self._content(path)).digest())
            self._digests[key] = {id: digest.hexdigest() for id, digest in made.items()}
        return self._digests[key]

    def files(self, assignment: Assignment, named: Iterable[Path] = ()) -> set[Path]:
        """Every file that this assignment's grades depend on; `named` by the submission."""
        code = self._followed([*self._roots(assignment), *named], assignment)
        library = self.root / "course_lib"
        inside = [path.relative_to(library) for path in code if path.is_relative_to(library)]
        stand_ins = {self.root / "autograder/stand_ins" / path for path in inside}
        code |= self._followed([path for path in stand_ins if path.exists()], assignment)
        return code | self._data(assignment, code)

    def _owners(self, assignment: Assignment, files: set[Path]) -> dict[Path, str]:
        """The files that only one exercise depends on, with its id.

        A file that another exercise's or anybody's file imports or names is left out.
        """
        owner = {p: owner_of(p.relative_to(self.root), self._text(p), assignment.id) for p in files}
        named = {p: self._next(p) | {p.parent / n for n in self._names(p)} for p in files}
        ids = {exercise.id for exercise in assignment.exercises}
        found = {path: id for path, id in owner.items() if id in ids}
        while shared := {
            other
            for path in files
            for other in named[path] & found.keys()
            if found.get(path) != found[other]
        }:
            found = {path: id for path, id in found.items() if path not in shared}
        return found

    def _names(self, path: Path) -> list[str]:
        """The names of files that a file's text holds."""
        return _FILE_NAME.findall(self._text(path))

    def _content(self, path: Path) -> bytes:
        """A file's bytes; of a starter, what the judge compares a submission with."""
        if path.suffix != ".ipynb":
            return path.read_bytes()
        cells = [
            (cell["cell_type"], cell.get("metadata"), "".join(cell["source"]))
            for cell in json.loads(self._text(path))["cells"]
        ]
        headings = ("# ", "## ")  # from course.toml: titles, points, minutes
        kept = [
            (kind, metadata, text)
            for kind, metadata, text in cells
            if kind != "markdown" or PREDICTION in text or not text.startswith(headings)
        ]
        return json.dumps(kept, sort_keys=True).encode()

    def _stubbed(self, files: set[Path]) -> list[str]:
        """Components in these files that students get as stubs, so that their modules differ."""
        course = self.course
        hidden = {*course.facts.reserved}
        hidden.update(c for a in course.assignments for e in a.exercises for c in e.components)
        return sorted(c for c in hidden if self._module(c.partition(":")[0]) in files)

    def _roots(self, assignment: Assignment) -> list[Path]:
        tests = self.root / "assignments" / assignment.id
        folders = [
            *(self.root / name for name in FOLDERS),
            self.root / "autograder" / "suites" / assignment.id,
            tests / "public_tests",
        ]
        found = [path for folder in folders for path in folder.rglob("*.py")]
        modules = [self._module(name) for name in (*JUDGE, PRELOADED)]
        starter = tests / f"{assignment.id}.ipynb"
        given = self._modules_named(self._text(starter)) if starter.exists() else []
        return [*found, *(m for m in modules if m), *given]

    def _data(self, assignment: Assignment, code: set[Path]) -> set[Path]:
        """Files that are read, not imported: bugs, thresholds, the starter, files named in code."""
        found = {
            self.root / "results" / p.name for e in assignment.exercises for p in e.calibration
        }
        found |= {*(self.root / "autograder" / "bugs" / assignment.id).glob("*.toml")}
        found.add(self.root / "assignments" / assignment.id / f"{assignment.id}.ipynb")
        for path in code:
            for name in self._names(path):
                found |= {path.parent / name, self.root / "data" / name}
        return {path for path in found if path.is_file()}

    def _followed(self, roots: Iterable[Path], assignment: Assignment) -> set[Path]:
        left_out = {self._module(n) for n in (*LEFT_OUT, *(() if assignment.model else OF_MODELS))}
        found, waiting = set[Path](), list(roots)
        while waiting:
            path = waiting.pop()
            if path not in found and path not in left_out:
                found.add(path)
                waiting += self._next(path)
        return found

    def _next(self, path: Path) -> frozenset[Path]:
        if path not in self._imports:
            text = without_types(self._text(path))
            names = imported(text, path.relative_to(self.root).parts[:-1])
            found = {module for name in names for module in self._with_packages(name)}
            self._imports[path] = frozenset(found | {*self._modules_named(text)})
        return self._imports[path]

    def _modules_named(self, text: str) -> set[Path]:
        """Modules of `course_lib` that a text names, in source or in a notebook's JSON."""
        names = {f"course_lib{rest}" for rest in _NAMED.findall(text)}
        for package, words in _FROM_LIBRARY.findall(text):
            names |= {f"course_lib{package}.{word}" for word in re.findall(r"\w+", words)}
        return {module for name in names for module in self._with_packages(name)}

    def _with_packages(self, name: str) -> list[Path]:
        """The file of a module, and the `__init__.py` files that importing it runs."""
        parts = name.split(".", MAX_PACKAGES)[:MAX_PACKAGES]
        if parts[0] not in PACKAGES:
            return []
        above = [self._module(".".join(parts[:end])) for end in range(1, len(parts) + 1)]
        return [path for path in above if path]

    def _module(self, name: str) -> Path | None:
        if not self._modules:  # names come from submissions too: none of them is tried on the disk
            ours = (self.root / package for package in PACKAGES)
            for path in sorted((p for folder in ours for p in folder.rglob("*.py")), reverse=True):
                parts = path.relative_to(self.root).with_suffix("").parts
                plain = parts[:-1] if parts[-1] == "__init__" else parts
                self._modules[".".join(plain)] = path
        return self._modules.get(name)

    def _text(self, path: Path) -> str:
        if path not in self._texts:
            self._texts[path] = path.read_text(encoding="utf-8")
        return self._texts[path]


@lru_cache(maxsize=4)
def _sources(root: Path) -> Sources:
    return Sources(root, Course.load(root / FILE))


def parts(
    assignment: Assignment, submission: bytes = b"", sources: Sources | None = None
) -> dict[str, str]:
    """Hashes of all that decides points: by exercise, of its tests, named mistakes and, if it is
    code, its points; under "", of what all exercises depend on: judge, library, thresholds, the
    rest of course.toml.

    Raises UnicodeDecodeError or OSError if the checkout cannot be read.
    """
    found = (sources or _sources(assignment.root)).digests(assignment, submission)
    facts = assignment.model_dump(mode="json", exclude=IGNORED_FIELDS)
    own = {"": ""}
    for exercise in facts["exercises"]:
        if exercise["kind"] == "code":
            own[exercise["id"]] = json.dumps(exercise.pop("points"))
    own[""] = json.dumps(facts, sort_keys=True)
    return found | {
        id: hashlib.sha256((found[id] + fields).encode()).hexdigest() for id, fields in own.items()
    }


def together(parts: Mapping[str, str]) -> str:
    """One hash for all parts."""
    return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()


@lru_cache(maxsize=1)
def environment() -> str:
    """Hash of Python's version and every installed package's."""
    names = sorted(f"{d.metadata['Name']}=={d.version}".lower() for d in distributions())
    return hashlib.sha256("\n".join([platform.python_version(), *names]).encode()).hexdigest()

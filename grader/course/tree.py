"""A course's folder: where it is, and the packages that it promises its students.

Python alone is enough to read it: where a notebook begins, packages may be missing yet.
"""

from functools import lru_cache
from importlib.metadata import Distribution, PackageNotFoundError, distribution
from pathlib import Path

FILE = "course.toml"
PACKED = "grader.zip"  # what a release holds of the grader, which Python imports as it is


def above(folder: Path) -> Path | None:
    """The nearest folder, this one or above, with `course.toml`."""
    folder = folder.resolve()
    return next((place for place in (folder, *folder.parents) if (place / FILE).is_file()), None)


def root_of(folder: Path) -> Path:
    """The same; else the one that this program is in."""
    return above(folder) or OWN


def is_own(module: str) -> bool:
    """Whether a module is one of the grader's, or of the course in whose folder this runs."""
    top = module.partition(".")[0]
    return top == "grader" or (root_of(Path.cwd()) / top).is_dir()


def imported_from(root: Path) -> list[str]:
    """The entries of Python's path with which grader and library are those of `root`."""
    return [str(entry) for entry in (root / PACKED, root) if entry.exists()]


_BESIDE = Path(__file__).resolve().parents[2]
OWN = _BESIDE.parent if _BESIDE.name == PACKED else _BESIDE  # the folder that this program is in


def requirements(tree: Path) -> list[str]:
    """The packages that the course needs: requirements.txt, or pyproject.toml's extra `student`."""
    listed = tree / "requirements.txt"
    if listed.exists():
        lines = listed.read_text(encoding="utf-8").splitlines()
        return [line.strip() for line in lines if line.strip() and not line.startswith("#")]
    project = tree / "pyproject.toml"
    if not project.exists():
        return []
    from . import toml  # of a package that may be missing, on Python 3.10

    table = toml.loads(project.read_text(encoding="utf-8"))["project"]
    return list(table["optional-dependencies"]["student"])


@lru_cache(maxsize=4)
def modules(lines: tuple[str, ...]) -> frozenset[str]:
    """The top-level modules of the listed packages, and of those that they need in turn.

    A package that is not installed here is known by its own name.
    """
    from packaging.requirements import Requirement  # every notebook's kernel has it

    found, seen, waiting = set[str](), set[str](), list(lines)
    while waiting:
        wanted = Requirement(waiting.pop())
        of_an_extra = wanted.marker is not None and not wanted.marker.evaluate({"extra": ""})
        if wanted.name in seen or (of_an_extra and "extra" in str(wanted.marker)):
            continue
        seen.add(wanted.name)
        found.add(wanted.name.replace("-", "_"))
        try:
            package = distribution(wanted.name)
        except PackageNotFoundError:
            continue
        found |= _modules_of(package)
        waiting += package.requires or []
    return frozenset(found)


def _modules_of(package: Distribution) -> set[str]:
    """Its top-level modules; Python 3.10's own list knows only packages that say so themselves."""
    listed = (package.read_text("top_level.txt") or "").split()
    return {*listed, *(file.parts[0].partition(".")[0] for file in package.files or ())}

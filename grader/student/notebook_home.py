"""The second half of a notebook's set-up cell, which finds or fetches the course and then calls it.

`begin` checks the version, installs what is missing, chooses the device and the training profile,
and says so in one line. Until the packages are there, only the standard library is imported. Colab
and Kaggle come with most of them, made for each other: whatever is installed is pinned while pip
adds the rest, and torch and numpy are never installed at all.
"""

import importlib
import os
import re
import subprocess
import sys
import tempfile
from dataclasses import dataclass, field
from importlib.metadata import PackageNotFoundError, distributions, version
from pathlib import Path

from ..course.problem import SetupError
from ..course.tree import imported_from, requirements, root_of

NEVER_INSTALLED = ("torch", "numpy")


@dataclass
class Packages:
    """Which of the wanted packages are absent, and which are older than the course was tested with.

    Both hold the lines of the requirements; an older one is followed by the version that is there.
    """

    absent: list[str] = field(default_factory=list)
    older: list[str] = field(default_factory=list)


def compare(lines: list[str]) -> Packages:
    """Compare requirements with what is installed."""
    from packaging.requirements import Requirement  # every notebook's kernel has it

    found = Packages()
    for line in lines:
        wanted = Requirement(line)
        if wanted.marker and not wanted.marker.evaluate():
            continue
        try:
            installed = version(wanted.name)
        except PackageNotFoundError:
            found.absent.append(line)
            continue
        if not wanted.specifier.contains(installed, prereleases=True):
            found.older.append(f"{line} ({installed} is installed)")
    return found


def install(lines: list[str]) -> Packages:
    """Install what is absent; returns how it was before.

    Raises SetupError if torch or numpy is absent, or if pip fails: offline, say.
    """
    found = compare(lines)
    names = [_name(line) for line in found.absent]
    if own := [name for name in names if name in NEVER_INSTALLED]:
        raise SetupError(
            f"not installed: {' and '.join(own)}. Install what this week needs as README.md says "
            "under Start, restart the kernel, and run this cell again"
        )
    if found.absent:
        _pip(found.absent, names)
    return found


def _pip(lines: list[str], names: list[str]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        pinned = Path(folder, "installed.txt")
        pinned.write_text("".join(f"{line}\n" for line in installed()), encoding="utf-8")
        options = "--quiet --disable-pip-version-check --no-input --retries 1 --timeout 30".split()
        command = [sys.executable, "-m", "pip", "install", *options, "--constraint", str(pinned)]
        done = subprocess.run([*command, *lines], capture_output=True, text=True)
    importlib.invalidate_caches()
    if done.returncode:
        said = [line for line in done.stderr.splitlines() if "ERROR" in line or "No module" in line]
        reason = said[-1].removeprefix("ERROR: ") if said else f"exit code {done.returncode}"
        raise SetupError(
            f"{', '.join(names)} could not be installed ({reason}): check that this machine is "
            "online (on Kaggle: Settings, Internet), and run this cell again"
        )


def installed() -> list[str]:
    """Every installed package as `name==version`, as Python would import it, sorted."""
    from packaging.utils import canonicalize_name
    from packaging.version import InvalidVersion, Version

    found: dict[str, str] = {}
    for distribution in distributions():
        name = distribution.metadata["Name"]
        try:
            Version(distribution.version)
        except (InvalidVersion, TypeError):  # nothing pip could compare
            continue
        if name:
            found.setdefault(canonicalize_name(name), distribution.version)
    return [f"{name}=={version}" for name, version in sorted(found.items())]


def _name(line: str) -> str:
    from packaging.requirements import Requirement

    return Requirement(line).name


DRIVE = Path("/content/drive")  # where Colab shows Google Drive
PROFILE, RUNS = "COURSE_PROFILE", "COURSE_RUNS"  # variables of the environment


def begin(assignment: str, made_for: str, drive: bool = False) -> None:
    """Make this machine ready for the notebook of an assignment, and print what was found.

    `made_for` is the library's version when the notebook was built. With `drive`, on Colab,
    interrupted trainings and `submission.zip` are kept on Google Drive. Where `COURSE_PROFILE` is
    not set, it becomes the assignment's profile for this machine.
    Raises SetupError, one sentence, when something is missing that the notebook needs.
    """
    tree = root_of(Path.cwd())
    sys.path[:0] = [entry for entry in imported_from(tree) if entry not in sys.path]
    if numbers(version := _version(tree)) < numbers(made_for):
        raise SetupError(
            f"this notebook needs version {made_for} of the course, but {tree} has {version}: "
            "delete or replace that folder, restart, and run this cell again"
        )
    packages = install(requirements(tree))
    from ..checking import stale
    from ..course.course import Course
    from ..course.course_file import CourseError

    stale.watch()
    try:
        found = Course.here().assignment(assignment)
    except (CourseError, KeyError) as error:
        raise SetupError(f"{error.args[0]}: {_other_release(assignment)}") from None
    if not found.public_tests:
        raise SetupError(f"{tree} has no checks of {assignment}: {_other_release(assignment)}")
    gpu = _gpu() if "torch" in found.imports else ""
    said = [f"Course library {version} in {_place(tree)}", gpu or "CPU"]
    if found.profiles:
        name = found.profiles.choose(os.environ.get(PROFILE, ""), bool(gpu))
        os.environ[PROFILE] = name
        said.append(f"profile {name}")
    if drive:
        os.environ[RUNS] = str(_on_drive(Course.here().facts.name))
        said.append(f"trainings kept in {os.environ[RUNS]}")
    if packages.absent:
        said.append(f"installed {', '.join(packages.absent)}")
    if packages.older:
        said.append(f"older than the course was tested with: {', '.join(packages.older)}")
    print("; ".join(said))


def _version(tree: Path) -> str:
    """The version of the course's library, read as text: its packages may be missing."""
    named = re.search(r'^library = "(\w+)"', _text(tree / "course.toml"), re.M)
    library = tree / named[1] / "__init__.py" if named else tree
    stated = re.search(r'__version__ = "(.+)"', _text(library))
    if stated is None:
        raise SetupError(
            f"{tree} has no course in it: get the release again, and run this cell again"
        )
    return stated[1]


def _text(path: Path) -> str:
    return path.read_text(encoding="utf-8") if path.is_file() else ""


def numbers(version: str) -> tuple[int, ...]:
    """The numbers of a version, for comparison: "0.10.1" → (0, 10, 1)."""
    return tuple(int(number) for number in re.findall(r"\d+", version))


def _place(tree: Path) -> str:
    """Where the course is: relative to the current folder if one contains the other."""
    here = Path.cwd()
    near = here == tree or here in tree.parents or tree in here.parents
    return os.path.relpath(tree) if near else str(tree)


def _other_release(assignment: str) -> str:
    return f"get the release of the course that contains {assignment}, and run this cell again"


def _gpu() -> str:
    """The name of this machine's CUDA GPU, or ""."""
    import torch

    return torch.cuda.get_device_name() if torch.cuda.is_available() else ""


def _on_drive(name: str) -> Path:
    """The course's folder on Google Drive. Raises SetupError if there is no Drive to be had."""
    try:
        from google.colab import drive
    except ImportError:
        raise SetupError("drive=True works on Colab only: write drive=False") from None
    try:
        drive.mount(str(DRIVE))
        folder = DRIVE / "MyDrive" / name
        folder.mkdir(parents=True, exist_ok=True)
    except Exception as error:  # Colab raises errors of its own when permission is refused
        raise SetupError(
            f"Google Drive could not be used ({error}): allow it, or write drive=False"
        ) from None
    return folder

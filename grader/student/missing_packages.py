"""Installs the packages that a notebook's machine lacks, and changes none that it has.

Colab and Kaggle come with most of them, made for each other. So whatever is installed is pinned
while pip adds the rest, and torch and numpy are never installed at all.
"""

import importlib
import subprocess
import sys
import tempfile
from dataclasses import dataclass, field
from importlib.metadata import PackageNotFoundError, distributions, version
from pathlib import Path

from ..course.problem import SetupError

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

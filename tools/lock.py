"""Write constraints.txt: the package versions of this environment, which were tested.

.venv/bin/python tools/lock.py > constraints.txt

Pinned is what the extras of pyproject.toml need here, directly or not; the rest of the environment
is not.
"""

import sys
from collections.abc import Iterator, Sequence
from importlib.metadata import PackageNotFoundError, distribution

from make_venv import EXTRAS, NEWEST, OLDEST, ROOT
from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet
from packaging.utils import canonicalize_name
from packaging.version import Version

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

MINORS = range(OLDEST[1], NEWEST[1] + 1)  # of Python 3
BUILDERS = ("pip", "setuptools", "wheel")  # pip takes what it needs to build with

HEADER = """\
# Tested versions; written by tools/lock.py. Students need none of this: their extra has lower
# bounds only. Where a version is too new for a Python, that Python takes what pip finds.
"""


def lines() -> list[str]:
    """One pinned requirement per package, sorted by name."""
    return [_pin(*one) for one in sorted(_needed().items()) if one[0] not in BUILDERS]


def _needed() -> dict[str, int]:
    """Every package that the course needs here, and the first minor version that needs it."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    own = [r for extra in EXTRAS.split(",") for r in project["optional-dependencies"][extra]]
    waiting = [*_applying(own, (), OLDEST[1])]
    found: dict[str, int] = {}
    for step in waiting:  # it grows
        name, extras, since = step
        found[name] = min(since, found.get(name, since))
        requires = distribution(name).requires or ()
        waiting += [new for new in _applying(requires, extras, since) if new not in waiting]
    return found


def _applying(
    requirements: Sequence[str], extras: Sequence[str], since: int
) -> Iterator[tuple[str, tuple[str, ...], int]]:
    """Those that are installed: their name, their extras, the first minor that needs them."""
    for one in map(Requirement, requirements):
        minors = [m for m in MINORS if m >= since and _applies(one, extras, m)]
        if minors and _is_installed(one.name):
            yield canonicalize_name(one.name), tuple(sorted(one.extras)), minors[0]


def _applies(one: Requirement, extras: Sequence[str], minor: int) -> bool:
    python = {"python_version": f"3.{minor}", "python_full_version": f"3.{minor}.0"}
    asked = ({**python, "extra": extra} for extra in ("", *extras))
    return one.marker is None or any(one.marker.evaluate(facts) for facts in asked)


def _is_installed(name: str) -> bool:
    try:
        distribution(name)
    except PackageNotFoundError:
        return False
    return True


def _pin(name: str, since: int) -> str:
    """The version, and the Pythons that it is for: those that need it and that it supports."""
    found = distribution(name)
    wants = SpecifierSet(found.metadata.get("Requires-Python") or "")
    bounds = [Version(one.version) for one in wants if one.operator == ">="]
    least = max([*bounds, Version(f"3.{since}")])
    variable = "python_full_version" if least.micro else "python_version"
    marker = f' ; {variable} >= "{least}"' if least > Version(f"3.{OLDEST[1]}") else ""
    return f"{name}=={found.version.partition('+')[0]}{marker}"


if __name__ == "__main__":
    print(HEADER + "\n".join(lines()))

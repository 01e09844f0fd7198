"""Write constraints.txt: the package versions of this environment, which were tested.

.venv/bin/python tools/lock.py > constraints.txt
"""

from importlib.metadata import distributions

from packaging.specifiers import SpecifierSet
from packaging.version import Version

OURS = "transformer-course"
LOWEST = Version("3.10")

HEADER = """\
# Tested versions; written by tools/lock.py. Students need none of this: their extra has lower
# bounds only. Where a version is too new for a Python, that Python takes what pip finds.
"""


def lines() -> list[str]:
    """One pinned requirement per distribution, sorted by name."""
    found = {}
    for distribution in distributions():
        name = distribution.metadata["Name"].lower()
        version = distribution.version.partition("+")[0]
        wants = SpecifierSet(distribution.metadata.get("Requires-Python") or "")
        least = max((Version(one.version) for one in wants if one.operator == ">="), default=LOWEST)
        marker = f' ; python_full_version >= "{least}"' if least > LOWEST else ""
        if name not in (OURS, "pip", "setuptools", "wheel"):
            found[name] = f"{name}=={version}{marker}"
    return [found[name] for name in sorted(found)]


if __name__ == "__main__":
    print(HEADER + "\n".join(lines()))

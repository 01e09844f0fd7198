"""Write constraints.txt: the package versions of this environment, which were tested.

.venv/bin/python tools/lock.py > constraints.txt
"""

from importlib.metadata import distributions

from packaging.specifiers import SpecifierSet

OURS = "transformer-course"
LOWEST = "3.10"

HEADER = """\
# Tested versions; written by tools/lock.py. Students need none of this: their extra has lower
# bounds only. Where a version is too new for Python 3.10, that Python takes what pip finds.
"""


def lines() -> list[str]:
    """One pinned requirement per distribution, sorted by name."""
    found = {}
    for distribution in distributions():
        name = distribution.metadata["Name"].lower()
        version = distribution.version.partition("+")[0]
        wants = SpecifierSet(distribution.metadata.get("Requires-Python") or "")
        marker = "" if wants.contains(f"{LOWEST}.13") else ' ; python_version >= "3.11"'
        if name not in (OURS, "pip", "setuptools", "wheel"):
            found[name] = f"{name}=={version}{marker}"
    return [found[name] for name in sorted(found)]


if __name__ == "__main__":
    print(HEADER + "\n".join(lines()))

"""The threat list: what a submission may try, its documented outcome, and the tests that prove it.

Those of `threats.toml`. A `Threat` that can be a file in a class's folder is graded there by
`test_rows_class`, through `course grade`; the others name the tests that prove them alone.
"""

import json
import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import proofs
from world import packed
from world_tables import texts

from autograder.demo.bundled_class import HOSTILE
from grader.library.components import Component

SOFTMAX = "course_lib.numpy_forms.attention:softmax"
Write = Callable[[Path], object]  # puts a submission into a student's folder
OWN_TIME = 1_800_000_000  # of the one file that keeps its own time: 2027-01-15


@dataclass(frozen=True)
class Threat:
    """`softmax` and `rest`: shares of the points of exercise 1.1 and of all, least and most.

    What is handed in is an attack of the repository by its name, or else the solution with another
    `source` of softmax or with `cells` at its end, a file of this `text`, or what WRITES makes.
    """

    name: str
    rows: list[int]
    write: Write | None = None
    outcomes: list[str] = field(default_factory=lambda: ["GRADED"])
    softmax: Sequence[float] = (0.0, 0.3)
    rest: Sequence[float] = (0.0, 1.0)
    told: str = ""  # stands in the result
    tests: Sequence[str] = ()  # FILE::TEST, which prove it apart from a class
    quick: bool = False  # in every run of the tests; the others are slow


def notebook(replace=None, add=()) -> bytes:
    return proofs.with_cells(proofs.notebook("a1", "solution", replace), *add)


def _file(make: Callable[[], bytes], name: str = "a1/a1.ipynb") -> Write:
    def write(folder: Path) -> None:
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(make())

    return write


def _source(text: str) -> Write:
    return _file(lambda: notebook({SOFTMAX: text}))


def _beside(folder: Path) -> None:
    _file(notebook)(folder)
    for name in "conftest.py pytest.ini sitecustomize.py numpy.py results.json".split():
        (folder / "a1" / name).write_text("raise SystemExit('taken over')", encoding="utf-8")


def _linked(folder: Path) -> None:
    (folder / "a1").mkdir()
    os.symlink("/etc/hostname", folder / "a1" / "a1.ipynb")


def _shuffled_cells() -> bytes:
    document = json.loads(proofs.notebook("a1", "solution"))
    code = [cell for cell in document["cells"] if cell["cell_type"] == "code"]
    for cell in code:
        cell["metadata"], cell["id"] = {"nbgrader": {"points": 1000}}, "same"
    document["cells"] = code[:2] + code[2:][::-1] + code[4:8]
    return json.dumps(document).encode()


def _half_characters() -> bytes:
    """Names, text and metadata with halves of characters, which UTF-8 cannot hold."""
    document = json.loads(notebook())
    for cell in document["cells"]:
        if "written" in str(cell["metadata"]):
            cell["source"] = "an answer \ud800 and <script>alert(1)</script>"
    return json.dumps(document).encode()


def _old_file(folder: Path) -> None:
    document = json.loads(notebook())
    document["metadata"]["submitted"] = "1999-01-01T00:00:00"
    _file(lambda: json.dumps(document).encode())(folder)
    os.utime(folder / "a1" / "a1.ipynb", (OWN_TIME, OWN_TIME))


WRITTEN = Component.parse(SOFTMAX).source
MANY_BRANCHES = "if 0:\n    flag = 1\n" + "elif 0:\n    flag = 1\n" * 900
# All of `softmax`'s: the judge looks through them for what is forbidden, and for imports.
CHAINS = "def unused(x):\n" + f"    return x{'.y' * 2000}\n" + f"    return x{'.y' * 800}\n" * 100
WRITES = {  # what is no text of a cell
    "07_exits_at_import": _source(f"import sys\nclass Exit:\n    sys.exit(0)\n{WRITTEN}"),
    "22_ships_files": _beside,
    "37_cells_moved": _file(_shuffled_cells),
    "39_not_utf8": _file(lambda: b"\xff\xfe\0"),
    "40_crlf": _file(lambda: notebook().replace(b"\\n", b"\\r\\n")),
    "41_zip_slip": _file(lambda: packed({"../a1.ipynb": b"{}"}), "a1/a1.zip"),
    "41_link": _linked,
    "42_zip_bomb": _file(lambda: packed({"a1.ipynb": b"1" * 2**26}), "a1/a1.zip"),
    "42_giant": _file(lambda: b"1" * 2**26),
    "47_<script>alert(1)<": _file(_half_characters),
    "48_old_time": _old_file,
    "50_unsaved": _file(lambda: proofs.notebook("a1", "starter")),
    "50_other": _file(lambda: proofs.notebook("a2", "solution")),
    "50_copy": _file(notebook),
    "51_many_branches": _file(lambda: notebook(add=[MANY_BRANCHES]), "notebook.ipynb"),
    "51_long_chains": _source(f"{CHAINS}\n\n{WRITTEN}\n    unused"),
    "51_long_name": _file(lambda: notebook(add=[f"NAME = 'course_lib.{'a' * 300}'"])),
}


def _threat(name: str, source="", cells=(), text="", **facts) -> Threat:
    added = cells or [code for attack, code in HOSTILE.items() if attack == name]
    if source:
        write = _source(source)
    elif added:
        write = _file(lambda: notebook(add=added))
    else:
        write = _file(text.encode) if text else WRITES.get(name)
    return Threat(name, write=write, **facts)


THREATS = tuple(_threat(name, **facts) for name, facts in texts("threats", "threats.toml").items())

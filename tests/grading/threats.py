"""The threat list: what a submission may try, its documented outcome, and the tests that prove it.

A `Threat` that can be a file in a class's folder is graded there by `test_rows_class`, through
`course grade`; the others name the tests that prove them alone.
"""

from __future__ import annotations

import io
import json
import os
import zipfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import proofs

from autograder.demo.bundled_class import HOSTILE
from grader.library.components import Component

SOFTMAX = "course_lib.numpy_forms.attention:softmax"
SCORES = "course_lib.numpy_forms.attention:scaled_scores"
Write = Callable[[Path], object]  # puts a submission into a student's folder
OWN_TIME = 1_800_000_000  # of the one file that keeps its own time: 2027-01-15
FULL, NONE = (1.0, 1.0), (0.0, 0.0)


@dataclass(frozen=True)
class Threat:
    """`softmax` and `rest`: shares of the points of exercise 1.1 and of all, least and most."""

    name: str
    rows: tuple[int, ...]
    write: Write | None = None
    outcomes: tuple[str, ...] = ("GRADED",)
    softmax: tuple[float, float] = (0.0, 0.3)
    rest: tuple[float, float] = (0.0, 1.0)
    told: str = ""  # stands in the result
    tests: tuple[str, ...] = ()  # FILE::TEST, which prove it apart from a class
    quick: bool = False  # in every run of the tests; the others are slow


def notebook(replace=None, add=()) -> bytes:
    document = json.loads(proofs.notebook("a1", "solution", replace))
    for number, source in enumerate(add):
        cell = {"cell_type": "code", "id": f"x{number}", "metadata": {}, "source": source}
        document["cells"].append(cell | {"outputs": [], "execution_count": None})
    return json.dumps(document).encode()


def _file(make: Callable[[], bytes], name: str = "a1/a1.ipynb") -> Write:
    def write(folder: Path) -> None:
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(make())

    return write


def _source(text: str, component: str = SOFTMAX) -> Write:
    return _file(lambda: notebook({component: text}))


def _attack(name: str) -> Write:
    text = HOSTILE[name]
    return _file(lambda: notebook(add=[text]))


def _beside(*names: str) -> Write:
    def write(folder: Path) -> None:
        _file(notebook)(folder)
        for name in names:
            (folder / "a1" / name).write_text("raise SystemExit('taken over')", encoding="utf-8")

    return write


def _linked(folder: Path) -> None:
    (folder / "a1").mkdir()
    os.symlink("/etc/hostname", folder / "a1" / "a1.ipynb")


def _zipped(**entries: bytes) -> Write:
    """A zip file; `__` in a name stands for `../`."""
    whole = io.BytesIO()
    with zipfile.ZipFile(whole, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in entries.items():
            archive.writestr(f"{name.replace('__', '../')}.ipynb", data)
    return _file(whole.getvalue, "a1/a1.zip")


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


def hostile(name: str, rows: tuple[int, ...] | int, *outcomes: str, **facts) -> Threat:
    rows = (rows,) if isinstance(rows, int) else rows
    return Threat(name, rows, _attack(name), outcomes or ("GRADED",), **facts)


WRITTEN = Component.parse(SOFTMAX).source
PICKLE = """
class Trap:
    def __reduce__(self):
        return open, ("unpickled", "w")

def softmax(x, axis=-1):
    return Trap()
"""
MANY_BRANCHES = "if 0:\n    flag = 1\n" + "elif 0:\n    flag = 1\n" * 900
# All of `softmax`'s: the judge looks through them for what is forbidden, and for imports.
CHAINS = "def unused(x):\n" + f"    return x{'.y' * 2000}\n" + f"    return x{'.y' * 800}\n" * 100
LONG_NAME = "course_lib." + "a" * 300

THREATS = (
    hostile("01_infinite_loop", 1, "TIMEOUT", quick=True),
    hostile("02_ignores_signals", 2, "TIMEOUT"),
    hostile("02_sleeps_in_a_child", 2, "TIMEOUT"),
    hostile("02_hides_its_time", 2, "TIMEOUT"),
    hostile("03_fork_bomb", 3, "TIMEOUT", "OOM"),
    hostile("04_fills_the_judge", 4, "OOM", told="too long a text", quick=True),
    # a machine that has to fetch its own memory first takes longer for it than a call may
    hostile("04_memory_bomb", 4, "OOM", "TIMEOUT"),
    hostile("04_memory_in_children", 4, "OOM", "TIMEOUT"),
    hostile("04_shared_memory", 4, "OOM", "GRADED", "CRASHED"),
    hostile("05_disk_fill", 5, "GRADED", "CRASHED"),
    hostile("06_exits", 6, "CRASHED", quick=True),
    Threat(
        "07_exits_at_import", (7,), _source("import sys\nclass Exit:\n    sys.exit(0)\n" + WRITTEN),
        ("GRADED", "LOAD_ERROR"), (0.0, 1.0),
    ),
    hostile("08_atexit", 8, softmax=FULL),
    hostile("09_patches_allclose", 9),
    hostile("10_patches_builtins", 10, "GRADED", "CRASHED"),
    hostile("11_input_transformers", 11),
    hostile("13_patched_traceback", 13, "GRADED", "CRASHED"),
    hostile("14_equal_to_everything", 14),
    hostile("15_array_subclass", 15),
    hostile("15_tensor_subclass", 15),
    hostile("16_searches_frames", 16),
    hostile("17_searches_modules", 17),
    hostile("18_searches_disk", 18, "GRADED", "TIMEOUT"),
    hostile("19_writes_gradebook", (19, 20)),
    Threat("21_pickles", (21,), _source(PICKLE), told="object of type Trap"),
    Threat(
        "22_ships_files", (20, 22, 23, 24),
        _beside("conftest.py", "pytest.ini", "sitecustomize.py", "numpy.py", "results.json"),
        softmax=FULL, told="`conftest.py` was also submitted", quick=True,
    ),
    hostile("18_keeps_right_forms", 18, "CRASHED", softmax=NONE, quick=True),
    hostile("25_forges_stdout", (12, 25), told="the notebook printed"),
    hostile("26_forges_protocol", 26, "GRADED", "CRASHED"),
    hostile("26_forges_outcome", 26, "GRADED", "CRASHED", rest=(0.0, 0.95), quick=True),
    hostile("27_floods_output", 27, "TIMEOUT"),
    hostile("27_floods_protocol", 27, "CRASHED"),
    hostile("28_network", 28),
    # its daemons may answer in its place when they are ended: that is a crash of its own
    hostile("29_background_process", 29, "GRADED", "CRASHED", softmax=FULL, quick=True),
    hostile("30_kills_everyone", 30, softmax=FULL),
    hostile("31_patched_clocks", 31, "TIMEOUT"),
    hostile("32_escapes", 32),
    hostile("33_deep_recursion", 33, "GRADED", "CRASHED"),
    hostile("33_segfault", 33, "CRASHED"),
    Threat(
        "34_forbidden", (34,),
        _source(
            "from scipy.special import softmax as _theirs\n\n"
            "def softmax(x, axis=-1):\n    return _theirs(x, axis=axis)"
        ),
        ("POLICY",), NONE, quick=True,
    ),
    hostile("35_imports_solution", 35, "LOAD_ERROR", "GRADED", softmax=NONE),
    Threat(
        "36_hard_coded", (36,),
        _source("def softmax(x, axis=-1):\n    return np.full(np.shape(x), 1 / np.shape(x)[axis])"),
        softmax=(0.0, 0.6),
    ),
    Threat("37_cells_moved", (37, 38), _file(_shuffled_cells), softmax=FULL, rest=FULL),
    Threat("39_not_json", (39,), _file(lambda: b"{"), ("INVALID",), NONE, NONE, quick=True),
    Threat("39_not_utf8", (39,), _file(lambda: b"\xff\xfe\0"), ("INVALID",), NONE, NONE),
    Threat(
        "40_crlf", (40,), _file(lambda: notebook().replace(b"\\n", b"\\r\\n")),
        softmax=FULL, rest=FULL,
    ),
    Threat("41_zip_slip", (41,), _zipped(__a1=b"{}"), ("INVALID",), NONE, NONE, "outside itself"),
    Threat("41_link", (41,), _linked, ("INVALID",), NONE, NONE, "symbolic link", quick=True),
    Threat(
        "42_zip_bomb", (42,), _zipped(a1=b"1" * 2**26), ("INVALID",), NONE, NONE, "more than",
    ),
    Threat("42_giant", (42,), _file(lambda: b"1" * 2**26), ("INVALID",), NONE, NONE, "more than"),
    Threat(
        "43_magics", (43,),
        _file(lambda: notebook(add=["!pip install torch\n%time softmax(x)", "%%bash\nrm -rf /"])),
        softmax=FULL, rest=FULL, told="!pip install torch",
    ),
    Threat(
        "44_asks", (44,),
        _source("NAME = input('name? ')\ndef softmax(x, axis=-1):\n    return NAME"),
        ("GRADED", "LOAD_ERROR"), told="input()",
    ),
    Threat(
        "45_gpu_only", (45,), outcomes=("GRADED",),
        tests=("test_rows_submission.py::test_row_45_code_for_a_gpu_only_says_what_to_change",),
    ),
    Threat(
        "46_submitted_pickles", (46,),
        tests=("test_model_part.py::test_weights_that_cannot_be_used",),
    ),
    Threat(
        "47_<script>alert(1)<", (47,), _file(_half_characters), softmax=FULL, rest=FULL,
        told="<script>alert", quick=True,
    ),
    Threat("48_old_time", (48,), _old_file, softmax=FULL, told="2027-01-15"),
    hostile("49_honest_noise", 49, softmax=FULL, rest=FULL),
    Threat(
        "50_unsaved", (50,), _file(lambda: proofs.notebook("a1", "starter")), softmax=NONE,
        rest=NONE, told="saved",
    ),
    Threat(
        "50_other", (50,), _file(lambda: proofs.notebook("a2", "solution")), ("GRADED", "POLICY"),
        rest=(0.0, 0.3), told="assignment a2",
    ),
    Threat(
        "50_signature", (50,), _source("def softmax(values):\n    return values"),
        told="differs from the handout",
    ),
    Threat(
        "50_copy", (50,), _file(notebook), softmax=FULL, rest=FULL,
        tests=("test_similar.py::test_one_added_cell_hides_nothing",),
    ),
    Threat(
        "51_many_branches", (51,), _file(lambda: notebook(add=[MANY_BRANCHES]), "notebook.ipynb"),
        softmax=FULL, rest=FULL, quick=True,
    ),
    Threat(
        "51_long_chains", (51,), _source(f"{CHAINS}\n\n{WRITTEN}\n    unused"), softmax=FULL,
        quick=True,
    ),
    Threat(
        "51_long_name", (51,), _file(lambda: notebook(add=[f"NAME = '{LONG_NAME}'"])),
        softmax=FULL, rest=FULL,
    ),
)  # fmt: skip

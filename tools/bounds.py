"""Try what pyproject.toml promises: `python tools/bounds.py 3.10` (or `make bounds PY=3.10`).

Makes a virtual environment of that Python with the lowest versions that the extras name
(`--newest`: with the newest that can be had), and runs a selection of the tests in it. With `--in
FOLDER` the environment is kept there, and used again. torch alone is a few GB. Exit codes: 0 the
tests pass, 1 they do not, 2 the environment cannot be made.
"""

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
EXTRAS = ("student", "instructor", "cluster", "dev")
# Every package that the course imports, in a few minutes: components, data, training, grading.
TESTS = (
    *("attention", "encoder_components", "tokenization", "datasets", "metrics", "drawings"),
    *("gradebook", "exchange", "student_program", "train"),
)


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("python", help="3.10, 3.13, or the path of a Python")
    parser.add_argument("--newest", action="store_true", help="the newest versions instead")
    parser.add_argument("--in", dest="folder", type=Path, help="where the environment is kept")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        folder = (options.folder or Path(temporary, "venv")).resolve()
        if not (folder / "ready").exists() and not made(folder, options.python, options.newest):
            return 2
        tests = [str(next((ROOT / "tests").rglob(f"test_{name}.py"))) for name in TESTS]
        command = [folder / "bin" / "python", "-m", "pytest", "-q", *tests]
        path = {"PYTHONPATH": str(ROOT), "OMP_NUM_THREADS": "1"}
        passed = subprocess.run(command, cwd=ROOT, env=os.environ | path).returncode == 0
    return 0 if passed else 1


def made(folder: Path, python: str, newest: bool) -> bool:
    """Whether the environment could be made; what went wrong was printed."""
    uv = [shutil.which("uv")] if shutil.which("uv") else [sys.executable, "-m", "uv"]
    resolution = "highest" if newest else "lowest-direct"
    extras = [part for extra in EXTRAS for part in ("--extra", extra)]
    steps = [
        [*uv, "venv", "--clear", "--python", python, str(folder)],
        [
            *(*uv, "pip", "install", "--resolution", resolution),
            *("--python", str(folder / "bin" / "python")),
            *("-r", str(ROOT / "pyproject.toml"), *extras),
        ],
    ]
    for step in steps:
        if subprocess.run(step, cwd=ROOT).returncode:
            print("This needs uv (`pip install uv`), that Python, an index and 8 GB of disk.")
            return False
    (folder / "ready").touch()
    return True


if __name__ == "__main__":
    sys.exit(main())

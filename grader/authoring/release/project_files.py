"""The files that make a release a project of its own: what to install, license, policy."""

from __future__ import annotations

from pathlib import Path

from grader.course.packages import requirements

from ...course import toml

TEXTS = Path(__file__).parent / "texts"
IGNORED = """\
.venv/
__pycache__/
*.egg-info/
.ipynb_checkpoints/
.course/
runs/
submission/
fallback/
*.zip
"""

PYPROJECT = """\
[build-system]
requires = []  # so that `pip install -e .` needs no network
build-backend = "course_build"
backend-path = ["."]

[project]
name = "transformer-course-student"
description = "The Transformer, from the paper to the code: a student's copy."
readme = "README.md"
license = "MIT"
requires-python = "{python}"
dynamic = ["version", "dependencies"]  # the library, requirements.txt

[project.scripts]
student = "grader.student.program:main"
"""


def files(root: Path) -> dict[str, bytes]:
    """The files, by path in the release; `root` is the course's."""
    needed = requirements(root)
    pyproject = PYPROJECT.format(python=python(root))
    names = ("AI_POLICY.md", "AGENTS.md", "course_build.py")
    texts = {name: (TEXTS / name).read_bytes() for name in names}
    return {
        "pyproject.toml": pyproject.encode(),
        "requirements.txt": "".join(f"{line}\n" for line in needed).encode(),
        "LICENSE": (root / "LICENSE").read_bytes(),
        ".gitignore": IGNORED.encode(),
        **texts,
    }


def python(root: Path) -> str:
    """The versions of Python that the course runs on: ">=3.10,<3.14"."""
    own = toml.loads((root / "pyproject.toml").read_text(encoding="utf-8"))
    return str(own["project"]["requires-python"])

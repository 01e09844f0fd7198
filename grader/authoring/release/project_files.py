"""The files that make a release a project of its own: what to install, license, policy."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from ...course import toml
from ...course.course import Course

TEXTS = Path(__file__).parent / "texts"
IGNORED = """\
.venv/
__pycache__/
*.egg-info/
.ipynb_checkpoints/
.course/
runs/
uv.lock
submission/
fallback/
*.zip
"""

PYPROJECT = """\
[build-system]
requires = []  # so that the folder itself is installed without a network
build-backend = "course_build"
backend-path = ["."]

[project]
name = "{name}-student"
description = "{title}: a student's copy."
readme = "README.md"
license = "MIT"
requires-python = "{python}"
dynamic = ["version", "dependencies"]  # the library, requirements.txt

[project.scripts]
student = "grader.student.program:main"

# For uv: what `uv run` installs too, and PyTorch without CUDA (for a GPU, delete the last lines).
[dependency-groups]
dev = ["jupyterlab>=4.2"]
lectures = [{lectures}]

[tool.uv]
cache-keys = [{{ file = "pyproject.toml" }}, {{ file = "requirements.txt" }}]

[tool.uv.sources]
torch = {{ index = "pytorch-cpu" }}

[[tool.uv.index]]
name = "pytorch-cpu"
url = "{torch}"
explicit = true
"""
TORCH_CPU = "https://download.pytorch.org/whl/cpu"


def files(course: Course, needed: Sequence[str], lectures: Sequence[str] = ()) -> dict[str, bytes]:
    """The files, by path in the release.

    `needed` are the packages for the assignments, `lectures` more for the lectures' notebooks.
    """
    more = ", ".join(f'"{line}"' for line in lectures)
    root, facts = course.root, course.facts
    pyproject = PYPROJECT.format(
        name=facts.name, title=facts.title, python=python(root), lectures=more, torch=TORCH_CPU
    )
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

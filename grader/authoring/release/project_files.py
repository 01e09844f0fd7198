"""The files that make a release a project of its own: what to install, license, policy."""

from collections.abc import Sequence
from pathlib import Path

from ...course import toml
from ...course.course import Course
from ..views.texts import filled

TEXTS = Path(__file__).parent / "texts"
TORCH_CPU = "https://download.pytorch.org/whl/cpu"


def files(course: Course, needed: Sequence[str], lectures: Sequence[str] = ()) -> dict[str, bytes]:
    """The files, by path in the release.

    `needed` are the packages for the assignments, `lectures` more for the lectures' notebooks.
    """
    more = ", ".join(f'"{line}"' for line in lectures)
    root, facts = course.root, course.facts
    named = {"name": facts.name, "title": facts.title, "python": python(root)}
    pyproject = filled(TEXTS / "project.toml", **named, lectures=more, torch=TORCH_CPU)
    names = ("AI_POLICY.md", "AGENTS.md", "course_build.py")
    texts = {name: (TEXTS / name).read_bytes() for name in names}
    return {
        "pyproject.toml": pyproject.encode(),
        "requirements.txt": "".join(f"{line}\n" for line in needed).encode(),
        "LICENSE": (root / "LICENSE").read_bytes(),
        ".gitignore": (TEXTS / "gitignore").read_bytes(),
        **texts,
    }


def python(root: Path) -> str:
    """The versions of Python that the course runs on: ">=3.10,<3.14"."""
    own = toml.loads((root / "pyproject.toml").read_text(encoding="utf-8"))
    return str(own["project"]["requires-python"])

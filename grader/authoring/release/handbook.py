"""The README of a release for students, and the files that make it a project of its own."""

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from pathlib import Path

from grader.course.assignment import Assignment
from grader.course.course import Course
from grader.course.grading import Group
from grader.course.lab import Lab
from grader.course.submission_folder import FOLDER

from ...course import toml
from ...gradebook.lateness import written
from ..views import texts
from ..views.texts import filled

TEXTS = Path(__file__).parent / "texts"
TORCH_CPU = "https://download.pytorch.org/whl/cpu"


def project_files(
    course: Course, needed: Sequence[str], lectures: Sequence[str] = ()
) -> dict[str, bytes]:
    """The files, by path in the release.

    `needed` are the packages for the assignments, `lectures` more for the lectures' notebooks.
    """
    more = ", ".join(f'"{line}"' for line in lectures)
    root, facts = course.root, course.facts
    named = {"name": facts.name, "title": facts.title, "python": python_versions(root)}
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


def python_versions(root: Path) -> str:
    """The versions of Python that the course runs on: ">=3.10,<3.14"."""
    own = toml.loads((root / "pyproject.toml").read_text(encoding="utf-8"))
    return str(own["project"]["requires-python"])


CLEAN = "starter"  # the folder of the copy that nobody works on


def readme(
    course: Course,
    assignments: Sequence[Assignment],
    answers: Collection[str],
    python: str,
    opened: bool = False,
    lectures: str = "",
    packages: Collection[str] = (),
    more: Collection[str] = (),
) -> str:
    """The README for these assignments; `opened` for readers without an instructor.

    `lectures` is the section on the lectures, where the release holds them; `packages` are those
    that the assignments need, `more` what only the lectures' notebooks do.
    """
    labs = [one for one in assignments if isinstance(one, Lab)]
    assignments = [one for one in assignments if one not in labs]
    parts = {part.number: part.title for part in course.parts}

    def topics(assignment: Assignment) -> list[str]:
        weeks = [w for w in course.weeks if w.number in course.weeks_of(assignment)]
        return [parts[number] for week in weeks for number in week.whole]

    return texts.filled(
        TEXTS / "handbook.md",
        course=course,
        assignments=assignments,
        labs=labs,
        answers=answers,
        python=python,
        opened=opened,
        begun=assignments[0 if opened else -1].id if assignments else "a1",
        clean=CLEAN,
        index=_index(packages),
        lectures=lectures + _for_lectures(more),
        topics=topics,
        hours=texts.hours,
        written=written,
        folder=FOLDER,
        with_files=_numbers([one for one in assignments if one.files]).lower(),
        late=_late(assignments),
        slip_days=texts.slip_days(course),
        parts_of_grade=_parts_of_grade(course),
    )


def _index(packages: Collection[str]) -> str:
    """The option with which pip finds PyTorch without CUDA, if PyTorch is one of the packages."""
    has_torch = any(line.startswith("torch>") for line in packages)
    return f" --extra-index-url {TORCH_CPU}" if has_torch else ""


def _for_lectures(more: Collection[str]) -> str:
    """How to install what the lectures' notebooks need besides."""
    if not more:
        return ""
    names = " ".join(re.split(r"[<>=;]", line)[0] for line in more)
    return (
        f"\nThese notebooks need more than the assignments do so far: `uv run --group lectures "
        f"jupyter lab lectures/notebooks`, or `.venv/bin/pip install {names}{_index(more)}`.\n"
    )


def _late(assignments: Sequence[Assignment]) -> str:
    """The terms of late work; assignments with equal terms share a sentence."""
    terms: dict[str, list[Assignment]] = {}
    for a in assignments:
        told = f"up to {a.late_days} days late, minus {a.late_penalty_percent:g} % per started day."
        terms.setdefault(told, []).append(a)
    return " ".join(f"{_numbers(those)}: {told}" for told, those in terms.items())


def _parts_of_grade(course: Course) -> Iterator[str]:
    """The parts of the course grade, as `course grades` adds them up."""
    grading = course.grading
    alone = grading.standing_alone(course.weights)
    groups = {group.id: group for group in grading.groups}
    extra = {e.id: e.weight_percent for e in grading.declared if e.extra_credit}
    weights = grading.weights(course.weights)
    for id, weight in (alone | extra).items():
        more = " on top, as extra credit" if id in extra else ""
        yield f"{id}: {weight:g} %{more}{_within(groups, weights, id)}"


def _within(groups: Mapping[str, Group], weights: Mapping[str, float], id: str) -> str:
    """The items of a group, and the rule by which they count; of a group within it, the same."""
    if id not in groups:
        return ""
    items = groups[id].items
    unequal = len({weights[item] for item in items}) > 1
    shares = f", as {', '.join(f'{i} {weights[i]:g}' for i in items)}" if unequal else ""
    inner = "".join(f"; {i}{_within(groups, weights, i)}" for i in items if i in groups)
    return f": {groups[id].rule}{shares}{inner}"


def _numbers(assignments: Sequence[Assignment]) -> str:
    """Assignments 1, 2 and 3; "" for none."""
    if not assignments:
        return ""
    *others, last = (a.id.removeprefix("a") for a in assignments)
    return f"Assignments {', '.join(others)} and {last}" if others else f"Assignment {last}"

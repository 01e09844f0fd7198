"""Texts in notebooks and READMEs that are generated from `course.toml`."""

from __future__ import annotations

from course_lib.course.exercise import Exercise
from course_lib.course.submission_folder import FOLDER, MAX_TOTAL
from course_lib.course.syllabus import Assignment, Syllabus

from ..judge.models import thresholds

# By measure: what the lower threshold counts, and the unit.
MEASURES = {"accuracy": ("% of the test labels right", "%"), "bleu": ("BLEU on test", "BLEU")}
# By measure: the model's answers, and what they are compared with.
ANSWERS = {
    "accuracy": ("predictions", "labels you have not seen"),
    "bleu": ("translations", "the references by sacreBLEU"),
}

COLAB = "https://colab.research.google.com"
COLAB_LACKS = ("jaxtyping", "sacrebleu")  # imported by notebooks, not installed on Colab


def header(syllabus: Syllabus, assignment: Assignment, view: str) -> str:
    """Title, goal, time, compute, prerequisites, badge and the table of exercises."""
    number = assignment.id.removeprefix("a")
    solution = " · solution" if view == "solution" else ""
    lines = [
        f"# Assignment {number} · {assignment.title}{solution}",
        "",
        f"You build {assignment.build}.",
        "",
        f"**Time** {assignment.minutes} minutes{_bonus_minutes(assignment)} · "
        f"**Compute** {assignment.compute} · "
        f"**Before you start** {', '.join(assignment.prerequisites)}",
        "",
    ]
    if view == "starter":
        lines += [badge(syllabus, assignment), ""]
    return "\n".join([*lines, *exercise_table(assignment)])


def badge(syllabus: Syllabus, assignment: Assignment) -> str:
    repository = syllabus.course.student_repository.removeprefix("https://github.com/")
    path = f"assignments/{assignment.id}/{assignment.id}.ipynb"
    return (
        f"[![Open in Colab]({COLAB}/assets/colab-badge.svg)]"
        f"({COLAB}/github/{repository}/blob/main/{path})"
    )


def exercise_table(assignment: Assignment) -> list[str]:
    rows = ["| exercise | points | minutes | difficulty |", "|---|--:|--:|:-:|"]
    for exercise in assignment.exercises:
        sign = "+" if exercise.bonus else ""
        rows.append(
            f"| {exercise.id} {exercise.title} | {sign}{exercise.points:g} | {exercise.minutes} | "
            f"{dots(exercise.difficulty)} |"
        )
    return rows


def exercise(exercise: Exercise, assignment: Assignment) -> str:
    """An exercise's heading and a line with points, time, difficulty and section."""
    bonus = "bonus of " if exercise.bonus else ""
    facts = [
        f"{bonus}{exercise.points:g} points",
        f"{exercise.minutes} minutes",
        f"difficulty {dots(exercise.difficulty)}",
        f"paper {exercise.section}",
    ]
    if exercise.kind == "model" and assignment.model:
        full = thresholds.full_at(exercise, assignment.model.examples)
        lower, unit = MEASURES[assignment.model.measure]
        facts.append(f"no points up to {exercise.zero_at:g} {lower}")
        facts.append(f"all from {full:g} {unit}")
    return f"## {exercise.id} {exercise.title}\n\n*{' · '.join(facts)}*"


def model_points(exercise: Exercise) -> str:
    """What nbgrader's notebooks show where a trained model gets its points."""
    return (
        f"**Points for {exercise.id}.** The files in `{FOLDER}` are graded by running your model "
        "again; there is nothing to write here."
    )


def dots(difficulty: int) -> str:
    return "●" * difficulty + "○" * (5 - difficulty)


def setup(syllabus: Syllabus, assignment: Assignment) -> str:
    """The set-up cell, which works on Colab, on one's own machine and offline."""
    lacking = [name for name in COLAB_LACKS if name in assignment.imports]
    torch = "import torch\nfrom torch import nn\n" if "torch" in assignment.imports else ""
    return f"""# Set-up: run this first. It works on Colab, on your own machine and offline.
import sys
from pathlib import Path

root = next((p for p in [Path.cwd(), *Path.cwd().parents] if (p / "course.toml").exists()), None)
if root is None and "google.colab" in sys.modules:  # a fresh Colab machine: fetch the course
    !git clone --quiet --depth 1 {syllabus.course.student_repository} course
    !pip install --quiet {" ".join(lacking)}
    root = Path("course").resolve()
if root is not None:
    sys.path.insert(0, str(root))

import matplotlib.pyplot as plt
import numpy as np
{torch}
from course_lib.checking.notebook import check, describe, needs"""


def readme(syllabus: Syllabus, assignment: Assignment) -> str:
    """The README beside a starter."""
    number = assignment.id.removeprefix("a")
    due = assignment.due.strftime("%d %B %Y, %H:%M %Z")
    return "\n".join(
        [
            f"# Assignment {number} · {assignment.title}",
            "",
            f"You build {assignment.build}. {assignment.minutes} minutes"
            f"{_bonus_minutes(assignment)}; {assignment.compute}.",
            "",
            badge(syllabus, assignment),
            "",
            *exercise_table(assignment),
            "",
            f"**Due** {due}; up to {assignment.late_days} days late for "
            f"{assignment.late_penalty_percent:g} % of the points a day begun."
            f"{_slip_days(syllabus)}",
            "",
            "Open the notebook, replace each `raise NotImplementedError(…)` by your code, run the "
            "`check` cell below it, save, and submit the notebook file. `course check "
            f"{assignment.id} {assignment.id}.ipynb` runs the visible checks on a saved file.",
            "",
            "What is graded: your functions, classes and imports, found by name. Plots, loops and "
            "prints at the top level of a cell are not run, so pass what a function needs as an "
            "argument. The visible checks are part of the grade; hidden tests decide the rest.",
            *_model_files(assignment),
            *_other_files(assignment),
            "",
            "<!-- Built by `course build` from course.toml. -->",
            "",
        ]
    )


def _model_files(assignment: Assignment) -> list[str]:
    """What to hand in besides the notebook, and how it is scored."""
    if assignment.model is None:
        return []
    listed = ", ".join(f"`{name}`" for name in assignment.model.files)
    loader, predictor = assignment.model.entry_points
    answers, hidden = ANSWERS[assignment.model.measure]
    return [
        "",
        f"Hand in the folder `{FOLDER}` too, which the notebook writes beside itself: {listed} "
        f"(at most {MAX_TOTAL >> 20} MiB). The grader asks your own `{loader}(folder)` and "
        f"`{predictor}(model, texts)` for the {answers} again, on one core within "
        f"{assignment.model.seconds:g} s, and compares them with {hidden}.",
    ]


def _other_files(assignment: Assignment) -> list[str]:
    """What to hand in for exercises whose tests read a file."""
    asked = [(exercise, name) for exercise in assignment.exercises for name in exercise.files]
    return [
        line
        for exercise, name in asked
        for line in (
            "",
            f"Hand in `{FOLDER}/{name}` too, which the notebook writes: exercise {exercise.id} is "
            "graded from it.",
        )
    ]


def _bonus_minutes(assignment: Assignment) -> str:
    bonus = sum(exercise.minutes for exercise in assignment.exercises if exercise.bonus)
    return f" (and {bonus} for the bonus)" if bonus else ""


def _slip_days(syllabus: Syllabus) -> str:
    days = syllabus.late.slip_days
    if not days:
        return ""
    return (
        f" You have {days} slip day{'s' if days > 1 else ''} for the whole course: late days that "
        "cost nothing, spent automatically on what is due first."
    )

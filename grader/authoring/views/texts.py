"""Texts in notebooks and READMEs that are generated from `course.toml`."""

from pathlib import Path
from typing import Any

from jinja2 import Environment, StrictUndefined

from grader.course.assignment import Assignment
from grader.course.course import Course
from grader.course.exercise import Exercise, Taught
from grader.course.lab import Lab
from grader.course.submission_folder import FOLDER

from ...gradebook.lateness import written
from ...judge.models import thresholds
from .setup_cell import badges

TEMPLATES = Path(__file__).with_name("templates")
MARK = "★"  # of exercises on the shortest path


def header(course: Course, assignment: Assignment, view: str) -> str:
    """Title, goal, time, compute, prerequisites, badges and the table of exercises."""
    solution = " · solution" if view == "solution" else ""
    lines = [
        f"# {assignment.label} · {assignment.title}{solution}",
        "",
        f"You build {assignment.build}.",
        "",
        f"**Time** about {hours(assignment.minutes)}{_for_bonus(assignment)} · "
        f"**Compute** {assignment.compute} · "
        f"**Before you start** {', '.join(assignment.prerequisites)}",
        "",
    ]
    if assignment is course.exam:
        lines += [*exercise_table(assignment), ""]
    elif view == "starter":
        lines += badges(course, assignment)
        lines += ["`README.md` lists the exercises and what to hand in.", ""]
    return "\n".join([*lines, *_target(assignment), *_bans(assignment)])


def _target(assignment: Assignment) -> list[str]:
    return [f"**Target** {assignment.target}", ""] if assignment.target else []


def exercise_table(assignment: Assignment) -> list[str]:
    """The core exercises, then those whose points are a bonus."""
    if isinstance(assignment, Lab):
        rows = [
            f"{e.id} {e.title} | {e.minutes} | {dots(e.difficulty)}" for e in assignment.exercises
        ]
        return ["| exercise | minutes | difficulty |", "|---|--:|:-:|", *(f"| {r} |" for r in rows)]
    told = any(exercise.taught for exercise in assignment.exercises)
    more, rule, empty = (" lecture |", "---|", " |") if told else ("", "", "")
    rows = [f"| exercise | points | minutes | difficulty |{more}", f"|---|--:|--:|:-:|{rule}"]
    core = [exercise for exercise in assignment.exercises if not exercise.bonus]
    bonus = [exercise for exercise in assignment.exercises if exercise.bonus]
    rows += [_row(exercise, assignment) for exercise in core]
    if bonus:
        rows.append(f"| **Bonus exercises** | | | |{empty}")
        rows += [_row(exercise, assignment) for exercise in bonus]
    if assignment.shortest_path:
        rows += ["", _shortest_path(assignment)]
    if bonus:
        rows += ["", "Points marked + are optional bonus points."]
    return rows


def _shortest_path(assignment: Assignment) -> str:
    path = [one for one in assignment.exercises if one.id in assignment.shortest_path]
    points, minutes = sum(one.points for one in path), sum(one.minutes for one in path)
    return (
        f"{MARK} **Short of time?** The marked exercises are {points:g} of 100 points in {minutes} "
        f"of {assignment.minutes} minutes, and need none of the others."
    )


def _row(exercise: Exercise, assignment: Assignment) -> str:
    sign = "+" if exercise.bonus else ""
    mark = f" {MARK}" if exercise.id in assignment.shortest_path else ""
    return (
        f"| {exercise.id} {exercise.title}{mark} | {sign}{exercise.points:g} | "
        f"{exercise.minutes} | {dots(exercise.difficulty)} |"
        + (f" {lecture(exercise.taught)} |" if exercise.taught else "")
    )


def exercise(exercise: Exercise, assignment: Assignment) -> str:
    """An exercise's heading and a line with points, time, difficulty and what to read."""
    bonus = "bonus of " if exercise.bonus else ""
    points = f"{bonus}{exercise.points:g} {'point' if exercise.points == 1 else 'points'}"
    facts = [
        *([points] if exercise.points else []),
        f"{exercise.minutes} minutes",
        *([f"{MARK} shortest path"] if exercise.id in assignment.shortest_path else []),
        f"difficulty {dots(exercise.difficulty)}",
        f"paper {exercise.section}",
        *([f"lecture {lecture(exercise.taught)}"] if exercise.taught else []),
    ]
    if exercise.kind == "model" and assignment.model:
        scorer = assignment.scorer
        full = thresholds.full_at(exercise, assignment.model.examples, scorer)
        facts.append(f"0 points up to {exercise.zero_at:g} {scorer.unit_in_handouts}")
        facts.append(f"full points from {full:g} {scorer.unit}")
    bonus = "Bonus: " if exercise.bonus else ""
    lines = [f"## {exercise.id} {bonus}{exercise.title}", f"*{' · '.join(facts)}*"]
    return "\n\n".join(lines)


def own_bans(exercise: Exercise) -> str:
    """The bans and permissions of one exercise beyond its assignment's; they follow the task."""
    said = []
    if exercise.forbidden:
        said.append(f"Not allowed here: {_listed(exercise.forbidden)}. Use {exercise.instead}.")
    if exercise.allowed:
        said.append(f"Allowed here: {_listed(exercise.allowed)}.")
    return " ".join(said)


def _bans(assignment: Assignment) -> list[str]:
    """The bans of the whole assignment, and the price of a use."""
    if not assignment.forbidden_anywhere:
        return []
    said = "A test that reaches a forbidden function fails; the other tests still count."
    if shared := _listed(assignment.forbidden):
        said = f"**Write it yourself**, without {shared}. Use {assignment.instead}. {said}"
    of_torch = any(name.startswith("torch.") for name in assignment.forbidden_anywhere)
    jit = "`torch.jit`, " if of_torch else ""
    said += f" Neither may you use {jit}`ctypes`, `importlib`, `exec` or `eval` there: the grader "
    said += "cannot see inside them."
    return [said, ""]


def _listed(names: list[str]) -> str:
    """Dotted names as code, without a library's internal ones."""
    return ", ".join(f"`{name}`" for name in names if "._" not in name)


def model_points(exercise: Exercise) -> str:
    """The text in nbgrader's notebooks where a trained model gets its points."""
    return (
        f"**Points for {exercise.id}.** The files in `{FOLDER}` are graded by running your model "
        "again; you write nothing here."
    )


def lecture(taught: Taught) -> str:
    """Where an exercise is taught: part 3, “The construction”."""
    return f"part {taught.part}, “{taught.section}”"


def dots(difficulty: int) -> str:
    return "●" * difficulty + "○" * (5 - difficulty)


def readme(course: Course, assignment: Assignment) -> str:
    """The README beside a starter."""
    is_lab = isinstance(assignment, Lab)
    target, bans = ([], []) if is_lab else (_target(assignment), _bans(assignment)[:1])
    return filled(
        TEMPLATES / "assignment.md",
        assignment=assignment,
        is_lab=is_lab,
        above=[*target, *badges(course, assignment), *exercise_table(assignment)],
        bans=bans,
        hours=hours,
        for_bonus=_for_bonus(assignment),
        due="" if is_lab else written(assignment.due, assignment.zone),
        slip_days=slip_days(course),
        folder=FOLDER,
    )


def filled(template: Path, **facts: Any) -> str:
    """A text in Markdown, filled in."""
    forms = Environment(
        undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True, keep_trailing_newline=True
    )
    return forms.from_string(template.read_text(encoding="utf-8")).render(facts)


def _for_bonus(assignment: Assignment) -> str:
    bonus = sum(exercise.minutes for exercise in assignment.exercises if exercise.bonus)
    return f" (and {hours(bonus)} for the bonus exercises)" if bonus else ""


def hours(minutes: int) -> str:
    """In half hours: 5½ hours."""
    halves = max(1, round(minutes / 30))
    whole, half = divmod(halves, 2)
    return f"{whole or ''}{'½' if half else ''} hour{'s' if halves > 2 else ''}"


def slip_days(course: Course) -> str:
    days = course.late.slip_days
    if not days:
        return ""
    return (
        f" You have {days} slip day{'s' if days > 1 else ''} for the whole course: free late days, "
        "used automatically on the assignment that is due first."
    )

"""Texts in notebooks and READMEs that are generated from `course.toml`."""

from __future__ import annotations

from grader.course.assignment import Assignment
from grader.course.course import Course
from grader.course.exercise import Exercise, Taught
from grader.course.lab import Lab
from grader.course.submission_folder import FOLDER

from ...gradebook.lateness import written
from ...judge.models import thresholds
from .setup_cell import badges

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
    if isinstance(assignment, Lab):
        return _lab_readme(course, assignment)
    return "\n".join(
        [
            f"# {assignment.label} · {assignment.title}",
            "",
            f"You build {assignment.build}. About "
            f"{hours(assignment.minutes)}{_for_bonus(assignment)}; {assignment.compute}.",
            "",
            *_target(assignment),
            *badges(course, assignment),
            *exercise_table(assignment),
            "",
            f"**Due** {written(assignment.due, assignment.zone)}; "
            f"up to {assignment.late_days} days late, minus "
            f"{assignment.late_penalty_percent:g} % of the points per started day."
            f"{slip_days(course)}",
            "",
            "Open the notebook, replace each `raise NotImplementedError(…)` with your code, run "
            "the `check` cell below it, and save. In a terminal, `student check "
            f"{assignment.id}` runs the visible checks on the saved notebook, and `student submit "
            f"{assignment.id}` makes the archive to hand in and shows what the grader will see.",
            "",
            "The grader finds your functions, classes and imports by name. It does not run plots, "
            "loops and prints at the top level of a cell, so give a function everything it needs "
            "as arguments. The visible checks are part of the grade; hidden tests decide the rest.",
            "",
            *_bans(assignment)[:1],
            *_model_files(assignment),
            *_other_files(assignment),
            "",
            "<!-- Built by `course build` from course.toml. -->",
            "",
        ]
    )


def _lab_readme(course: Course, lab: Lab) -> str:
    return "\n".join(
        [
            f"# {lab.label} · {lab.title}",
            "",
            f"You build {lab.build}. About {hours(lab.minutes)}; {lab.compute}.",
            "",
            *badges(course, lab),
            *exercise_table(lab),
            "",
            "It is optional: there are no points and no hidden tests, and you do not hand it in. "
            "Open the notebook, replace each `raise NotImplementedError(…)` with your "
            f"code, and run the `check` cell below it; `student check {lab.id}` runs all checks on "
            f"the saved notebook. The model answers are in `solutions/{lab.id}.ipynb` and in the "
            "library: look there when you are done, or have tried enough.",
            "",
            "<!-- Built by `course build` from course.toml. -->",
            "",
        ]
    )


def _model_files(assignment: Assignment) -> list[str]:
    """The files to hand in besides the notebook, and how they are scored."""
    if assignment.model is None:
        return []
    listed = ", ".join(f"`{name}`" for name in assignment.model.files)
    loader, predictor = assignment.model.entry_points
    answers, hidden = assignment.scorer.compared
    return [
        "",
        f"Hand in the folder `{FOLDER}` too, which the notebook writes next to itself: {listed} "
        f"(at most {assignment.model.mebibytes} MiB). The grader computes the {answers} from your "
        f"weights, on one core within {assignment.model.seconds:g} s, asks your own "
        f"`{loader}(folder)` and `{predictor}(model, texts)` for some of them, and compares them "
        f"with {hidden}.",
    ]


def _other_files(assignment: Assignment) -> list[str]:
    """The files to hand in for exercises whose tests read a file."""
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

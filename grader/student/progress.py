"""Progress through the course: exercises, minutes and weeks, in a terminal or a notebook.

    from grader.student.progress import progress
    progress()

It knows what the notebooks say and what the last check of each exercise found, nothing else.
"""

import html
from dataclasses import dataclass, replace
from typing import Any

from ..course.assignment import Assignment
from ..course.course import Course
from ..course.exercise import Exercise
from ..course.problem import Problem
from . import record, work
from .work import Work

DONE, FAILING, UNCHECKED, OPEN = "done", "failing", "not checked", "open"
PRACTICE = "practice"
SIGNS = {DONE: "✓", FAILING: "✗", UNCHECKED: "?", PRACTICE: "~", OPEN: "·"}
MEANING = {
    DONE: "written, and its last check passes",
    FAILING: "its last check fails",
    UNCHECKED: "written, and not checked since",
    PRACTICE: "trained on generated sentences only: train on real ones",
    OPEN: "not written yet",
}
WIDTH = 20  # characters of a bar


@dataclass(frozen=True)
class Line:
    """One exercise and its progress."""

    exercise: Exercise
    state: str


@dataclass(frozen=True)
class Part:
    """One assignment: its exercises, or why its notebook cannot be read."""

    assignment: Assignment
    lines: list[Line]
    problem: str = ""
    role: str = ""  # in the course grade, if it need not count: a choice, or extra credit

    @property
    def required(self) -> list[Line]:
        return [line for line in self.lines if not line.exercise.bonus]

    @property
    def is_begun(self) -> bool:
        return any(line.state != OPEN for line in self.lines)

    @property
    def is_finished(self) -> bool:
        return all(line.state == DONE for line in self.required)

    @property
    def minutes_left(self) -> int:
        """The estimated minutes of what is not done, without bonus exercises."""
        return sum(line.exercise.minutes for line in self.required if line.state != DONE)

    def count(self, state: str) -> int:
        return sum(line.state == state for line in self.required)


class Progress:
    """A student's progress: text in a terminal, a table in a notebook."""

    def __init__(self, parts: list[Part], weeks: dict[str, list[int]]):
        self.parts, self.weeks = parts, weeks

    def __str__(self) -> str:
        lines = []
        for part in self.parts:
            lines += [
                f"{_weeks(self.weeks[part.assignment.id])}  {_title(part)}",
                f"  {_sums(part)}",
            ]
            if part.problem:
                lines.append(f"  ! {part.problem}")
            for state in SIGNS:
                ids = [_name(line.exercise) for line in part.lines if line.state == state]
                if ids:
                    lines.append(f"  {SIGNS[state]} {state:<11}  {', '.join(ids)}")
        return "\n".join([*lines, self.total])

    __repr__ = __str__

    @property
    def total(self) -> str:
        required = [line for part in self.parts for line in part.required]
        done = sum(line.state == DONE for line in required)
        left = sum(part.minutes_left for part in self.parts)
        return f"In all: {done} of {len(required)} exercises done, about {_time(left)} left."

    def _repr_html_(self) -> str:
        """Signs and words tell the states apart; colors are the page's own."""
        rows = []
        for part in self.parts:
            week = _weeks(self.weeks[part.assignment.id])
            head = (
                f"<b>{html.escape(_title(part))}</b> ({week.lower()}): {html.escape(_sums(part))}"
            )
            if part.problem:
                head += f"<br>{html.escape(part.problem)}"
            rows.append(f'<tr><td colspan="4" style="text-align:left">{head}</td></tr>')
            for line in part.lines:
                e = line.exercise
                rows.append(
                    f'<tr><td style="text-align:left">{SIGNS[line.state]} {line.state}</td>'
                    f'<td style="text-align:left">{e.id}</td>'
                    f'<td style="text-align:left">{html.escape(e.title)}'
                    f"{' (bonus)' if e.bonus else ''}</td><td>{e.minutes} min</td></tr>"
                )
        means = "; ".join(f"{SIGNS[state]} {text}" for state, text in MEANING.items())
        return (
            "<table><thead><tr><th>State</th><th>Exercise</th><th>Title</th><th>Estimate</th></tr>"
            f"</thead><tbody>{''.join(rows)}</tbody></table><p>{html.escape(self.total)}</p>"
            f"<p>{means}.</p>"
        )


def progress() -> Progress:
    """Progress through the assignments whose notebooks this tree holds."""
    course = Course.here()
    checks = record.load()
    parts = [
        replace(found, role="; ".join(course.grading.roles(a.id)))
        for a in course.assignments
        if (found := _part(a, checks)) is not None
    ]
    if not parts:
        raise Problem(f"{course.root / 'assignments'}: there is no notebook of an assignment")
    weeks = {a.id: course.weeks_of(a) for a in course.assignments}
    return Progress(parts, weeks)


def _part(assignment: Assignment, checks: dict[str, Any]) -> Part | None:
    own = assignment.starter
    if not own.is_file():
        return None
    try:
        found = work.read(assignment, own)
    except Problem as error:
        return Part(assignment, [Line(e, OPEN) for e in assignment.exercises], str(error))
    return Part(assignment, [Line(e, _state(found, e, checks)) for e in assignment.exercises])


def _state(found: Work, exercise: Exercise, checks: dict[str, Any]) -> str:
    if not found.is_begun(exercise):
        return OPEN
    if exercise.kind == "model":
        return PRACTICE if found.made_up_data else UNCHECKED if exercise.bonus else DONE
    if exercise.kind != "code":
        return DONE
    last = checks.get(exercise.id)
    if last is None or last["code"] != found.fingerprint(exercise):
        return UNCHECKED
    return DONE if last["passed"] == last["tests"] else FAILING


def _weeks(numbers: list[int]) -> str:
    first, last = numbers[0], numbers[-1]
    return f"Week {first}" if first == last else f"Weeks {first} to {last}"


def _title(part: Part) -> str:
    role = f" ({part.role})" if part.role else ""
    return f"{part.assignment.id} {part.assignment.title}{role}"


def _sums(part: Part) -> str:
    done, all_of_it = part.count(DONE), len(part.required)
    filled = round(WIDTH * done / max(all_of_it, 1))
    bar = "█" * filled + "░" * (WIDTH - filled)
    return f"{bar} {done} of {all_of_it} done, about {_time(part.minutes_left)} left"


def _name(exercise: Exercise) -> str:
    return f"{exercise.id} (bonus)" if exercise.bonus else exercise.id


def _time(minutes: int) -> str:
    hours, rest = divmod(minutes, 60)
    return f"{hours} h {rest:02} min" if hours else f"{rest} min"

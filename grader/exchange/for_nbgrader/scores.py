"""Writes results into nbgrader's gradebook, as its `autograde` would have written its own.

Only automatic scores and comments are written, and the late penalty. What a person entered in
formgrader stays, and is flagged for review if what it was about has changed.
"""

import datetime
import html
from collections.abc import Collection
from typing import TYPE_CHECKING, Any

from grader.course.assignment import Assignment
from grader.notebook import nbgrader_cells

from ...course.visible import visible
from ...gradebook.exercise_result import ExerciseResult
from ...gradebook.result import Result
from ...gradebook.totals import WITHOUT_POINTS
from ...report.for_students import for_student
from ...report.plain_text import number
from ...report.sentences import cause_sentence, why
from . import gradebook

if TYPE_CHECKING:
    from nbgrader.api import Gradebook

NO_RESPONSE = "No response."  # nbgrader's own words


def write(
    book: "Gradebook",
    assignment: Assignment,
    student: str,
    result: Result,
    penalty: float,
    before: Result | None = None,
    held: Collection[str] = (),
) -> None:
    """Write one student's result of an assignment; `before` is the one that marks were given for.

    `held`: the items whose marks do not count here until a person confirms them.

    `student` is their name in nbgrader.
    `penalty` are the points that lateness costs, of automatic and manual points together.
    """
    book.update_or_create_student(student)
    submission = book.update_or_create_submission(assignment.id, student)
    if submission.timestamp is None and result.submission.received:
        received = datetime.datetime.fromisoformat(result.submission.received)
        submission.timestamp = received.astimezone(datetime.timezone.utc).replace(tzinfo=None)
    notebook = book.find_submission_notebook(assignment.id, assignment.id, student)
    notebook.late_submission_penalty = penalty or None
    scores, answers = _scores(result, assignment), _answers(result)
    old = _answers(before) if before else answers
    waiting = {name for item in held for name in _cells_of(item)}
    for grade in notebook.grades:
        if grade.name in scores:
            changed = answers.get(grade.name) != old.get(grade.name) or grade.name in waiting
            _fill(grade, scores[grade.name], changed)
    comments = _comments(result, assignment)
    for comment in notebook.comments:
        if comment.name in comments:
            comment.auto_comment = comments[comment.name]
    book.db.commit()


def _fill(grade: Any, score: float | None, answer_changed: bool) -> None:
    """Set the automatic score; a person is needed if there is none, or their mark is outdated."""
    marked = grade.manual_score is not None or grade.extra_credit is not None
    changed = answer_changed or grade.auto_score not in (None, score)
    grade.auto_score = score
    grade.needs_manual_grade = grade.needs_manual_grade or changed if marked else score is None


def _scores(result: Result, assignment: Assignment) -> dict[str, float | None]:
    """The automatic score of each graded cell; None if a person has to give it.

    An unanswered written part gets 0, as from nbgrader. Nothing in an unreadable file needs anyone.
    """
    if result.outcome in WITHOUT_POINTS:
        return dict.fromkeys(gradebook.maxima(assignment), 0.0)
    found: dict[str, float | None] = {}
    for exercise in result.exercises:
        for part in exercise.parts:
            found[nbgrader_cells.written(part.id)] = None if part.answer else 0.0
        if exercise.kind == "model":
            found[nbgrader_cells.model(exercise.id)] = exercise.points
        elif exercise.kind == "code":
            found[nbgrader_cells.check(exercise.id)] = exercise.points
    return found


def _answers(result: Result) -> dict[str, str]:
    return {nbgrader_cells.written(part.id): part.answer for part in result.parts}


def _cells_of(item: str) -> tuple[str, ...]:
    """The names that the cell of an item may have."""
    return nbgrader_cells.written(item), nbgrader_cells.model(item), nbgrader_cells.check(item)


def _comments(result: Result, assignment: Assignment) -> dict[str, str | None]:
    """The automatic comment on each cell that students fill in; None for nothing to say."""
    found: dict[str, str | None] = {}
    results = {exercise.id: exercise for exercise in for_student(result).exercises}
    unreadable = result.outcome in WITHOUT_POINTS
    for exercise in assignment.exercises:
        for name in exercise.names:
            text = _escaped(result.reason) if unreadable else _comment(results[exercise.id], result)
            found[nbgrader_cells.component(assignment.id, name)] = text
    for part in result.parts:
        where = f"The answer is {part.notice}." if part.notice else None
        found[nbgrader_cells.written(part.id)] = where if part.answer else NO_RESPONSE
    return found


def _comment(exercise: ExerciseResult, result: Result) -> str | None:
    """Why points of a code exercise were lost."""
    if exercise.status == "not written":
        return NO_RESPONSE
    if exercise.points is None or exercise.points >= exercise.max_points or not exercise.tests:
        return None
    passed = sum(test.outcome == "PASSED" for test in exercise.tests)
    lines = [
        f"{number(exercise.points)} of {number(exercise.max_points)} points: {passed} of "
        f"{len(exercise.tests)} tests pass. First: {why(exercise)}",
        cause_sentence(exercise, result),
    ]
    return _escaped("\n\n".join(filter(None, lines)))


def _escaped(text: str) -> str:
    """nbgrader's feedback shows comments as HTML, and a reason may quote a student."""
    return html.escape(visible(text), quote=False)

"""The real nbgrader accepts starters and solutions, and shows written questions to a marker."""

import shutil
import sqlite3

import pytest
from checkout import ROOT

from bench.grader import grading

IDS = [
    pytest.param(id, marks=[mark, pytest.mark.xdist_group(f"nbgrader {id}")])
    for id, mark in (("a1", pytest.mark.long), *((f"a{n}", pytest.mark.slow) for n in (2, 3, 4)))
]


@pytest.fixture(scope="module", params=IDS)
def graded(request, course):
    """An nbgrader course in which one student submitted the starter, another the solution."""
    assignment = course.assignment(request.param)
    with grading.nbgrader_course(assignment) as folder:
        for student, source in (("starter", "assignments/{0}/{0}"), ("solution", "solutions/{0}")):
            place = folder / "submitted" / student / assignment.id
            place.mkdir(parents=True)
            notebook = ROOT / f"{source.format(assignment.id)}.ipynb"
            shutil.copy(notebook, place / f"{assignment.id}.ipynb")
        grading.nbgrader(["autograde", assignment.id], folder)
        with sqlite3.connect(folder / "gradebook.db") as database:
            yield assignment, folder, database


QUERY = """
    select base_cell.name, grade.auto_score, grade.needs_manual_grade, grade_cells.max_score
    from grade
    join grade_cells on grade.cell_id = grade_cells.id
    join base_cell on base_cell.id = grade_cells.id
    join submitted_notebook on submitted_notebook.id = grade.notebook_id
    join submitted_assignment on submitted_assignment.id = submitted_notebook.assignment_id
    where submitted_assignment.student_id = ?
"""


def test_a_starter_scores_nothing_and_a_solution_all_visible_points(graded):
    assignment, _, database = graded
    code = [exercise for exercise in assignment.exercises if exercise.kind == "code"]
    scores = {}
    for student in ("starter", "solution"):
        rows = database.execute(QUERY, (student,)).fetchall()
        scores[student] = {name: score for name, score, _, _ in rows if name.startswith("check-")}
    wanted = {f"check-{e.id.replace('.', '-')}": e.points for e in code}
    assert scores["starter"] == dict.fromkeys(wanted, 0.0)
    assert scores["solution"] == wanted


def test_written_questions_wait_for_a_marker_in_formgraders_terms(graded):
    assignment, _, database = graded
    rows = database.execute(QUERY, ("solution",)).fetchall()
    written = {name: (manual, points) for name, _, manual, points in rows if "written" in name}
    wanted = {
        f"written-{exercise.id.replace('.', '-')}-{part.id}": (1, part.points)
        for exercise in assignment.exercises
        for part in exercise.parts
    }
    assert written == wanted


def test_nbgrader_validates_the_solution(graded):
    assignment, folder, _ = graded
    solution = f"submitted/solution/{assignment.id}/{assignment.id}.ipynb"
    assert "Success" in grading.nbgrader(["validate", solution], folder)

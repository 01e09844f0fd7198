"""A course run with nbgrader: made for it, graded in our sandbox, shown by its own commands."""

import datetime
import json
import shutil
from types import SimpleNamespace

import checkout
import pytest
from nbgrader_class import (
    CourseFolder,
    cells,
    components,
    hand_in,
    leaked,
    lines,
    without_answers,
)
from world import A1, table, with_parts

from grader.authoring import nbgrader_folder as course_folder
from grader.authoring.views import notebooks
from grader.cli.grading import nbgrader_command
from grader.course.course import Course
from grader.exchange.for_nbgrader import gradebook, marks, scores
from grader.gradebook import manual, stored_marks
from grader.gradebook.lateness import moment
from grader.gradebook.manual import ManualMark
from grader.gradebook.store import Store
from grader.library.components import BuildError
from grader.notebook import nbgrader_cells

pytestmark = [pytest.mark.xdist_group("for_nbgrader"), pytest.mark.long]


@pytest.fixture(scope="module")
def made(course, tmp_path_factory):
    folder = tmp_path_factory.mktemp("nbgrader") / "course"
    course_folder.write(course, folder, ["a1"])
    with (folder / "nbgrader_config.py").open("a", encoding="utf-8") as config:
        config.write("c.Execute.enabled = True\nc.SaveAutoGrades.enabled = True\n")
    made = CourseFolder(folder)
    made.nbgrader("generate_assignment", "a1")
    return made


@pytest.fixture(scope="module")
def submitted(made, course):
    hand_in(made, course)
    return made


@pytest.fixture(scope="module")
def first(submitted):
    """This class after `course nbgrader`."""
    submitted.told = submitted.graded().stderr
    return submitted


def test_a_release_has_signatures_and_docstrings_but_no_answer(made, course):
    without_answers(course, course.assignment("a1"), made.notebook("release"))


def test_the_source_has_every_answer_that_a_release_must_not_have(made, course):
    assignment = course.assignment("a1")
    found = leaked(course, assignment, made.notebook("source"))
    for component in components(assignment):
        body = {" ".join(line.split()) for line in component.source.splitlines()}
        assert body & found, component.name
    assert not any("ubric" in line for line in lines(made.notebook("source")))


@pytest.mark.parametrize("id", ["a1", "a2", "a3", "a4", "a5"])
def test_nbgraders_maximum_is_that_of_the_course_without_bonus(course, id):
    assignment = course.assignment(id)
    named = cells(notebooks.build(course, assignment, "nbgrader"))
    points = {n: c["metadata"]["nbgrader"].get("points") for n, c in named.items()}
    assert {n: p for n, p in points.items() if p is not None} == gradebook.maxima(assignment)
    assert sum(gradebook.maxima(assignment).values()) == 100


def results(folder):
    with Store(folder / "grades" / "results.db") as store:
        return {result.student: result for result in store.latest("a1")}


def test_nbgraders_gradebook_has_the_points_and_maxima_of_the_grader(first):
    found = results(first.path)
    with first.book() as book:
        for student, result in found.items():
            submission = book.find_submission("a1", student)
            assert submission.score == pytest.approx(result.totals.total), student
            assert submission.max_score == 100
            assert submission.timestamp is not None
            for exercise in (e for e in result.exercises if e.kind == "code" and e.tests):
                grade = book.find_grade(nbgrader_cells.check(exercise.id), "a1", "a1", student)
                assert grade.auto_score == exercise.points
    totals = {student: result.totals.total for student, result in found.items()}
    assert totals["ben"] == totals["dan"] == 0
    assert 80 < totals["cleo"] < totals["ada"] == 98  # 88, and the bonus of 10


def test_points_of_another_notebook_than_formgrader_shows_are_told(tmp_path):
    def graded(file):
        return SimpleNamespace(submission=SimpleNamespace(file=str(tmp_path / file)))

    for name in ("ada/a1/a1.ipynb", "ben/a1/a1.ipynb", "ben/a1/a1 (1).ipynb"):
        checkout.place(tmp_path / name)
    ready = {"ada": graded("ada/a1/a1.ipynb"), "ben": graded("ben/a1/a1 (1).ipynb")}
    (told,) = nbgrader_command._not_shown(tmp_path, "a1", ready | {"cyd": graded("cyd/a1/b.ipynb")})
    assert told.startswith("ben: formgrader shows a1.ipynb, but the points are those of a1 (1).ip")


def test_only_answers_that_are_there_wait_for_a_marker(first):
    with first.book() as book:
        waiting = {
            student: {g.name for g in grades(book, student) if g.needs_manual_grade}
            for student in ("ada", "ben", "cleo", "dan")
        }
    assert waiting["ada"] == {"written-1-11-a", "written-1-11-b"}
    assert waiting["cleo"] == {"written-1-11-a"}
    assert waiting["ben"] == waiting["dan"] == set()


def test_an_answer_that_formgrader_does_not_show_at_its_points_is_named(first):
    first_cell = next(n for n in range(100) if f"in 2 cells: {n} and" in first.told)
    where = f"in 2 cells: {first_cell} and {first_cell + 1} (raw)"
    assert f"cleo: the answer to 1.11.a is {where}\n" in first.told
    assert "ada: formgrader has no field for the points of 1.11.b" in first.told
    assert first.told.count("1.11.") == 2
    with first.book() as book:
        comment = book.find_comment("written-1-11-a", "a1", "a1", "cleo").comment
    assert comment == f"The answer is {where}."


def grades(book, student):
    return book.find_submission_notebook("a1", "a1", student).grades


def test_a_lost_point_is_explained_where_feedback_shows_it(first):
    with first.book() as book:
        said = {
            (student, name): book.find_comment(name, "a1", "a1", student).comment
            for student in ("ada", "ben", "cleo", "dan")
            for name in ("a1-attention", "written-1-11-b")
        }
    assert "mask is ignored" in said["cleo", "a1-attention"]
    assert said["ada", "a1-attention"] is None
    assert said["ben", "a1-attention"] == said["cleo", "written-1-11-b"] == "No response."
    assert "is plain text, not a notebook" in said["dan", "a1-attention"]


def test_no_submitted_code_ran_outside_the_sandbox_and_no_saved_output_counted(first):
    assert not (first.path / "ran").exists()
    copy = json.loads((first.path / "autograded/ben/a1/a1.ipynb").read_text(encoding="utf-8"))
    assert not any(cell.get("outputs") for cell in copy["cells"])
    assert not (first.path / "autograded" / "dan").exists()


@pytest.fixture
def marked(first, course):
    """ada's points of 1.4, her first answer and her bonus changed as in formgrader."""
    with first.book() as book:
        for cell, points, extra in (
            ("check-1-4", 5.0, None),
            ("written-1-11-a", 3.5, None),
            ("check-1-12", 0.0, 7.0),  # of a cell with 0 points
        ):
            grade = book.find_grade(cell, "a1", "a1", "ada")
            grade.manual_score, grade.extra_credit = points, extra
            grade.needs_manual_grade = False
        book.find_comment("written-1-11-a", "a1", "a1", "ada").manual_comment = "Which factor?"
        book.db.commit()
    yield first
    with first.book() as book:
        for grade in grades(book, "ada"):
            grade.manual_score = grade.extra_credit = None
        book.find_comment("written-1-11-a", "a1", "a1", "ada").manual_comment = None
        book.db.commit()


def written_again(folder, course, result, before):
    with folder.book() as book:
        scores.write(book, course.assignment("a1"), result.student, result, 0.0, before)
        return {grade.name: grade.needs_manual_grade for grade in grades(book, "ada")}


def test_marks_made_in_formgrader_are_read(marked, course):
    with marked.book() as book:
        found = marks.read(book, course, course.assignment("a1"))
    assert found.warnings == []
    assert found.manual.marks == {
        ("ada", "a1", "1.4"): ManualMark(5.0),
        ("ada", "a1", "1.11.a"): ManualMark(3.5, "Which factor?"),
        ("ada", "a1", "1.12"): ManualMark(7.0),
    }


def test_marks_survive_when_scores_are_written_again(marked, course):
    result = results(marked.path)["ada"]
    waiting = written_again(marked, course, result, result)
    assert not waiting["check-1-4"]
    with marked.book() as book:
        grade = book.find_grade("check-1-4", "a1", "a1", "ada")
        assert (grade.manual_score, grade.auto_score, grade.score) == (5.0, 18.0, 5.0)
        submission = book.find_submission("a1", "ada")
        assert submission.score == 98 - 18 + 5 - 10 + 7 + 3.5
        comment = book.find_comment("written-1-11-a", "a1", "a1", "ada").comment
    assert comment == "Which factor?"


def test_a_mark_is_flagged_for_review_if_what_it_was_given_for_has_changed(marked, course):
    result = results(marked.path)["ada"]
    fewer = [
        e if e.parts else e.model_copy(update={"points": e.points - 1}) for e in result.exercises
    ]
    changed = with_parts(result.changed(A1, exercises=fewer), {"answer": "Another answer."})
    waiting = written_again(marked, course, changed, result)
    assert waiting["check-1-4"]
    assert waiting["written-1-11-a"]
    assert not waiting["check-1-3"]  # nobody changed it
    written_again(marked, course, result, result)


def test_a_mark_flagged_in_formgrader_counts_again_only_once_a_person_has_confirmed_it(
    marked, course, tmp_path
):
    result, assignment = results(marked.path)["ada"], course.assignment("a1")
    changed = with_parts(result, {"answer": "Another answer."})

    def after_a_run(store, now):
        """The items held in the store after what `course nbgrader` does besides grading."""
        with marked.book() as book:
            found = marks.read(book, course, assignment)
        before = {r.student: r for r in store.latest()}
        store.keep(found.confirmed(store.manual(course), before), marks.MARKER)
        store.add(now)
        counted = [manual.apply(r, store.manual(course)) for r in store.latest()]
        held = [mark.item for r in counted for mark in r.held]
        with marked.book() as book:
            scores.write(book, assignment, "ada", now, 0.0, before.get("ada"), held)
        with store.connected(writing=True) as connection:
            stored_marks.append(connection, marks.asked_again(store.manual(course), counted))
        return held

    with Store(tmp_path / "results.db") as store:
        store.add(result)
        assert after_a_run(store, result) == []
        assert after_a_run(store, changed) == ["1.11.a"]
        assert after_a_run(store, changed) == ["1.11.a"], "the flag is still there"
        with marked.book() as book:
            grade = book.find_grade("written-1-11-a", "a1", "a1", "ada")
            assert grade.needs_manual_grade
            grade.needs_manual_grade = False  # as formgrader does when a person saves the mark
            book.db.commit()
        assert after_a_run(store, changed) == []
    written_again(marked, course, result, result)


def test_more_points_than_an_exercise_has_are_named_and_not_taken_over(marked, course):
    with marked.book() as book:
        book.find_grade("check-1-3", "a1", "a1", "ada").extra_credit = 2.0
        book.db.commit()
        found = marks.read(book, course, course.assignment("a1"))
    assert ("ada", "a1", "1.3") not in found.manual.marks
    assert len(found.warnings) == 1
    assert "ada has 10 points for 1.3" in found.warnings[0]


@pytest.mark.parametrize(
    ("files", "told"),
    [([], "no nbgrader_config.py"), (["nbgrader_config.py"], "there is no gradebook yet")],
)
def test_a_folder_that_is_not_ready_is_one_sentence(tmp_path, files, told):
    for name in files:
        (tmp_path / name).write_text(course_folder.CONFIG, encoding="utf-8")
    with pytest.raises(gradebook.NbgraderError, match=told):
        gradebook.configured(tmp_path)


def test_a_gradebook_with_other_cells_or_points_is_refused_before_grading(first, course):
    assignment = course.assignment("a1")
    with first.book() as book:
        gradebook.check(book, assignment, first.path)
        with pytest.raises(gradebook.NbgraderError, match="generate_assignment a2"):
            gradebook.check(book, course.assignment("a2"), first.path)
        book.find_grade_cell("check-1-3", "a1", "a1").max_score = 9
        with pytest.raises(gradebook.NbgraderError, match="lacks check-1-3 with the points"):
            gradebook.check(book, assignment, first.path)
        book.db.rollback()


def test_building_again_replaces_only_what_it_wrote(course, tmp_path):
    course_folder.write(course, tmp_path, ["a1"])
    (tmp_path / "nbgrader_config.py").write_text("c = get_config()  # mine\n", encoding="utf-8")
    course_folder.write(course, tmp_path, ["a1"])
    assert "mine" in (tmp_path / "nbgrader_config.py").read_text(encoding="utf-8")
    for name in ("source/a1/a1.ipynb", "README.md"):
        before = (tmp_path / name).read_text(encoding="utf-8")
        (tmp_path / name).write_text("my own\n", encoding="utf-8")
        with pytest.raises(BuildError, match="was not written by"):
            course_folder.write(course, tmp_path, ["a1"])
        assert (tmp_path / name).read_text(encoding="utf-8") == "my own\n"
        (tmp_path / name).write_text(before, encoding="utf-8")
    (tmp_path / "source" / "a2").mkdir()
    with pytest.raises(BuildError, match="a2: was not written by"):
        course_folder.write(course, tmp_path, ["a2"])


def late_by(hours, received):
    """A due date of a student's own that makes the work so late."""
    return (received - datetime.timedelta(hours=hours)).isoformat()


@pytest.mark.slow
def test_the_late_penalty_follows_the_roster_and_its_names_are_nbgraders(
    first, course, monkeypatch
):
    """Last in this file: the class is late from here on."""
    received = moment(results(first.path)["ada"].submission.received)
    rows = [f"ada,{late_by(36, received)}", f"cleo,{late_by(12, received)}"]
    roster = first.path.parent / "roster.csv"
    rows = [f"{row}," for row in rows] + ["benedict,,ben"]
    roster.write_text("\n".join(["student,a1,nbgrader", *rows]) + "\n", encoding="utf-8")

    def penalties(*options):
        first.graded(*options)
        with first.book() as book:
            found = {s: book.find_submission("a1", s) for s in ("ada", "ben", "cleo")}
            return {s: submission.late_submission_penalty for s, submission in found.items()}

    given = penalties("--roster", str(roster))
    assert given == {"ada": 19.6, "ben": 0, "cleo": pytest.approx(8.83, abs=0.1)}
    assert results(first.path)["benedict"].submission.file.endswith("ben/a1/a1.ipynb")
    assert {*first.export()} == {"ada", "ben", "cleo", "dan"}
    late = course.late.model_copy(update={"slip_days": 1})
    ours = course.model_copy(update={"late": late})
    monkeypatch.setattr(Course, "here", lambda: ours)
    assert penalties() == {"ada": 9.8, "ben": 0, "cleo": 0}
    exported = first.export()
    rows = table((first.path / "grades" / "grades.csv").read_text(encoding="utf-8"))
    totals = {row["student"]: float(row["total"]) for row in rows}
    assert totals["ada"] == 98 - 9.8
    for student in ("ada", "cleo"):
        assert float(exported[student]["score"]) == pytest.approx(totals[student])


def test_a_notebook_that_nbgrader_refuses_hides_nobodys(made, course, tmp_path):
    """nbgrader ends at the first one; names without a character that its patterns use are found."""
    folder = tmp_path / "course"
    shutil.copytree(
        made.path, folder, ignore=shutil.ignore_patterns("submitted", "autograded", "grades")
    )
    good = made.notebook("release")
    twice, old = (json.loads(json.dumps(good)) for _ in range(2))
    twice["cells"].append(cells(good)["written-1-11-a"])
    for cell in cells(old).values():
        cell["metadata"]["nbgrader"]["schema_version"] = 1
    notebooks = {"ada": good, "b twice": twice, "c": old, "d+e (x) [y]": good, "李小龙": good}
    for name, notebook in notebooks.items():
        checkout.place(folder / "submitted" / name / "a1" / "a1.ipynb", json.dumps(notebook))
    checkout.place(folder / "submitted" / "f" / "a1" / "work.ipynb", json.dumps(good))
    done = CourseFolder(folder).graded()
    copied = {path.parent.parent.name for path in (folder / "autograded").rglob("a1.ipynb")}
    assert copied == {"ada", "李小龙"}
    said = [line for line in done.stderr.splitlines() if "but not the notebook" in line]
    for name, reason in {
        "b twice": "exists multiple times; correct submitted/b twice/a1/a1.ipynb",
        "c": "an old version of the nbgrader metadata format; run `nbgrader update submitted/c`",
        "d+e (x) [y]": "nbgrader reads no folder with [, * or ? in its name",
        "f": "nbgrader takes only submitted/f/a1/a1.ipynb",
    }.items():
        [line] = [line for line in said if line.startswith(f"{name}: ")]
        assert reason in line
    assert len(said) == 4

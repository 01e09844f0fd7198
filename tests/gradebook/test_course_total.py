"""Course grades: the arithmetic, the scheme in course.toml, and where each number comes from."""

import io
import itertools
import re
from fractions import Fraction
from pathlib import Path

import pytest
from checkout import ROOT, syllabus
from hypothesis import given, settings
from hypothesis import strategies as st
from rich.console import Console
from sample_results import sample
from world import COURSE, handed_in, table
from world_tables import cases

from grader.authoring.release import handbook
from grader.classroom import component_marks
from grader.classroom.csv_file import CsvError
from grader.classroom.roster import Roster, Student
from grader.classroom.terms import Terms
from grader.course.course import Course
from grader.course.course_file import CourseError
from grader.course.grading import Component, Grading, Group
from grader.gradebook.course_grades import course_grades, to_csv
from grader.gradebook.course_total import course_total, rounded
from grader.report.course_grade import explained, grades_table

few = settings(max_examples=40)
ITEMS = ("a1", "a2", "a3", "a4", "a5")
EQUAL = dict.fromkeys(ITEMS, 20.0)
PERCENT = st.fractions(0, 130, max_denominator=20)
MARKS = st.fixed_dictionaries({id: st.one_of(PERCENT, st.none()) for id in ITEMS})
WEIGHTS = st.fixed_dictionaries({id: st.integers(1, 60).map(float) for id in ITEMS})


def scheme(**rules) -> Grading:
    """One group of all assignments, with these rules."""
    group = {"id": "projects", "weight_percent": 100, "items": list(ITEMS)} | rules
    return Grading(cap_percent=1000, groups=[Group(**group)])


def total(grading, marks, weights=EQUAL):
    return course_total(grading, weights, marks).percent


def with_total(student, assignment, points):
    facts = {"student": student, "assignment": assignment}
    totals = ANY.totals.model_copy(update={"total": points})
    return ANY.model_copy(update=facts | {"totals": totals})


ANY = sample()

# ---------------------------------------------------------------- the arithmetic


def test_without_a_table_the_weights_of_the_assignments_count():
    marks = {"a1": 100, "a2": 50, "a3": 0, "a4": 75, "a5": 25}
    assert total(Grading(), {id: Fraction(m) for id, m in marks.items()}) == 50


@few
@given(MARKS, st.integers(1, 480).map(lambda n: n / 4))
def test_a_total_never_exceeds_its_cap(marks, cap):
    extra = Component(id="talk", weight_percent=30, extra_credit=True)
    grading = Grading(cap_percent=cap, components=[extra])
    reached = total(grading, marks | {"talk": Fraction(100)})
    assert reached is None or reached <= cap
    capped = total(scheme(cap_percent=cap), marks | {"talk": None})
    assert capped is None or capped <= cap


@few
@given(MARKS, WEIGHTS, st.integers(1, 5))
def test_the_best_k_are_the_best_of_all_choices_of_k(marks, weights, k):
    present = [id for id, mark in marks.items() if mark is not None]
    choices = itertools.combinations(present, min(k, len(present)))
    means = [
        sum(marks[id] * int(weights[id]) for id in chosen) / sum(int(weights[id]) for id in chosen)
        for chosen in choices
        if chosen
    ]
    assert total(scheme(best=k), marks, weights) == (max(means) if means else None)


@few
@given(MARKS, WEIGHTS)
def test_what_counts_adds_up_to_100_and_gives_the_total(marks, weights):
    found = course_total(scheme(drop_lowest=1), weights, marks)
    if found.percent is not None:
        [group] = found.parts
        assert group.share == 100
        assert sum(part.share for part in group.parts) == 100
        assert sum(part.gives for part in group.parts) == found.percent


@few
@given(MARKS, WEIGHTS, st.sampled_from(ITEMS))
def test_excused_is_as_if_it_did_not_exist(marks, weights, id):
    without = {other: weight for other, weight in weights.items() if other != id}
    group = Group(id="projects", weight_percent=100, items=[*without])
    rest = {other: mark for other, mark in marks.items() if other != id}
    expected = total(Grading(cap_percent=1000, groups=[group]), rest, without)
    assert total(scheme(), marks | {id: None}, weights) == expected


def test_halves_are_rounded_upward_and_decimals_are_exact():
    assert rounded(Fraction("89.995")) == 90.0
    assert rounded(Fraction("12.344999")) == 12.34
    tenths = Grading(components=[Component(id="exam", weight_percent=0.1)])
    assert tenths.problem({"a1": 99.9}) is None


# ---------------------------------------------------------------- the scheme

NESTED, CHOICE = (  # a lecture course's, and a choice of projects: tables of course.toml
    Path(__file__).with_name(f"{name}_scheme.toml").read_text(encoding="utf-8")
    for name in ("nested", "choice")
)


@pytest.fixture
def course_with(tmp_path):
    def load(table):
        return Course.load(syllabus(tmp_path, lambda text: text + table))

    return load


def test_a_table_of_many_columns_is_readable_in_80_characters():
    results = [with_total(f"student-{n:03}", id, 93.25) for n in range(3) for id in ITEMS]
    grading = Grading(
        components=[Component(id=f"participation_{n}", weight_percent=0) for n in "ab"]
    )
    course = COURSE.model_copy(update={"grading": grading})
    marks = {("student-000", "participation_a"): (3.0, 4.0)}
    out = io.StringIO()
    grades = course_grades(results, course, Roster(), marks, so_far=True)
    Console(file=out, width=80).print(grades_table(grades, 80))
    lines = out.getvalue().splitlines()
    assert max(map(len, lines)) <= 80
    assert sum("student-" in line for line in lines) == 3, "a name is not written letter by letter"
    assert "excused" not in out.getvalue(), "nothing is said of what nobody has a grade for"
    assert "–" in out.getvalue()


def test_students_are_told_what_counts_and_what_they_may_leave_out(course_with):
    course = course_with(CHOICE)
    told = handbook.readme(course, course.assignments, [], "3.10")
    assert "- a1: 20 %\n- a2: 20 %\n- project: 60 %: the best 1 of a3, a4 counts\n" in told
    assert "- extra: 10 % on top, as extra credit: a5 counts\n" in told
    assert "With extra credit, it ends at 100 %." in told
    roles = {a.id: course.grading.roles(a.id) for a in course.assignments}
    choice = ["the best 1 of a3, a4 counts"]
    assert roles == {"a1": [], "a2": [], "a3": choice, "a4": choice, "a5": ["extra credit"]}
    plain = handbook.readme(Course.here(), course.assignments, [], "3.10")
    assert "- a4: 20 %\n- a5: 20 %\n" in plain
    assert "extra credit" not in plain


def test_a_choice_within_a_choice_is_told_with_both(course_with):
    course = course_with(NESTED)
    told = handbook.readme(course, course.assignments, [], "3.10")
    assert "all but the lowest 1 of a1, a2, later, a5 count; later: the best 1 of a3, a4" in told
    assert len(course.grading.roles("a3")) == 2


def test_a_lecture_course_s_scheme_can_be_written(course_with):
    """Projects 40 (3 or 4, whichever is better), exam or paper 30, talk 20, participation 10."""
    course = course_with(NESTED)
    marks = {"a1": 90, "a2": 60, "a3": 20, "a4": 80, "a5": 100}
    marks |= {"theory_exam": 50, "replication": 70, "presentation": 100, "participation": 90}
    found = course_total(course.grading, course.weights, _fractions(marks | {"blog": 50}))
    assert found.percent == 40 * Fraction(90 + 80 + 100, 300) + 21 + 20 + 9 + 1
    shares = {part.id: part.share for part in found.parts}
    assert shares["exam_or_paper"] == 30
    assert shares["blog"] == 2


@pytest.mark.parametrize("chosen", ["a3", "a4"])
def test_the_choice_of_projects_that_the_readme_shows_computes(course_with, chosen):
    """3 or 4 counts 60, whichever is better, and 5 is extra credit of 10."""
    readme = (ROOT / "autograder" / "README.md").read_text(encoding="utf-8")
    (lines,) = re.findall(r"```toml\n(.*?)```", readme, re.DOTALL)
    course = course_with(lines)
    marks = {"a1": 80, "a2": 70, "a3": 0, "a4": 0, "a5": 0, chosen: 90}
    for extra, on_top in ((0, 0), (50, 5)):
        found = course_total(course.grading, course.weights, _fractions(marks | {"a5": extra}))
        assert found.percent == 16 + 14 + 54 + on_top
    both = course_total(course.grading, course.weights, _fractions(marks | {"a3": 90, "a4": 90}))
    assert both.percent == 16 + 14 + 54


@cases("bad_schemes")
def test_a_bad_scheme_is_one_sentence_with_its_line(course_with, old, new, line, told):
    text = NESTED.replace(old, new, 1)
    with pytest.raises(CourseError) as caught:
        course_with(text)
    whole = (ROOT / "course.toml").read_text(encoding="utf-8") + text
    number = whole[: whole.index(line)].count("\n") + 1
    assert str(caught.value).startswith(f"course.toml, line {number}: ")
    assert told in str(caught.value)
    assert "\n" not in str(caught.value)


def test_weights_of_assignments_alone_must_add_up_too(tmp_path):
    path = syllabus(
        tmp_path, lambda text: text.replace("weight_percent = 20", "weight_percent = 25", 1)
    )
    with pytest.raises(CourseError, match=r"line \d+: the weights add up to 105 instead of 100"):
        Course.load(path)


# ---------------------------------------------------------------- marks from elsewhere


def test_marks_from_elsewhere_are_read_and_every_bad_row_is_named(tmp_path):
    path = tmp_path / "exam.csv"
    path.write_text("student;component;points;max\nada;exam;52,5;60\nben;exam;excused;\ncyd;;;\n")
    found = component_marks.read([path], ["exam"], {"ada", "ben"})
    assert found == {("ada", "exam"): (52.5, 60), ("ben", "exam"): None}
    path.write_text(
        "student,component,points,max\nada,quiz,1,2\nadda,exam,1,2\nada,exam,x,2\nada,exam,1,0\n"
        "ada,exam,1,2\nada,exam,2,2\n"
    )
    with pytest.raises(CsvError) as caught:
        component_marks.read([path], ["exam"], {"ada"})
    told = ["'quiz' is not a component", "nobody is called 'adda'", "'x' is not a number"]
    told += ["max above 0", "ada has exam on line 6 too"]
    lines = [2, 3, 4, 5, 7]
    for problem, text, line in zip(caught.value.problems, told, lines, strict=True):
        assert f"line {line}: " in problem
        assert text in problem


# ---------------------------------------------------------------- the command


@pytest.fixture
def graded(world):
    """A folder as `course grade` leaves it: ada did two assignments, ben's grading failed."""
    world.file("roster.csv", "student,name,a2\nada,=1+1,\nben,,\ncyd,Cy Dee,excused\n")
    return world.add("ada", sample("ada", "a2"), sample("ben", outcome="UNGRADED", exercises=[]))


def points(assignment):
    return sample("ada", assignment).totals.total


def test_the_file_says_where_a_number_is_missing_or_pending(graded):
    done = graded.run("grades", "--roster", graded.folder / "roster.csv")
    ada, ben, cyd = graded.rows("course_grades.csv").values()
    assert ada["name"] == "'=1+1", "no cell starts a formula"
    assert float(ada["total"]) == rounded(Fraction(str(points("a1") + points("a2"))) / 5)
    assert "a3: missing, so 0" in ada["remarks"]
    assert "1.11.a, 1.11.b, 1.11.c not marked yet" in ada["remarks"]
    assert int(ada["pending_parts"]) > 0
    assert (ben["total"], ben["a1"]) == ("", ""), "a grader's failure is never a zero"
    assert "not graded yet" in ben["remarks"]
    assert (cyd["a2"], cyd["total"]) == ("excused", "0.0")
    assert "no grades yet for a3, a4, a5" in done.stderr + done.stdout


def test_an_extension_given_to_one_command_counts_for_it_alone(world):
    world.add(handed_in("ada", received="2027-02-09T18:04:00+00:00"))
    more = ("--roster", world.file("more.csv", "student,a1,slip_days\nada,+1,\n"))
    slip = ("--roster", world.file("slip.csv", "student,slip_days\nada,1\n"))
    for options, total in ((more, 98.0), (slip, 98.0), ((), 88.2)):
        (ada,) = world.json("grades", "--so-far", *options)
        assert ada["total"] == total
    world.run("export", "csv", *more, "--to", world.out / "x.csv")
    assert {row["assignment_points"] for row in table(world.read("x.csv"))} == {"98.0"}


def test_grades_of_a_database_make_the_folder_of_their_file(graded):
    database, graded.out = graded.out / "results.db", graded.out / "a" / "new"
    graded.run("grades", "--store", database)
    assert (graded.out / "course_grades.csv").is_file()


def test_so_far_leaves_out_what_nobody_has_and_explain_says_so(graded):
    explain = ("grades", "--so-far", "--explain", "ada")
    text = graded.run(*explain).stdout
    mean = (points("a1") + points("a2")) / 2
    assert text.startswith(f"ada: {mean:.2f} percent")
    assert "50.00 %" in text
    assert f"{points('a1'):g} of 100 points" in text
    assert "left out: no grades yet" in text
    assert graded.json(*explain)["total"] == mean
    assert not (graded.out / "course_grades.csv").exists()


def test_an_explanation_shows_groups_drops_and_caps(course_with):
    loaded = course_with(NESTED.replace("drop_lowest = 1", "drop_lowest = 1\ncap_percent = 50"))
    results = [with_total("ada", id, 90) for id in ITEMS]
    marks = {("ada", "replication"): (7.0, 10.0), ("ada", "theory_exam"): (5.0, 10.0)}
    [grade] = course_grades(results, loaded, Roster(), marks, so_far=False)
    text = explained(grade, loaded.grading)
    for said in ("capped at 50", "dropped: 5 of 10 points", "7 of 10 points", "the best 1 count"):
        assert said in text
    assert table(to_csv([grade], loaded))[0]["replication"] == "70"


def test_bad_input_is_one_sentence(graded):
    for arguments, told in [
        (("--explain", "eve"), "there is no such student; there are ada, ben"),
        (("--components", graded.folder / "none.csv"), "cannot be read"),
    ]:
        assert told in graded.refused("grades", *arguments)
    graded.out = graded.folder / "none"
    assert "no results here" in graded.refused("grades")


def _fractions(marks):
    return {id: Fraction(mark) for id, mark in marks.items()}


def test_the_coding_exam_counts_by_its_own_grade_unless_a_mark_replaces_it(course_with):
    items = ", ".join(f'"{id}"' for id in ITEMS)
    group = f'[[grading.groups]]\nid = "work"\nweight_percent = 70\nitems = [{items}]\n'
    exam = '[[grading.components]]\nid = "exam"\nweight_percent = 30\n'
    course = course_with(exam + group)
    own = [*(with_total("ada", id, 100) for id in ITEMS), with_total("ada", "exam", 50)]

    def grade(roster=None, marks=None, course=course):
        (found,) = course_grades(own, course, roster or Roster(), marks or {}, so_far=False)
        return found

    most = ANY.totals.max
    assert grade().total == pytest.approx(70 * 100 / most + 30 * 50 / most, abs=0.01)
    assert grade(marks={("ada", "exam"): (9.0, 10.0)}).marks["exam"].percent == 90
    excused = Roster({"ada": Student("ada", terms={"exam": Terms(excused=True)})})
    assert grade(excused).marks["exam"].percent is None
    assert "exam" not in grade(course=COURSE).marks

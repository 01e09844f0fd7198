"""A stored grade counts while all that it depends on is unchanged, and no longer."""

import datetime
import json
import re
import shutil
from contextlib import contextmanager

import proofs
import pytest
from checkout import ROOT
from world_tables import cases

from grader.course.course import Course
from grader.grading import fingerprints

pytestmark = pytest.mark.xdist_group("fingerprints")  # its course is copied once

ASSIGNMENTS = ("a1", "a2", "a3", "a4", "a5")
FOLDERS = "course_lib course_study grader autograder assignments results data solutions".split()
FILES = "course.toml exam.toml README.md CHANGELOG.md".split()
LAYER_NORM = "autograder/a2/exercise_2_5/test_2_5_layer_norm.py"
ATTENTION = "autograder/a2/exercise_2_1/test_2_1_attention.py"


@pytest.fixture(scope="module")
def checkout(tmp_path_factory):
    """A copy of all that a grade could depend on, to change files in."""
    root = tmp_path_factory.mktemp("course")
    for name in FOLDERS:
        shutil.copytree(ROOT / name, root / name, ignore=shutil.ignore_patterns("__pycache__"))
    for name in FILES:
        shutil.copy(ROOT / name, root / name)
    return root


def parts(root, id, course=None):
    course = course or Course.load(root / "course.toml")
    return fingerprints.parts(course, course.assignment(id), engine=root / "grader")


def keys(root, course=None):
    return {id: fingerprints.combine(parts(root, id, course)) for id in ASSIGNMENTS}


def differing(before, after):
    return {id for id in before if before[id] != after[id]}


@pytest.fixture(scope="module")
def before(checkout):
    return keys(checkout)


@contextmanager
def changed_files(root, *paths, change=lambda text: text + " "):
    """The files with other texts, for a while."""
    texts = {root / path: (root / path).read_text(encoding="utf-8") for path in paths}
    for path, text in texts.items():
        assert change(text) != text
        path.write_text(change(text), encoding="utf-8")
    yield
    for path, text in texts.items():
        path.write_text(text, encoding="utf-8")


@cases("kept", "fingerprints.toml")
def test_a_grade_is_kept_no_longer_than_what_it_depends_on(checkout, before, path, ids):
    wanted = {*ASSIGNMENTS} if ids == "all" else {*ids.split()}
    with changed_files(checkout, path):
        assert differing(before, keys(checkout)) == wanted


def test_what_is_told_or_added_up_afterwards_grades_nothing_again(checkout, before):
    paths = (
        "README.md CHANGELOG.md solutions/a1.md assignments/a3/README.md "
        "results/bench_grading.json grader/cli/grading/grade_command.py "
        "grader/gradebook/lateness.py grader/gradebook/store.py "
        "grader/gradebook/totals.py grader/report/page.py "
        "grader/authoring/course_build.py grader/intake/notebook_paths.py autograder/README.md "
        "autograder/a1/variants/quads_and_nan.py autograder/hostile/escape.py"
    )
    with changed_files(checkout, *paths.split()):
        assert keys(checkout) == before
    assert keys(checkout) == before


@pytest.mark.parametrize(
    ("replaced", "ids"),
    [
        ({"## 2.1 ": "## 2.1 New: ", "# Assignment 2": "# Task 2"}, set()),
        ({"*Your prediction": "*Your prediction "}, {"a2"}),
        ({"import torch": "import torch "}, {"a2"}),
    ],
)
def test_a_starter_counts_for_what_is_compared_with_it_and_not_for_its_headings(
    checkout, before, replaced, ids
):
    def change(text):
        cells = json.loads(text)
        for cell in cells["cells"]:
            cell["source"] = "".join(cell["source"])
            for old, new in replaced.items():
                cell["source"] = cell["source"].replace(old, new)
        return json.dumps(cells)

    with changed_files(checkout, "assignments/a2/a2.ipynb", change=change):
        assert differing(before, keys(checkout)) == ids


@cases("record", "fingerprints.toml")
def test_what_counts_of_an_exercise_s_record_is_its_points_rules_and_mistakes(
    checkout, old, new, ids
):
    record, known = "autograder/a2/exercise_2_3/exercise.toml", parts(checkout, "a2")
    with changed_files(checkout, record, change=lambda text: re.sub(old, new, text, count=1)):
        assert differing(known, parts(checkout, "a2")) == {*ids}


@cases("file_of_tests", "fingerprints.toml")
def test_a_file_of_tests_counts_for_its_own_exercise_alone(checkout, path, id, ids):
    known = parts(checkout, id)
    with changed_files(checkout, path):
        assert differing(known, parts(checkout, id)) == {*ids}


def test_tests_that_another_exercise_uses_count_for_all(checkout):
    use = "from autograder.a2.exercise_2_5.test_2_5_layer_norm import x\n"
    with changed_files(checkout, ATTENTION, change=lambda text: use + text):
        known = parts(checkout, "a2")
        with changed_files(checkout, LAYER_NORM):
            assert differing(known, parts(checkout, "a2")) == {""}


def changed(id, **fields):
    """The course with other facts about one assignment."""
    course = proofs.COURSE
    others = [a.model_copy(update=fields) if a.id == id else a for a in course.assignments]
    return course.model_copy(update={"assignments": others})


@pytest.fixture(scope="module")
def of_checkout():
    return keys(ROOT)


def test_a_deadline_or_a_title_grades_nothing_again(of_checkout):
    assignment = proofs.COURSE.assignment("a2")
    later = assignment.due + datetime.timedelta(days=7)
    facts = {"due": later, "late_days": 9, "late_penalty_percent": 1.0, "weight_percent": 1.0}
    exercises = [
        e.model_copy(update={"title": f"New {e.title}", "minutes": 1, "section": "§3"})
        for e in assignment.exercises
    ]
    facts |= {"title": "Heads", "week": 3, "exercises": exercises}
    assert keys(ROOT, course=changed("a2", **facts)) == of_checkout


@pytest.mark.parametrize(
    "facts",
    [
        {"seed": 1},
        {"call_seconds": 9.0},
        {"forbidden": []},
        {"imports": []},
        {"exercises": "first"},
    ],
)
def test_what_course_toml_says_of_its_exercises_grades_one_assignment_again(facts, of_checkout):
    exercises = [e.model_copy() for e in proofs.COURSE.assignment("a2").exercises]
    exercises[0] = exercises[0].model_copy(update={"points": 1.0})
    facts = {name: exercises if name == "exercises" else value for name, value in facts.items()}
    after = keys(ROOT, course=changed("a2", **facts))
    assert differing(of_checkout, after) == {"a2"}


def test_a_component_that_becomes_a_stub_grades_all_again(of_checkout):
    course = proofs.COURSE
    reserved = [*course.facts.reserved, "course_lib.diagnosis.broken_classifiers:broken_classifier"]
    facts = course.facts.model_copy(update={"reserved": reserved})
    after = keys(ROOT, course=course.model_copy(update={"facts": facts}))
    assert differing(of_checkout, after) == {*ASSIGNMENTS}


def test_points_of_code_count_for_their_exercise_and_those_of_answers_for_all():
    """A test's points are a share of its exercise's, so the tests of no other one are asked."""

    def differing_parts(id, points):
        assignment = proofs.COURSE.assignment("a2")
        exercises = [
            e.model_copy(update={"points": points}) if e.id == id else e
            for e in assignment.exercises
        ]
        new = assignment.model_copy(update={"exercises": exercises})
        return differing(*(fingerprints.parts(proofs.COURSE, a) for a in (assignment, new)))

    written = next(e.id for e in proofs.COURSE.assignment("a2").exercises if e.kind == "written")
    assert differing_parts("2.5", 1.0) == {"2.5"}
    assert differing_parts(written, 1.0) == {""}

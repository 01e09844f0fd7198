"""A stored grade counts while all that it depends on is unchanged, and no longer."""

import datetime
import json
import re
import shutil

import proofs
import pytest
from checkout import ROOT

from grader.course.course import Course
from grader.grading import fingerprints

pytestmark = pytest.mark.xdist_group("fingerprints")  # its course is copied once

ASSIGNMENTS = ("a1", "a2", "a3", "a4", "a5")


@pytest.fixture(scope="module")
def checkout(tmp_path_factory):
    """A copy of all that a grade could depend on, to change files in."""
    root = tmp_path_factory.mktemp("course")
    for name in (
        "course_lib",
        "grader",
        "autograder",
        "assignments",
        "results",
        "data",
        "solutions",
    ):
        shutil.copytree(ROOT / name, root / name, ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("course.toml", "exam.toml", "README.md", "CHANGELOG.md"):
        shutil.copy(ROOT / name, root / name)
    return root


def keys(root, course=None):
    course = course or Course.load(root / "course.toml")
    return {
        a.id: fingerprints.combine(fingerprints.parts(course, a, engine=root / "grader"))
        for a in course.assignments
        if a.id in ASSIGNMENTS
    }


@pytest.fixture(scope="module")
def before(checkout):
    return keys(checkout)


def differing(root, paths, before):
    """The assignments whose stored grades no longer count once the files at `paths` are changed."""
    texts = {path: (root / path).read_bytes() for path in paths}
    for path, text in texts.items():
        (root / path).write_bytes(text + b" ")
    after = keys(root)
    for path, text in texts.items():
        (root / path).write_bytes(text)
    return {id for id in before if before[id] != after[id]}


@pytest.mark.parametrize(
    ("path", "ids"),
    [
        # the judge, the sandbox and the seam decide every grade
        ("grader/judge/score.py", {*ASSIGNMENTS}),
        ("grader/checking/session.py", {*ASSIGNMENTS}),
        ("grader/grading/judge_process.py", {*ASSIGNMENTS}),
        ("grader/gradebook/exercise_result.py", {*ASSIGNMENTS}),
        ("grader/grading/class_run.py", {*ASSIGNMENTS}),
        ("grader/sandbox/limits.py", {*ASSIGNMENTS}),
        ("grader/notebook/statements.py", {*ASSIGNMENTS}),
        ("grader/library/student_tree.py", {*ASSIGNMENTS}),
        ("grader/seam/codec.py", {*ASSIGNMENTS}),
        ("grader/checking/expect.py", {*ASSIGNMENTS}),
        # tests, references, mistakes, visible tests, starters
        ("autograder/a2/exercise_2_5/test_2_5_layer_norm.py", {"a2"}),
        ("autograder/a2/tensors.py", {*ASSIGNMENTS}),
        ("autograder/a3/tensors.py", {*ASSIGNMENTS}),
        ("autograder/a4/table_search.py", {*ASSIGNMENTS}),
        ("autograder/a1/reference.py", {*ASSIGNMENTS}),
        ("assignments/a1/public_tests/exercise_1_1.py", {"a1"}),
        ("assignments/a4/public_tests/exercise_4_1.py", {"a4"}),
        # the library and what the course hides, as a whole
        ("course_lib/evaluation/translation.py", {*ASSIGNMENTS}),
        ("course_lib/diagnosis/broken_classifiers.py", {*ASSIGNMENTS}),
        ("course_lib/decoding/cache.py", {*ASSIGNMENTS}),
        ("course_lib/analysis/width_study.py", {*ASSIGNMENTS}),
        ("autograder/stand_ins/encoder.py", {*ASSIGNMENTS}),
        ("autograder/scorers/bleu.py", {*ASSIGNMENTS}),
        ("grader/judge/models/model_part.py", {"a3", "a4"}),
        ("results/sst2_cpu.json", {"a3"}),
        ("results/sst2_six_layers.json", {"a3"}),
    ],
)
def test_a_grade_is_kept_no_longer_than_what_it_depends_on(checkout, before, path, ids):
    assert differing(checkout, [path], before) == ids


def test_what_is_told_or_added_up_afterwards_grades_nothing_again(checkout, before):
    paths = (
        "README.md CHANGELOG.md solutions/a1.py assignments/a3/README.md "
        "results/bench_grading.json grader/cli/grading/grade_command.py "
        "grader/gradebook/lateness.py grader/gradebook/store.py "
        "grader/gradebook/totals.py grader/report/page.py "
        "grader/authoring/course_build.py grader/intake/notebook_paths.py autograder/README.md "
        "autograder/a1/variants/masked_arrays.py autograder/hostile/escape.py"
    )
    assert differing(checkout, paths.split(), before) == set()
    assert keys(checkout) == before


def starter_with(checkout, before, replace):
    """The assignments that are graded again once cells of the starter of a2 are changed."""
    path = checkout / "assignments/a2/a2.ipynb"
    text = path.read_text(encoding="utf-8")
    cells = json.loads(text)
    for cell in cells["cells"]:
        cell["source"] = replace("".join(cell["source"]))
    path.write_text(json.dumps(cells), encoding="utf-8")
    after = keys(checkout)
    path.write_text(text, encoding="utf-8")
    return {id for id in before if before[id] != after[id]}


def test_a_starter_counts_for_what_is_compared_with_it_and_not_for_its_headings(checkout, before):
    def titled(text):
        return text.replace("## 2.1 ", "## 2.1 New: ").replace("# Assignment 2", "# Task 2")

    assert starter_with(checkout, before, titled) == set()
    for old in ("*Your prediction", "import torch"):
        assert starter_with(checkout, before, lambda t, o=old: t.replace(o, f"{o} ")) == {"a2"}


@pytest.mark.parametrize(
    ("old", "new", "ids"),
    [
        ("(?m)^multi_head_(\\w+): .*", r"multi_head_\1: another sentence", {"2.3"}),
        ("(?m)^shape = .*", 'shape = "Other words of a hint."', set()),
        ("(?m)^minutes = .*", "minutes = 9", set()),
        ("(?m)^points = 20$", "points = 20.0 # the same", set()),
        ("(?m)^section = .*", 'section = "§9"\nforbidden = ["torch.cat"]', {""}),
    ],
)
def test_what_counts_of_an_exercise_s_record_is_its_points_rules_and_mistakes(
    checkout, old, new, ids
):
    record = checkout / "autograder/a2/exercise_2_3/exercise.toml"
    text = record.read_text(encoding="utf-8")
    changed = re.sub(old, new, text, count=1)
    assert changed != text
    before, after = [], []
    for found, content in ((before, text), (after, changed)):
        record.write_text(content, encoding="utf-8")
        course = Course.load(checkout / "course.toml")
        a2 = course.assignment("a2")
        found.append(fingerprints.parts(course, a2, engine=checkout / "grader"))
    record.write_text(text, encoding="utf-8")
    assert {id for id in before[0] if before[0][id] != after[0][id]} == ids


def parts_of(checkout, path, id="a2"):
    """What differs in the parts of assignment `id` once the file at `path` has one more blank."""
    course, engine = Course.load(checkout / "course.toml"), checkout / "grader"
    file = checkout / path
    before = fingerprints.parts(course, course.assignment(id), engine=engine)
    text = file.read_bytes()
    file.write_bytes(text + b" ")
    after = fingerprints.parts(course, course.assignment(id), engine=engine)
    file.write_bytes(text)
    return {id for id in before if before[id] != after[id]}


@pytest.mark.parametrize(
    ("path", "ids"),
    [
        ("autograder/a2/exercise_2_5/test_2_5_layer_norm.py", {"2.5"}),
        # test_2_8_no_trace names it
        ("autograder/a2/exercise_2_8/test_2_8_gradient_norms.py", {"2.8"}),
        ("assignments/a2/public_tests/exercise_2_10.py", {"2.10"}),
        ("autograder/a2/tensors.py", {""}),
        ("autograder/a2/reference.py", {""}),
        ("grader/judge/score.py", {""}),
    ],
)
def test_a_file_of_tests_counts_for_its_own_exercise_alone(checkout, path, ids):
    assert parts_of(checkout, path) == ids


def test_tests_of_an_assignment_that_the_exam_uses_count_there_for_all_and_here_for_their_own(
    checkout,
):
    path = "autograder/a2/exercise_2_1/test_2_1_attention.py"
    assert parts_of(checkout, path, "exam") == {""}
    assert parts_of(checkout, path) == {"2.1"}
    assert parts_of(checkout, path, "a3") == set()


def test_tests_that_another_exercise_uses_count_for_all(checkout):
    user = checkout / "autograder/a2/exercise_2_1/test_2_1_attention.py"
    text = user.read_text(encoding="utf-8")
    user.write_text(
        f"from autograder.a2.exercise_2_5.test_2_5_layer_norm import x\n{text}", encoding="utf-8"
    )
    found = parts_of(checkout, "autograder/a2/exercise_2_5/test_2_5_layer_norm.py")
    user.write_text(text, encoding="utf-8")
    assert found == {""}


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
    assert {id for id in after if after[id] != of_checkout[id]} == {"a2"}


def test_a_component_that_becomes_a_stub_grades_all_again(of_checkout):
    course = proofs.COURSE
    reserved = [*course.facts.reserved, "course_lib.diagnosis.broken_classifiers:broken_classifier"]
    facts = course.facts.model_copy(update={"reserved": reserved})
    after = keys(ROOT, course=course.model_copy(update={"facts": facts}))
    assert {id for id in after if after[id] != of_checkout[id]} == {*ASSIGNMENTS}


def test_points_of_code_count_for_their_exercise_and_those_of_answers_for_all():
    """A test's points are a share of its exercise's, so the tests of no other one are asked."""

    def differing_parts(id, points):
        assignment = proofs.COURSE.assignment("a2")
        exercises = [
            e.model_copy(update={"points": points}) if e.id == id else e
            for e in assignment.exercises
        ]
        new = assignment.model_copy(update={"exercises": exercises})
        before, after = (fingerprints.parts(proofs.COURSE, a) for a in (assignment, new))
        return {id for id in before if before[id] != after[id]}

    written = next(e.id for e in proofs.COURSE.assignment("a2").exercises if e.kind == "written")
    assert differing_parts("2.5", 1.0) == {"2.5"}
    assert differing_parts(written, 1.0) == {""}

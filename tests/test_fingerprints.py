"""A stored grade counts while all that it depends on is unchanged, and no longer."""

import datetime
import shutil

import proofs
import pytest

from autograder.grading import fingerprints
from autograder.grading.fingerprints import Sources
from course_lib.course.syllabus import ROOT

ASSIGNMENTS = ("a1", "a2", "a3", "a4", "a5")


@pytest.fixture(scope="module")
def checkout(tmp_path_factory):
    """A copy of all that a grade could depend on, to change files in."""
    root = tmp_path_factory.mktemp("course")
    for name in ("course_lib", "autograder", "assignments", "results", "data", "solutions"):
        shutil.copytree(ROOT / name, root / name, ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("course.toml", "README.md", "CHANGELOG.md"):
        shutil.copy(ROOT / name, root / name)
    return root


def keys(root, submission=b"", course=proofs.COURSE):
    sources = Sources(root, course)
    return {
        a.id: fingerprints.suite(a, submission, sources)
        for a in course.assignments
        if a.id in ASSIGNMENTS
    }


@pytest.fixture(scope="module")
def before(checkout):
    return keys(checkout)


def differing(root, paths, before, submission=b""):
    """The assignments whose stored grades no longer count once the files at `paths` are changed."""
    texts = {path: (root / path).read_bytes() for path in paths}
    for path, text in texts.items():
        (root / path).write_bytes(text + b" ")
    after = keys(root, submission)
    for path, text in texts.items():
        (root / path).write_bytes(text)
    return {id for id in before if before[id] != after[id]}


@pytest.mark.parametrize(
    ("path", "ids"),
    [
        # the judge, the sandbox and the seam decide every grade
        ("autograder/judge/score.py", {*ASSIGNMENTS}),
        ("autograder/judge/session.py", {*ASSIGNMENTS}),
        ("autograder/grading/judge_process.py", {*ASSIGNMENTS}),
        ("autograder/gradebook/exercise_result.py", {*ASSIGNMENTS}),
        ("autograder/grading/class_run.py", {*ASSIGNMENTS}),
        ("autograder/sandbox/limits.py", {*ASSIGNMENTS}),
        ("autograder/notebook/global_names.py", {*ASSIGNMENTS}),
        ("autograder/release/student_tree.py", {*ASSIGNMENTS}),
        ("course_lib/seam/codec.py", {*ASSIGNMENTS}),
        ("course_lib/checking/expect.py", {*ASSIGNMENTS}),
        # tests, references of other suites, mistakes, visible tests, starters
        ("autograder/suites/a2/test_2_5_layer_norm.py", {"a2"}),
        ("autograder/suites/a2/multi_head_reference.py", {"a2", "a3", "a4"}),
        ("autograder/suites/a3/encoder_reference.py", {"a3", "a4"}),
        ("autograder/suites/a4/search_models.py", {"a4"}),
        ("autograder/suites/a1/substitutes.py", {"a1"}),
        ("autograder/bugs/a1/MISTAKE", {"a1"}),
        ("assignments/a1/public_tests/exercise_1_1.py", {"a1"}),
        ("assignments/a4/public_tests/exercise_4_1.py", {"a4"}),
        ("assignments/a2/a2.ipynb", {"a2"}),
        # the library: metrics that score, components that references and worker's modules use
        ("course_lib/evaluation/translation.py", {"a3", "a4"}),
        ("course_lib/diagnosis/broken_classifiers.py", {"a3"}),
        ("course_lib/decoding/cache.py", {"a4"}),
        ("autograder/release/stand_ins/encoder.py", {"a4", "a5"}),
        ("autograder/judge/models/model_part.py", {"a3", "a4"}),
        ("results/sst2_cpu.json", {"a3"}),
    ],
)
def test_a_grade_is_kept_no_longer_than_what_it_depends_on(checkout, before, path, ids):
    mistake = sorted(path.name for path in (checkout / "autograder/bugs/a1").glob("*.toml"))[0]
    assert differing(checkout, [path.replace("MISTAKE", mistake)], before) == ids


def test_what_is_told_or_added_up_afterwards_grades_nothing_again(checkout, before):
    paths = (
        "README.md CHANGELOG.md solutions/a1.py assignments/a3/README.md "
        "results/bench_grading.json autograder/cli/grade_command.py "
        "autograder/gradebook/lateness.py autograder/gradebook/store.py "
        "autograder/gradebook/totals.py autograder/report/page.py "
        "autograder/release/course_build.py autograder/intake/places.py "
        "course_lib/analysis/width_study.py"
    )
    assert differing(checkout, paths.split(), before) == set()
    assert keys(checkout) == before


@pytest.mark.parametrize(
    "submission",
    [
        b'"from course_lib.analysis.width_study import x\\n"',
        b"from course_lib.analysis import (heads, width_study)",
    ],
)
def test_what_a_submission_imports_of_the_library_counts_for_it_alone(checkout, submission):
    before = keys(checkout, submission)
    found = differing(checkout, ["course_lib/analysis/width_study.py"], before, submission)
    assert found == {*ASSIGNMENTS}


def changed(id, **fields):
    """The course with other facts about one assignment."""
    course = proofs.COURSE
    others = [a.model_copy(update=fields) if a.id == id else a for a in course.assignments]
    return course.model_copy(update={"assignments": others})


def test_a_deadline_grades_nothing_again():
    assignment = proofs.COURSE.assignment("a2")
    later = assignment.due + datetime.timedelta(days=7)
    facts = {"due": later, "late_days": 9, "late_penalty_percent": 1.0, "weight_percent": 1.0}
    assert keys(ROOT, course=changed("a2", **facts, title="Heads", week=3)) == keys(ROOT)


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
def test_what_course_toml_says_of_its_exercises_grades_one_assignment_again(facts):
    exercises = [e.model_copy() for e in proofs.COURSE.assignment("a2").exercises]
    exercises[0] = exercises[0].model_copy(update={"points": 1.0})
    facts = {name: exercises if name == "exercises" else value for name, value in facts.items()}
    before, after = keys(ROOT), keys(ROOT, course=changed("a2", **facts))
    assert {id for id in before if before[id] != after[id]} == {"a2"}


def test_a_component_that_becomes_a_stub_grades_what_uses_its_module_again():
    course = proofs.COURSE
    reserved = [
        *course.course.reserved,
        "course_lib.diagnosis.broken_classifiers:broken_classifier",
    ]
    facts = course.course.model_copy(update={"reserved": reserved})
    before, after = keys(ROOT), keys(ROOT, course=course.model_copy(update={"course": facts}))
    assert {id for id in before if before[id] != after[id]} == {"a3"}

"""What does not fit together in the course is one sentence with file and line; a copy is broken."""

import re
import shutil

import pytest
from checkout import ROOT, syllabus
from world_tables import cases

from grader.authoring import consistency
from grader.course.course import Course
from grader.library import components
from grader.library.components import BuildError

RECORD = "autograder/a1/exercise_1_{}/exercise.toml"
SUITE = "autograder/a1/exercise_1_1/test_1_1_softmax.py"


@pytest.fixture
def copy(tmp_path, monkeypatch):
    """Assignment 1 in a folder of its own, where files can be changed."""
    for place in ("autograder/a1", "assignments/a1/public_tests", "solutions"):
        shutil.copytree(ROOT / place, tmp_path / place)
    syllabus(tmp_path)
    return tmp_path


def change(folder, file, old, new):
    """The line of the first change."""
    path = folder / file
    text = path.read_text(encoding="utf-8")
    path.write_text(text.replace(old, new), encoding="utf-8")
    return text[: text.index(old)].count("\n") + 1


def check(folder):
    course = Course.load(folder / "course.toml")
    kept = {"assignments": [course.assignment("a1")], "labs": []}
    consistency.check(course.model_copy(update=kept))


def refusal(folder):
    """What is said of a course that does not fit together."""
    with pytest.raises(BuildError) as caught:
        check(folder)
    return str(caught.value)


def test_the_course_fits_together(copy):
    check(copy)


@cases("mistakes", "consistency.toml")
def test_one_mistake_is_one_sentence_with_file_and_line(copy, file, old, new, told):
    line = change(copy, file, old, new)
    message = refusal(copy)
    assert message.startswith(f"{file}, line {line}: ")
    assert told in message
    assert "\n" not in message


def test_an_exercise_without_hints_is_named(copy):
    change(copy, RECORD.format(3), "[hints]\n", "")
    path = copy / RECORD.format(3)
    stages = "(?m)^(question|direction|shape|answers) = .*\n"
    path.write_text(re.sub(stages, "", path.read_text(encoding="utf-8")), encoding="utf-8")
    assert f"{RECORD.format(3)}: add [hints]: a question, a d" in refusal(copy)


def test_a_folder_without_a_record_is_named(copy):
    (copy / "autograder/a1/exercise_1_33").mkdir()
    assert "autograder/a1/exercise_1_33: there is no exercise.toml" in refusal(copy)


def test_a_test_for_an_exercise_that_is_not_there_is_named_with_its_line(copy):
    line = change(copy, SUITE, '@question("1.1"', '@question("1.78"')
    told = f"{SUITE}, line {line}: a test is marked for exercise 1.78"
    assert refusal(copy).startswith(told)


def test_an_exercise_without_a_test_is_named(copy):
    (copy / SUITE).unlink()
    (copy / "assignments/a1/public_tests/exercise_1_1.py").unlink()
    assert refusal(copy).startswith(f'{RECORD.format(1)}: no test is marked @exercise("1.1")')


def test_many_problems_are_not_a_flood(copy):
    for path in (*copy.rglob("test_*.py"), *copy.rglob("public_tests/*.py")):
        path.unlink()
    change(copy, RECORD.format(4), "\n- ", "\n- no ")
    message = refusal(copy)
    assert re.search("and [0-9]+ more problems of this kind", message)
    assert len(message.splitlines()) == 13


def test_a_component_that_is_no_python_is_told_once(copy, monkeypatch):
    found = components._path

    def in_copy(name):
        path = copy.joinpath(*name.split(".")).with_suffix(".py")
        return path if path.exists() else found(name)

    monkeypatch.setattr(components, "_path", in_copy)
    for module in ("numpy_forms/attention.py", "attention.py"):
        target = copy / "course_lib" / module
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / "course_lib" / module, target)
    components.module_text.cache_clear()
    line = change(copy, "course_lib/numpy_forms/attention.py", "def scaled_scores(", "def (")
    told = f"course_lib/numpy_forms/attention.py, line {line}: invalid syntax: correct this line"
    for command in (consistency.check, consistency.check_components):
        with pytest.raises(BuildError) as caught:
            command(Course.load(copy / "course.toml"))
        assert str(caught.value) == told
    components.module_text.cache_clear()

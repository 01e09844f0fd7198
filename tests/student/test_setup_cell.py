"""The set-up cell: it finds or fetches the course, and every failure is one sentence."""

import ast
import os
import shutil
import sys

import pytest
from checkout import ROOT, syllabus
from setup_world import cell_of, run_cell, served, with_repository, write_tree, zipped

from course_lib import __version__
from grader.authoring.views import setup_cell
from grader.course.exercise import ProfileChoice
from grader.course.problem import SetupError
from grader.student import notebook_home

pytestmark = pytest.mark.xdist_group("setup_cell")  # its tree is made once


@pytest.fixture(scope="module")
def web(course, tmp_path_factory):
    """A folder to serve: the students' tree as a zip, a zip without it, and no zip at all."""
    folder = tmp_path_factory.mktemp("web")
    tree = write_tree(course, folder / "tree")
    zipped(tree, folder / "student.zip")
    zipped(tree / "data", folder / "other.zip")
    (folder / "page.zip").write_text("<html>Sign in</html>", encoding="utf-8")
    return folder


def test_the_course_is_fetched_once_and_told_in_one_line(course, web, tmp_path):
    with served(web) as address:
        cell = cell_of(course, "a1", f"{address}/student.zip")
        worked, said = run_cell(cell, tmp_path, os.environ)
    assert worked, said
    assert said == f"Course library {__version__} in course/student-main; CPU\n"
    worked, again = run_cell(cell, tmp_path, os.environ)  # the server is gone
    assert worked, again
    assert again == said


def test_inside_the_course_nothing_is_fetched(course, web):
    worked, said = run_cell(cell_of(course, "a1"), web / "tree" / "assignments", os.environ)
    assert worked, said
    assert said == f"Course library {__version__} in ..; CPU\n"


def failure(cell, folder):
    """The sentence of a set-up cell that finds no course."""
    worked, sentence = run_cell(cell, folder, os.environ)
    assert not worked
    return sentence


def test_a_failure_is_a_sentence_without_a_traceback(course, tmp_path):
    assert failure(cell_of(course, "a1"), tmp_path) == f"Set-up: {setup_cell.UNSET}\n"


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("gone.zip", "HTTP Error 404"),
        ("page.zip", "File is not a zip file"),
        ("other.zip", "No module named 'grader'"),
    ],
)
def test_what_cannot_be_fetched_is_said(course, web, tmp_path, name, why):
    with served(web) as address:
        sentence = failure(cell_of(course, "a1", f"{address}/{name}"), tmp_path)
    assert sentence.startswith(f"Set-up: {address}/{name} gave no course that fits this notebook (")
    assert why in sentence
    assert sentence.count("\n") == 1


def test_a_machine_without_network_is_said(course, tmp_path):
    with served(tmp_path) as address:
        pass  # nobody listens there any more
    assert "this machine online" in failure(
        cell_of(course, "a1", f"{address}/student.zip"), tmp_path
    )


@pytest.mark.parametrize("branch", ["main", "spring/2027"])
def test_a_repository_on_github_gives_a_zip_and_two_badges(course, branch):
    ours = with_repository(course, "https://github.com/ada/transformers/", branch)
    fetched = f"https://github.com/ada/transformers/archive/refs/heads/{branch}.zip"
    assert setup_cell.archive(ours) == fetched
    line, _ = setup_cell.badges(ours, course.assignment("a2"))
    path = f"ada/transformers/blob/{branch}/assignments/a2/a2.ipynb"
    assert f"(https://colab.research.google.com/github/{path})" in line
    assert f"(https://kaggle.com/kernels/welcome?src=https://github.com/{path})" in line


@pytest.mark.parametrize("address", ["", "https://example.org/course.zip"])
def test_without_a_repository_on_github_there_are_no_badges(course, address):
    ours = with_repository(course, address)
    assert setup_cell.badges(ours, course.assignment("a2")) == []
    assert setup_cell.archive(ours) == address


def test_the_library_must_not_be_older_than_the_notebook():
    assert notebook_home.numbers("0.10.1") > notebook_home.numbers("0.9")
    with pytest.raises(SetupError, match=f"needs version 99.0 of the course, but .* {__version__}"):
        notebook_home.begin("a1", made_for="99.0")


def test_a_release_without_the_assignment_is_said(monkeypatch, tmp_path):
    with pytest.raises(SetupError, match="there is no assignment 'a9'.*get the release"):
        notebook_home.begin("a9", made_for=__version__)
    syllabus(tmp_path)
    (tmp_path / "course_lib").mkdir()
    shutil.copy(ROOT / "course_lib/__init__.py", tmp_path / "course_lib")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [*sys.path])  # to which the folder is added
    with pytest.raises(SetupError, match="has no checks of a1: get the release"):
        notebook_home.begin("a1", made_for=__version__)


def test_the_gpu_decides_the_profile_unless_one_is_set(course):
    translation = course.assignment("a4").profiles
    assert translation.choose("", has_gpu=False) == "cpu"
    assert translation.choose("", has_gpu=True) == "colab"
    assert translation.choose("tiny", has_gpu=True) == "tiny"
    with pytest.raises(SetupError, match="'base' needs a GPU.*set COURSE_PROFILE to 'cpu'"):
        translation.choose("base", has_gpu=False)
    study = course.assignment("a5").profiles
    assert study.choose("", has_gpu=True) == "tiny"


def test_every_named_profile_exists(course):
    from course_lib.recipes import classifier_profiles, translation_profiles
    from course_study import profiles

    known = {"a3": classifier_profiles, "a4": translation_profiles, "a5": profiles}
    for assignment in course.assignments:
        choice: ProfileChoice | None = assignment.profiles
        assert (choice is not None) == (assignment.id in known)
        for name in {choice.default, choice.with_gpu, *choice.only_with_gpu} if choice else ():
            assert name in known[assignment.id].PROFILES


def test_the_machine_is_told_and_the_profile_set(monkeypatch, capsys):
    monkeypatch.setattr(notebook_home, "_gpu", lambda: "Tesla T4")
    monkeypatch.setenv("COURSE_PROFILE", "")
    notebook_home.begin("a3", made_for=__version__)
    assert capsys.readouterr().out.endswith("; Tesla T4; profile colab\n")
    assert os.environ["COURSE_PROFILE"] == "colab"


def test_the_cell_needs_no_package_before_the_course_is_there(course):
    """What it imports before the course's own modules is in every Python."""
    *before, _, _, _ = ast.parse(cell_of(course, "a4")).body  # `begin`, and what it makes sure of
    nodes = [node for statement in before for node in ast.walk(statement)]
    imports = [one for one in nodes if isinstance(one, ast.Import)]
    imported = {alias.name.partition(".")[0] for one in imports for alias in one.names}
    assert {"urllib", "zipfile"} <= imported <= sys.stdlib_module_names


def test_the_cell_is_short(course):
    for assignment in course.notebooks:
        assert len(setup_cell.setup(course, assignment).splitlines()) <= 15

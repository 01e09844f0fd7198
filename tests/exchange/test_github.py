"""The workflow for students' repositories: its YAML, what it runs, and what it must not hold."""

import os
import shlex
import subprocess
import sys
from pathlib import Path

import proofs
import pytest
import yaml
from world import A1, COURSE

from grader.authoring import likeness
from grader.exchange import github
from grader.library import student_tree


@pytest.fixture(scope="module")
def repository(tmp_path_factory):
    folder = tmp_path_factory.mktemp("student")
    github.write(COURSE, A1, folder)
    return folder


def test_the_workflow_is_what_github_accepts(repository):
    text = (repository / ".github" / "workflows" / "a1.yml").read_text(encoding="utf-8")
    workflow = yaml.safe_load(text)
    assert workflow[True] == {"push": None, "workflow_dispatch": None}  # YAML 1.1 reads `on` so
    assert workflow["permissions"] == {"contents": "read"}
    [job] = workflow["jobs"].values()
    assert {"runs-on", "steps", "timeout-minutes"} == set(job)
    for step in job["steps"]:
        assert len({"uses", "run"} & set(step)) == 1
        for word in shlex.split(step.get("run", "")):
            if word.startswith(".github/"):
                assert (repository / word).is_file(), word
    script = repository / ".github" / "course" / "check.sh"
    assert subprocess.run(["bash", "-n", script]).returncode == 0


@pytest.mark.parametrize("id", ["a2", "a5"])
def test_no_hidden_test_bug_or_unreleased_answer_goes_along(tmp_path, id):
    """The students' `course_lib` in it is that of `student_tree`, which test_build examines."""
    github.write(COURSE, COURSE.assignment(id), tmp_path)
    released = student_tree.released_before(COURSE, id)
    hidden = student_tree.unreleased(COURSE, released)
    ours = tmp_path / ".github" / "course" / "autograder"
    assert likeness.find_leaks(proofs.code_of_tree(ours), hidden) == []
    names = [path.relative_to(tmp_path).as_posix() for path in tmp_path.rglob("*")]
    for part in ("autograder/a", "autograder/exam", "autograder/hostile", "solutions"):
        assert not [name for name in names if part in name]
    assert not [name for name in names if "exercise.toml" in name]


def test_a_new_export_replaces_the_old_one_and_nothing_else(repository):
    own, old = repository / "notes.txt", repository / ".github" / "course" / "old.py"
    own.write_text("mine")
    old.write_text("x = 1")
    github.write(COURSE, A1, repository)
    assert own.read_text() == "mine"
    assert not old.exists()


def run(repository, view, summary):
    """As the workflow's last step does; with this Python in place of the one it sets up."""
    (repository / "a1.ipynb").write_bytes(proofs.notebook("a1", view))
    tools = repository.parent / "tools"
    tools.mkdir(exist_ok=True)
    python = tools / "python"
    python.write_text(f'#!/bin/sh\nexec "{sys.executable}" "$@"\n')
    python.chmod(0o755)
    path = f"{tools}{os.pathsep}{os.environ['PATH']}"
    left = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    command = ["bash", ".github/course/check.sh"]
    variables = left | {"PATH": path, "GITHUB_STEP_SUMMARY": str(summary)}
    return subprocess.run(
        command, cwd=repository, env=variables, capture_output=True, text=True, timeout=300
    )


def test_a_right_notebook_passes_and_a_starter_fails_with_a_summary(repository, tmp_path):
    good = run(repository, "solution", tmp_path / "good.md")
    assert good.returncode == 0, good.stdout[-3000:] + good.stderr[-3000:]
    starter = run(repository, "starter", tmp_path / "starter.md")
    assert starter.returncode == 1, starter.stdout[-3000:]
    assert "1.3 Scaled scores: not written yet" in starter.stdout
    summary = Path(tmp_path / "starter.md").read_text(encoding="utf-8")
    assert summary.startswith("## Visible checks of a1\n")
    assert "\n    1.3 Scaled scores: not written yet" in summary


def test_a_repository_without_the_notebook_is_told_its_name(repository, tmp_path):
    (repository / "a1.ipynb").unlink(missing_ok=True)
    done = subprocess.run(
        ["bash", ".github/course/check.sh"], cwd=repository, capture_output=True, text=True
    )
    assert done.returncode == 2
    assert "There is no a1.ipynb" in done.stdout

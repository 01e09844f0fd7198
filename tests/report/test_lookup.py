"""An assignment that the course does not have is the same sentence in every command."""

import pytest
from sample_results import sample
from typer.testing import CliRunner

from grader.cli.app import app
from grader.cli.problems import sentence
from grader.gradebook.store import Store


@pytest.mark.parametrize(
    "command",
    [
        "check a9 a9.ipynb",
        "build a9",
        "grade . --assignment a9",
        "grade . --exercise 9.1",
        "similar . --assignment a9",
        "nbgrader . --assignment a9",
        "margins --assignment a9",
        "prove --assignment a9",
        "why ada a9 --out .",
        "history ada a9 --out .",
        "export csv a9 --to x.csv --out .",
        "feedback a9 --out .",
    ],
)
def test_an_unknown_assignment_is_one_sentence(command, tmp_path, monkeypatch):
    with Store(tmp_path / "results.db") as store:
        store.add(sample("ada"))
    monkeypatch.chdir(tmp_path)
    done = CliRunner().invoke(app, command.split())
    told = "there is no assignment 'a9'; the course has a1, a2, a3, a4, a5, exam, lab1, lab2"
    assert sentence(done.exception) == (2, told)

"""An assignment from beginning to end as a student has it: stand-ins, made-up data, no network.

Assignment 4 goes all the way: data, training, beam search, BLEU, the folder, and, among the slow
tests, its grade.
"""

import hashlib
import json
from dataclasses import replace

import pytest

from autograder import fallback_model
from course_lib.recipes import classifier_profiles, translation_profiles
from grader.authoring import course_build
from grader.authoring.views import notebooks
from grader.judge.grade import grade
from grader.judge.models import scorer
from grader.judge.suite_run import Submitted
from grader.library import student_tree

TOLD = {"a3": "your own model: healthy", "a4": "beam 5 against greedy", "a5": "34 trials in"}


@pytest.fixture
def without_data(monkeypatch):
    monkeypatch.setenv("COURSE_PROFILE", "tiny")
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    monkeypatch.delenv("COURSE_DATA", raising=False)


def shortened(notebook, tree):
    """Assignment 4 with a twentieth of its trainings and of the sentences translated in them.

    Every cell runs, and nothing is learned.
    """
    whole = "train_limit=12_000,\n        sample=100"
    for path, long, short in (
        ("course_lib/recipes/translation_profiles.py", whole, "train_limit=600, sample=5"),
        (None, "64_000", "3_200"),  # the pairs of the toy that copies and reverses
        (None, "v[:200]", "v[:20]"),  # the sentences of the study of beam widths
    ):
        text = (tree / path).read_text(encoding="utf-8") if path else notebooks.dump(notebook)
        assert text.count(long) == 1, long
        text = text.replace(long, short)
        if path:
            (tree / path).write_text(text, encoding="utf-8")
        else:
            notebook = json.loads(text)
    return notebook


@pytest.mark.parametrize(
    ("id", "short"),
    [
        pytest.param("a3", False, marks=pytest.mark.slow),
        pytest.param("a4", True, marks=pytest.mark.long),
        pytest.param("a4", False, marks=pytest.mark.slow),
        pytest.param("a5", False, marks=pytest.mark.slow),
    ],
)
def test_a_solved_notebook_runs_in_the_students_tree(
    course, tmp_path, without_data, id, short, sandbox
):
    assignment = course.assignment(id)
    student_tree.write(course, tmp_path, id, student_tree.released_before(course, id))
    solved = notebooks.build(course, assignment, "solution")
    if short:
        solved = shortened(solved, tmp_path)
    executed = course_build.run(solved, tmp_path)
    outputs = [output for cell in executed["cells"] for output in cell.get("outputs", [])]
    texts = [o.get("text") or o.get("data", {}).get("text/plain", "") for o in outputs]
    printed = "".join("".join(text) for text in texts)
    assert not [o for o in outputs if o["output_type"] == "error"]
    assert not [o for o in outputs if o.get("name") == "stderr"]
    assert "visible checks pass" in printed
    assert "✗" not in printed
    assert TOLD[id] in printed
    assert assignment.model is None or "Hand in this folder with the notebook." in printed
    folder = tmp_path / "submission"
    files = {path.name: path.read_bytes() for path in folder.iterdir()}
    assert set(files) == set(assignment.files)
    if id == "a4" and not short:
        hidden = scorer.hidden_labels(course, assignment, ["generated"])
        data = notebooks.dump(executed).encode()
        result = grade(Submitted(assignment, data, files), course, sandbox(id), hidden)
        assert result.model.bleu > 80, result.model
        assert result.model.agreement > 0.95
        assert result.totals.automatic == result.totals.automatic_max
    if id == "a5":
        submitted = Submitted(assignment, notebooks.dump(executed).encode(), files)
        result = grade(submitted, course, sandbox(id))
        assert result.totals.automatic == result.totals.automatic_max == 90


SMALLER = {  # than the notebook's own: in width, and in the number of words
    "a3": (classifier_profiles, {"epochs": 1, "vocab_size": 60}),
    "a4": (translation_profiles, {"epochs": 1, "vocab_size": 150, "train_limit": 40, "sample": 8}),
}


@pytest.mark.slow
@pytest.mark.parametrize("id", SMALLER)
def test_with_the_fallback_model_everything_runs_and_nothing_is_trained(
    course, tmp_path, without_data, monkeypatch, id
):
    """The instructor's model has another profile than the notebook: other sizes, other words."""
    assignment, (profiles, changes) = course.assignment(id), SMALLER[id]
    small = profiles.profile("tiny")
    small = replace(small, **changes, model=replace(small.model, d_model=16))
    with monkeypatch.context() as patch:
        patch.setitem(profiles.PROFILES, "tiny", small)
        folder = tmp_path / "fallback" / id
        card = fallback_model._trained(course, assignment, assignment.model, "tiny", 0, folder)
    student_tree.write(course, tmp_path, id, student_tree.released_before(course, id))
    text = notebooks.dump(notebooks.build(course, assignment, "solution"))
    assert text.count("FALLBACK = False") == 1
    if id == "a4":  # few and short ones: a model that learned nothing translates without an end
        assert text.count("][:]") == 2
        text = text.replace("][:]", "][:30]")
        assert text.count("n_best=1, max_length=100") == 1
        text = text.replace("n_best=1, max_length=100", "n_best=1, max_length=20")
    solved = json.loads(text.replace("FALLBACK = False", "FALLBACK = True"))
    executed = course_build.run(shortened(solved, tmp_path) if id == "a4" else solved, tmp_path)
    outputs = [output for cell in executed["cells"] for output in cell.get("outputs", [])]
    printed = "".join("".join(output.get("text", [])) for output in outputs)
    assert not [o for o in outputs if o["output_type"] == "error"]
    assert "nothing was trained here" in printed
    assert "Hand in this folder with the notebook." in printed
    weights = assignment.model.weights
    handed_in = hashlib.sha256((tmp_path / "submission" / weights).read_bytes()).hexdigest()
    assert handed_in == card.files[weights]

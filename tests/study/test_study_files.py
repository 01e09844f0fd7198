"""The handed-in study of exercise 5.5: what wrong and hostile files cost, in one sentence each."""

import csv
import io
import os

import in_process
import proofs
import pytest
from checkout import ROOT, place
from study_files import HONEST, UNREADABLE, WRONG, changed, invented, rotated

from course_study import handed_in
from course_study.database.rows import COLUMNS
from course_study.trial import run_trial
from grader.checking import session
from grader.checking.findings import shown_answers
from grader.grading import class_run
from grader.intake import submissions
from grader.seam.errors import NOT_WRITTEN

pytestmark = pytest.mark.usefixtures("without_shape_checks")

A5 = proofs.COURSE.assignment("a5")
SUITE = ROOT / "autograder/a5/exercise_5_5/test_5_5_study.py"
PUBLIC = [path for path in A5.public_tests if path.name == "exercise_5_5.py"]
AGAIN = "test_one_trial_again"
EVERYTHING = {
    "test_the_file",
    "test_configurations",
    "test_seeds",
    "test_nothing_is_left_out",
    "test_trials_fit_together",
    "test_no_copies",
    AGAIN,
}


def results_of(files, again=True):
    """The results of the hidden tests by name; without `again` nothing is trained."""
    names = EVERYTHING if again else EVERYTHING - {AGAIN}
    results = session.run(
        A5,
        in_process.student({"run_trial": run_trial}),
        only=[f"{SUITE.name}::{name}" for name in names],
        files=[SUITE],
        right=None,  # they compare by themselves
        handed_in=files,
    )
    return {result.id.partition("::")[2]: result for result in results}


def failed(data, again=False):
    """The names of the failed tests, and what they say was found."""
    results = results_of({"results.csv": data}, again)
    assert {result.outcome for result in results.values()} <= {"PASSED", "FAILED"}
    wrong = {name: r.message for name, r in results.items() if r.message is not None}
    for message in wrong.values():
        assert "could not handle" not in message.got, message
    return set(wrong), " ".join(message.got for message in wrong.values())


def test_the_columns_are_those_of_the_study():
    assert set(handed_in.NEEDED) <= set(COLUMNS)


def test_the_honest_file_costs_nothing():
    assert failed(HONEST, again=True) == (set(), "")


def test_other_programs_may_write_it_again():
    """A byte order mark, CRLF, columns in another order, and whole numbers with a point."""
    rows = list(csv.DictReader(io.StringIO(HONEST.decode(), newline="")))
    text = io.StringIO(newline="")
    writer = csv.DictWriter(text, [*reversed(rows[0]), "notes"], lineterminator="\r\n")
    writer.writeheader()
    writer.writerows({**row, "n_heads": f"{row['n_heads']}.0", "notes": "ok"} for row in rows)
    assert failed(b"\xef\xbb\xbf" + text.getvalue().encode()) == (set(), "")


def test_a_failed_trial_counts_and_a_dropped_one_does_not():
    measured = ("quality", "validation_loss", "curve", "steps")
    empty = {**dict.fromkeys(measured, ""), "status": "diverged", "reason": "the loss is nan"}
    assert failed(changed(lambda rows: rows[5].update(empty))) == (set(), "")
    wrong, got = failed(changed(lambda rows: rows[:5] + rows[6:]))
    assert wrong == {"test_seeds", "test_nothing_is_left_out"}
    assert "1 configurations" in got


@pytest.mark.parametrize("name", UNREADABLE)
def test_an_unreadable_file_costs_everything_and_is_one_sentence(name):
    data, sentence = UNREADABLE[name]
    wrong, got = failed(data, again=True)
    assert wrong == EVERYTHING
    assert sentence in got
    assert len(got) < 7 * 300


@pytest.mark.parametrize("name", WRONG)
def test_what_a_wrong_study_costs(name):
    data, lost = WRONG[name]
    assert failed(data)[0] == lost


@pytest.mark.parametrize("change", [invented, rotated])
def test_numbers_that_nobody_trained_do_not_survive_a_training(change):
    assert failed(changed(change), again=True)[0] == {AGAIN}


def test_a_study_on_a_gpu_cannot_be_repeated_and_says_so():
    data = changed(lambda rows: [row.update(device="cuda") for row in rows] and rows)
    wrong, got = failed(data, again=True)
    assert (wrong, got) == ({AGAIN}, "no trial that can be trained again")


def test_without_the_file_the_exercise_is_not_written():
    results = results_of({})
    assert {result.outcome for result in results.values()} == {NOT_WRITTEN}
    assert {result.message.expected for result in results.values()} == {
        "`results.csv`, written by you"
    }


@pytest.mark.parametrize("name", ["empty", "a million rows", "a deep curve", "NUL bytes"])
def test_the_visible_checks_survive_it_too(name):
    results = session.run(
        A5,
        in_process.student({}),
        files=PUBLIC,
        right=shown_answers.right_answer,
        handed_in={"results.csv": UNREADABLE[name][0]},
    )
    assert {result.outcome for result in results} == {"FAILED"}
    assert all("could not handle" not in result.message.got for result in results)


def test_a_database_links_and_pipes_change_nothing(tmp_path):
    """Only a regular file of the right name is read; nothing else is opened, or even waited for."""
    place(tmp_path / "secret/results.csv", HONEST)
    folder = tmp_path / "class/s1"
    place(folder / "a5.ipynb", b'{"cells": []}')
    known = [a.id for a in proofs.COURSE.assignments]

    def found():
        (submission,) = submissions.find(tmp_path / "class", known)
        resolved = class_run.resolve(submission, proofs.COURSE)
        return resolved.files(), resolved.sha256

    bare = found()
    assert bare[0] == ({}, "")
    place(folder / "submission/study.db", b"SQLite format 3\0")
    assert found() == bare
    os.symlink(tmp_path / "secret/results.csv", folder / "submission/results.csv")
    assert found() == bare
    (folder / "submission/results.csv").unlink()
    os.mkfifo(folder / "submission/results.csv")
    assert found() == bare
    (folder / "submission/results.csv").unlink()
    place(folder / "submission/results.csv", HONEST)
    assert found()[0] == ({"results.csv": HONEST}, "")

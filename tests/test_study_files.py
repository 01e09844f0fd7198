"""The handed-in study of exercise 5.5: what wrong and hostile files cost, in one sentence each."""

import csv
import io
import json
import os

import proofs
import pytest

from autograder.grading import class_run
from autograder.intake import submissions
from autograder.judge import session
from autograder.proof import cases
from course_lib.course.syllabus import ROOT, public_tests
from course_lib.seam.errors import NOT_WRITTEN
from course_lib.seam.local import local_student
from course_lib.study import handed_in
from course_lib.study.database.rows import COLUMNS
from course_lib.study.trial import run_trial

A5 = proofs.COURSE.assignment("a5")
HONEST = (cases.HANDED_IN / "a5" / "results.csv").read_bytes()
SUITE = ROOT / "autograder/suites/a5/test_5_5_study.py"
PUBLIC = [path for path in public_tests("a5") if path.name == "exercise_5_5.py"]
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
        local_student({"run_trial": run_trial}),
        only=[f"{SUITE.name}::{name}" for name in names],
        files=[SUITE],
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


def changed(change):
    """The honest file with its rows, dictionaries of text, changed in place or replaced."""
    reader = csv.DictReader(io.StringIO(HONEST.decode(), newline=""))
    rows = list(reader)
    rows = change(rows) or rows
    text = io.StringIO(newline="")
    writer = csv.DictWriter(text, reader.fieldnames, lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return text.getvalue().encode()


def with_cell(column, value, row=3):
    return changed(lambda rows: rows[row].update({column: value}))


def with_curve(change):
    def edit(rows):
        curve = json.loads(rows[3]["curve"])
        change(curve)
        rows[3]["curve"] = json.dumps(curve)

    return changed(edit)


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


header = HONEST.split(b"\n")[0]
deep = "[" * 15_000 + "]" * 15_000
UNREADABLE = {
    "empty": (b"", "lacks the columns"),
    "only a header": (header + b"\n", "no trial in it"),
    "a million rows": (header + b"\n" + b",\n" * 10**6, "bytes"),
    "many short rows": (header + b"\n" + b"x\n" * 5000, "more than 1,000 trials"),
    "one endless field": (header + b'\n"' + b"a" * 200_000 + b'"\n', "is not CSV"),
    "an open quotation mark": (header + b'\n"8,6', "is not CSV"),
    "NUL bytes": (HONEST.replace(b"paper", b"pa\0er", 1), "NUL bytes"),
    "UTF-16": (HONEST.decode().encode("utf-16"), "not text in UTF-8"),
    "a picture": (bytes(range(256)) * 40, "not text in UTF-8"),
    "a database": (b"SQLite format 3\0" + bytes(4096), "NUL bytes"),
    "semicolons": (HONEST.replace(b",", b";"), "lacks the columns"),
    "a column of another name": (HONEST.replace(b"reason", b"why", 1), "lacks the columns reason"),
    "a column twice": (HONEST.replace(b"memory_of", b"seed", 1), "is there twice"),
    "too many columns": (b"a," * 5000 + header + b"\n", "columns"),
    "a short row": (HONEST + b"8,6,0.1\n", "has 3 cells"),
    "a trial twice": (HONEST + HONEST.split(b"\n")[1] + b"\n", "has already"),
    "NaN": (with_cell("quality", "nan"), "is not a number"),
    "infinity": (with_cell("validation_loss", "inf"), "is not a number"),
    "a huge number": (with_cell("quality", "1e300"), "is no measured number"),
    "an endless number": (with_cell("seed", "9" * 5000), "is not a number"),
    "a negative seed": (with_cell("seed", "-1"), "whole number"),
    "half a layer": (with_cell("n_layers", "6.5"), "whole number"),
    "Arabic digits": (with_cell("quality", "٩٥"), "is not a number"),
    "code": (with_cell("quality", "__import__('os').getcwd()"), "is not a number"),
    "a path": (with_cell("curve", "/etc/passwd"), "is not JSON"),
    "a deep curve": (with_cell("curve", deep[7500:22_500]), "is not JSON"),
    "a long curve": (with_cell("curve", "[" + "1," * 20_000 + "1]"), "characters"),
    "a curve of NaN": (with_curve(lambda c: c[1].update(loss=float("nan"))), "no measured number"),
    "a curve of text": (with_curve(lambda c: c[1].update(loss="low")), "a str is no"),
    "a curve that goes back": (with_curve(lambda c: c.reverse()), "do not rise"),
    "a curve without losses": (with_curve(lambda c: c[2].pop("loss")), "no step, quality, loss"),
    "a complete trial without quality": (with_cell("quality", ""), "has no quality"),
}


@pytest.mark.parametrize("name", UNREADABLE)
def test_an_unreadable_file_costs_everything_and_is_one_sentence(name):
    data, sentence = UNREADABLE[name]
    wrong, got = failed(data, again=True)
    assert wrong == EVERYTHING
    assert sentence in got
    assert len(got) < 7 * 300


def exchange(rows):
    """Two trials with each other's measurements."""
    for name in ("quality", "validation_loss", "curve"):
        rows[2][name], rows[3][name] = rows[3][name], rows[2][name]


def copy(rows):
    for name in ("quality", "validation_loss", "curve"):
        rows[2][name] = rows[3][name]


def rounded_up(rows):
    for row in rows:
        row["quality"] = str(float(row["quality"]) + 0.5)


def one_seed(rows):
    return [row for row in rows if row["seed"] == "0"]


def only_the_best(rows):
    best = sorted({float(row["quality"]) for row in rows})[-8:]
    return [row for row in rows if float(row["quality"]) in best]


WRONG = {
    "of the levels of another study": (
        with_cell("n_layers", "7"),
        {"test_configurations", "test_seeds", "test_nothing_is_left_out"},
    ),
    "with one seed": (changed(one_seed), {"test_seeds"}),
    "with the best trials alone": (
        changed(only_the_best),
        {"test_configurations", "test_seeds", "test_nothing_is_left_out"},
    ),
    "that is not finished": (
        with_cell("status", "running"),
        {"test_seeds", "test_nothing_is_left_out"},
    ),
    "with better numbers than its curves": (changed(rounded_up), {"test_trials_fit_together"}),
    "with a trial of fewer steps": (with_cell("steps", "30"), {"test_trials_fit_together"}),
    "with a copied trial": (changed(copy), {"test_no_copies"}),
    "with no complete trial": (
        changed(lambda rows: [row.update(status="diverged") for row in rows] and rows),
        {"test_trials_fit_together"},
    ),
}


@pytest.mark.parametrize("name", WRONG)
def test_what_a_wrong_study_costs(name):
    data, lost = WRONG[name]
    assert failed(data)[0] == lost


def invented(rows):
    """Plausible numbers that nobody has trained."""
    for row in rows:
        curve = json.loads(row["curve"])
        for entry in curve:
            entry["loss"] += 0.05
        row.update(curve=json.dumps(curve), validation_loss=repr(curve[-1]["loss"]))


def rotated(rows):
    """Every trial with the measurements of the next one."""
    names = ("quality", "validation_loss", "curve")
    measured = [[row[name] for name in names] for row in rows]
    for row, values in zip(rows, measured[1:] + measured[:1], strict=True):
        row.update(zip(names, values, strict=True))


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
        A5, local_student({}), files=PUBLIC, handed_in={"results.csv": UNREADABLE[name][0]}
    )
    assert {result.outcome for result in results} == {"FAILED"}
    assert all("could not handle" not in result.message.got for result in results)


def place(path, data):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)


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

"""Wrong and hostile files of a study, made from an honest one; used by `test_study_files`."""

import csv
import io
import json

from grader.authoring.proof import cases
from grader.course.course import Course

HONEST = cases.handed_in(Course.here().assignment("a5"))["results.csv"]


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
    "a deep curve": (with_cell("curve", deep[:15_000]), "is not JSON"),
    "a long curve": (with_cell("curve", "[" + "1," * 20_000 + "1]"), "characters"),
    "a curve of NaN": (with_curve(lambda c: c[1].update(loss=float("nan"))), "no measured number"),
    "a curve of text": (with_curve(lambda c: c[1].update(loss="low")), "a str is no"),
    "a curve that goes back": (with_curve(lambda c: c.reverse()), "do not rise"),
    "a curve without losses": (with_curve(lambda c: c[2].pop("loss")), "no step, quality, loss"),
    "a complete trial without quality": (with_cell("quality", ""), "has no quality"),
}


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

"""Plays a term with the real commands, and checks that every file says the same total.

    python -m autograder.demo.term out/term --students 30 --assignments a1,a2

It hands in, grades, previews a regrade, overrides a test, marks a written part, gives feedback,
finds the copies, exports everything, and grades the same class once more inside nbgrader. It ends
with code 1 and the list of disagreements if two places have different totals, or one of them lacks
a total.
"""

import argparse
import csv
import json
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

from grader.course.course import Course
from grader.exchange.for_nbgrader import gradebook

from . import term_class

Totals = dict[tuple[str, str], float | None]  # by student and assignment
OVERRIDE, MARK = 3.0, 1.0  # points


class Term:
    """A played term in one folder; `command` runs `course` as an instructor would."""

    def __init__(self, folder: Path, ids: Sequence[str], size: int):
        self.folder, self.ids, self.size = folder, ids, size
        self.grades, self.course = folder / "grades", Course.here()
        self.first = (term_class.student(0), ids[0])  # the grade that is overridden and marked
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        term_class.write(folder, self.course, ids, size)

    def command(self, *arguments: object) -> str:
        """The output of `course ARGUMENTS`. Raises CalledProcessError if it fails."""
        words = [str(argument) for argument in arguments]
        print("course", *words, flush=True)
        whole = [sys.executable, "-m", "grader.cli", *words]
        done = subprocess.run(whole, capture_output=True, text=True)
        if done.returncode:
            print(done.stdout, done.stderr, sep="\n", file=sys.stderr)
        done.check_returncode()
        return done.stdout

    def play(self) -> dict[str, Totals]:
        """Every step of the term; returns the totals of each place that has them."""
        out, roster = ("--out", self.grades), ("--roster", self.folder / "roster.csv")
        handed_in = self.folder / "submitted"
        graded = ("grade", handed_in, *out, *roster, "--labels-from", "none", "--final")
        self.command(*graded)
        preview = self.command(*graded, "--regrade", "--preview")
        assert " 0 up, 0 down, " in f" {preview}", preview
        self.command("report", self.grades, "--manual", self._marks())
        assert "an override" in self.command("history", *self.first, *out)
        self.command("grades", *out, *roster)
        self.command("feedback", *out, *roster, "--to", self.folder / "pages", "--zip", "moodle")
        self._find_copies(handed_in)
        for format in ("junit", "csv"):
            self.command("export", format, *out, *roster, "--to", self.folder / f"long.{format}")
        for words in (["canvas"], *(["moodle", id] for id in self.ids)):
            name = "-".join(words) + ".csv"
            places = ("--from", self.folder / name, "--to", self.folder / f"to-{name}")
            self.command("export", *words, *out, *roster, *places)
        return {
            "results.json": {key: totals["total"] for key, totals in self._results()},
            "grades.csv": _table(self.grades / "grades.csv", "total"),
            "the long form": _table(self.folder / "long.csv", "assignment_points"),
            "Canvas": self._canvas(),
            "Moodle": self._moodle(),
        }

    def _find_copies(self, handed_in: Path) -> None:
        page = self.folder / "similar.html"
        pairs = json.loads(self.command("similar", handed_in, "--to", page, "--json"))
        for id in self.ids:
            named = [set(pair["students"]) for pair in pairs if pair["assignment"] == id]
            for copy in term_class.copies(self.size):
                assert copy in named, (id, copy, named)

    def in_nbgrader(self) -> Totals:
        """The totals of the same class in nbgrader's own gradebook, without manual marks."""
        from nbgrader.api import Gradebook

        folder = self.folder / "nbgrader"
        self.command("build", "--nbgrader", folder)
        for id in self.ids:
            gradebook.nbgrader(["generate_assignment", id], folder)
        shutil.copytree(self.folder / "submitted", folder / "submitted")
        for id in self.ids:
            self.command("nbgrader", folder, "--assignment", id, "--labels-from", "none")
        with Gradebook(f"sqlite:///{folder / 'gradebook.db'}") as book:
            return {
                (submission.student.id, id): submission.score
                for id in self.ids
                for submission in book.assignment_submissions(id)
            }

    def automatic(self) -> Totals:
        """Our engine's totals without manual marks, bonus included, before any penalty."""
        return {
            key: totals["automatic"] + totals["bonus"]
            for key, totals in self._results("GRADED")
            if key != self.first
        }

    def _marks(self) -> Path:
        (student, id), path = self.first, self.folder / "marks.csv"
        exercises = self.course.assignment(id).exercises
        code = next(e for e in exercises if e.kind == "code" and e.points > OVERRIDE)
        written = next(e for e in exercises if e.kind == "written")
        path.write_text(
            "student,assignment,item,points,comment\n"
            f"{student},{id},{code.id},{OVERRIDE},an override\n"
            f"{student},{id},{written.id}.{written.parts[0].id},{MARK},well said\n",
            encoding="utf-8",
        )
        return path

    def _results(self, *outcomes: str) -> Iterator[tuple[tuple[str, str], dict[str, float]]]:
        """Student and assignment, and the totals, of each result, or of those with an outcome."""
        for result in json.loads((self.grades / "results.json").read_text(encoding="utf-8")):
            if not outcomes or result["outcome"] in outcomes:
                yield (result["student"], result["assignment"]), result["totals"]

    def _canvas(self) -> Totals:
        rows = _rows(self.folder / "to-canvas.csv")[1:]
        ids = {id: next(name for name in rows[0] if name.startswith(id.upper())) for id in self.ids}
        return {
            (term_class.student(number), id): _number(row[column])
            for number, row in enumerate(rows)
            for id, column in ids.items()
        }

    def _moodle(self) -> Totals:
        return {
            (term_class.student(number), id): _number(row["Grade"])
            for id in self.ids
            for number, row in enumerate(_rows(self.folder / f"to-moodle-{id}.csv"))
        }

    def explained(self) -> dict[str, Totals]:
        """The first total as its explanation adds it up, and as its history ends."""
        why, history = (
            json.loads(self.command(name, *self.first, "--out", self.grades, "--json"))
            for name in ("why", "history")
        )
        sum = next(line["points"] for line in why["sum"] if line["what"] == "total")
        last = [entry["total"] for entry in history if entry["kind"] == "total"][-1]
        return {"course why": {self.first: sum}, "course history": {self.first: last}}


def disagreements(places: dict[str, Totals]) -> list[str]:
    """A sentence for each total of the first place that another lacks or has differently."""
    name, truth = next(iter(places.items()))
    return [
        f"{student} {id}: {total} in {name}, {totals.get((student, id), 'nothing')} in {place}"
        for place, totals in places.items()
        for (student, id), total in truth.items()
        if (student, id) not in totals or not _same(total, totals[student, id])
    ]


def _same(first: float | None, second: float | None) -> bool:
    if first is None or second is None:
        return first is second
    return abs(first - second) < 0.006  # two decimals


def _rows(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8-sig", newline="") as file:
        return list(csv.DictReader(file))


def _table(path: Path, column: str) -> Totals:
    return {(row["student"], row["assignment"]): _number(row[column]) for row in _rows(path)}


def _number(text: str) -> float | None:
    return float(text) if text not in ("", "EX", "-") else None


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="autograder.demo.term", description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--students", type=int, default=30)
    parser.add_argument("--assignments", default="a1,a2")
    options = parser.parse_args(arguments)
    started = time.monotonic()
    term = Term(options.folder, options.assignments.split(","), options.students)
    places = term.play()
    wrong = disagreements(places)
    for place, totals in term.explained().items():
        wrong += disagreements({place: totals, "results.json": places["results.json"]})
    places["nbgrader"] = term.in_nbgrader()
    wrong += disagreements({"our engine": term.automatic(), "nbgrader": places["nbgrader"]})
    counts = ", ".join(f"{len(totals)} in {place}" for place, totals in places.items())
    print(f"totals: {counts}; {len(wrong)} disagree; {time.monotonic() - started:.0f} s")
    print("\n".join(wrong), end="")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())

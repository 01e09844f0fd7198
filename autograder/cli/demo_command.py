"""`course demo`: a bundled class, graded before your eyes."""

from __future__ import annotations

import shutil
import sys
import time
from pathlib import Path

from course_lib import syllabus

from .. import class_run, demo_class, submissions
from ..gradebook.store import Store
from . import EXIT_OK, grade_command, results

LOOK_AT = """
What to look at in the report: s03 forgot the scaling, s10 handed in the same file; s04's softmax
ignores its axis, yet what rests on it keeps its points ("carried through"); s11 never ends and s12
searches the disk for answers, and neither costs anybody else a point. In assignment 3, s04 trained
too short, and s09 handed in predictions without the weights that made them."""


def run(out: Path, jobs: int) -> int:
    """Write the class's notebooks, grade them afresh, report; prints a table and what to see."""
    started = time.perf_counter()
    course = syllabus.load()
    tier = grade_command.checked_tier(None, trust=True)  # the class is ours
    results.prepare(out)
    folder = out / "submitted"
    shutil.rmtree(folder, ignore_errors=True)
    count = demo_class.write(folder, course)
    print(f"{count} notebooks of a class written to {folder}", file=sys.stderr)
    print(f"isolation: {grade_command.told(tier)}", file=sys.stderr)
    found = [
        class_run.resolve(submission, course)
        for submission in submissions.find(folder, [a.id for a in course.assignments])
    ]
    wanted = grade_command.with_models(course, found, None)
    labels = grade_command.hidden_labels(course, wanted, "generated")
    settings = class_run.Settings(jobs, tier.letter, least="D", regrade=True, hidden=labels)
    with Store(out / "results.db") as store:
        graded = grade_command.grade(found, course, store, settings, quiet=False)
    class_run.flag_identical(graded)
    written = results.write(graded, course, out, None)
    results.print_table(written.results, course)
    print(LOOK_AT)
    took = time.perf_counter() - started
    print(f"\n{count} submissions graded in {took:.0f} s. Open the report: {written.report}")
    return EXIT_OK

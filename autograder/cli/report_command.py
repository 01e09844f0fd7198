"""`course report`: writes stored results again, with new manual marks."""

from __future__ import annotations

import json
from pathlib import Path

from course_lib.course import syllabus

from ..gradebook import manual
from ..gradebook.store import Store
from . import EXIT_OK, results
from .problems import UsageProblem


def run(out: Path, marks_file: Path | None, as_json: bool) -> int:
    """Add new marks to the store that `grade` left in `out`, and write everything again."""
    course = syllabus.load()
    database = out / "results.db"
    if not database.exists():
        raise UsageProblem(f"{out}: no results here; run `course grade SUBMISSIONS --out {out}`")
    given = manual.read(marks_file, course) if marks_file else None
    with Store(database) as store:
        if given is not None:
            store.keep(given)
        written = results.write(store, course, out)
    if as_json:
        print(json.dumps([result.as_json() for result in written.results], ensure_ascii=False))
        return EXIT_OK
    results.print_table(written.results, course)
    print(f"\nReport   {written.report}\nClass    {written.dashboard}")
    print(f"CSV      {written.csv}\nJSON     {written.json}")
    print(f"To mark  {written.marks}")
    return EXIT_OK

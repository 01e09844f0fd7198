"""`course report`: writes stored results again, with new manual marks or terms."""

from __future__ import annotations

import json
from pathlib import Path

from grader.course.course import Course

from ...gradebook import manual, stored_roster
from .. import EXIT_OK
from . import class_list, results, stores


def run(
    out: Path, marks_file: Path | None, roster_file: Path | None, url: str | None, as_json: bool
) -> int:
    """Add marks and terms to the store that `grade` left in `out`, and write everything again."""
    course = Course.here()
    stored = stores.existing(out, url)
    given = manual.read(marks_file, course) if marks_file else None
    roster = class_list.given(roster_file, course)
    results.prepare(out)
    with stored as store:
        stores.check_filled(store)
        stored_roster.keep(store, roster)
        if given is not None:
            store.keep(given)
        written = results.write(store, course, out)
        stores.back_up(store)
    if as_json:
        print(json.dumps([result.as_json() for result in written.results], ensure_ascii=False))
        return EXIT_OK
    results.print_table(written.results, course)
    print(f"\nReport   {written.report}\nClass    {written.dashboard}")
    print(f"CSV      {written.csv}\nJSON     {written.json}")
    print(f"To mark  {written.marks}")
    return EXIT_OK

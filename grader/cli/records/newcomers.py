"""Who is new in the class by a roster, or only misspelled in it."""

from __future__ import annotations

import re
from collections.abc import Collection
from pathlib import Path

from ...classroom.csv_file import CsvError
from ...classroom.names import nearest
from ...classroom.roster import Roster, abridged
from ...gradebook import stored_roster
from . import stores


def newcomers(
    given: Roster, out: Path, url: str | None, handed_in: Collection[str] = ()
) -> list[str]:
    """Who is new in the class by a roster, with the name that each may be a misspelling of.

    `handed_in`: others in the folder that is graded. Raises CsvError for a row of terms alone
    whose student nobody knows: it would only be a phantom with no points.
    """
    stored, graded = Roster(), set[str]()
    if stores.is_there(out, url):
        with stores.store(out, url) as store:
            stored, graded = stored_roster.read(store), store.students()
    known = {*stored.students, *stored.left, *graded, *handed_in}
    others = known - {*given.students}
    new = {id: _meant(id, others) or "" for id in given.students if id not in known}
    wrong = [
        f"--roster: nobody in the class is called {id!r}{near and f'; is it {near!r}?'} (a new "
        "student's row needs a name)"
        for id, near in new.items()
        if stored.students and given.student(id).terms and not given.student(id).cells
    ]
    if wrong:
        raise CsvError(wrong)
    told = [f"{id} (nearly {near})" if near else id for id, near in new.items()]
    if not stored.students:  # the first roster: everybody is new
        told = [name for name in told if name not in new]
    return [f"new in the class: {abridged(told)}"] if told else []


def _meant(name: str, others: Collection[str]) -> str | None:
    """Of whose name this may be a misspelling; s13 is none of s12."""
    near = nearest(name, others)
    letters = [re.sub(r"\d", "", one) for one in (name, near or "")]
    return None if name != letters[0] and letters[0] == letters[1] else near

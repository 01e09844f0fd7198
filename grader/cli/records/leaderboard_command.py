"""`course leaderboard`."""

from __future__ import annotations

import json
import sys
from dataclasses import asdict
from pathlib import Path

from grader.course.course import Course

from ...classroom import pseudonyms
from ...gradebook import stored_roster
from ...report.leaderboard import leaderboard
from ...report.page import render_leaderboard
from .. import EXIT_OK, lookup
from ..problems import OutputProblem, UsageProblem
from . import stores


def run(
    id: str, roster: Path | None, out: Path, to: Path | None, url: str | None, as_json: bool
) -> int:
    """Print the leaderboard and write it, as `to` or as HTML and Markdown into `out`."""
    course = Course.here()
    assignment = lookup.assignment(course, id)
    files = [to] if to else [out / f"leaderboard_{id}.{kind}" for kind in ("html", "md")]
    if to and to.suffix not in (".html", ".md"):
        raise UsageProblem(f"--to {to}: give a file that ends with .html or .md")
    given = pseudonyms.read(roster) if roster else None
    with stores.existing(out, url) as store:
        stores.check_filled(store)
        names = pseudonyms.of(stored_roster.read(store)) if given is None else given
        board = leaderboard(store.latest(id), assignment, course, names)
    for file in files:
        text = render_leaderboard(board) if file.suffix == ".html" else board.to_markdown()
        try:
            file.write_text(text, encoding="utf-8")
        except OSError as error:
            raise OutputProblem(f"{file}: cannot be written ({error.strerror})") from None
    if as_json:
        print(json.dumps([asdict(entry) for entry in board.entries]))
    else:
        print(board.to_markdown())
    print(f"written to {' and '.join(map(str, files))}", file=sys.stderr)
    return EXIT_OK

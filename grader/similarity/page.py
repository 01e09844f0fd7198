"""The page that shows similar work side by side: one HTML file that needs nothing else."""

import base64
import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from grader.course.assignment import Assignment

from .compare import COMMON, EXERCISE, WHOLE, Pair
from .own_work import ELSEWHERE, Piece, Work

TEMPLATES = Path(__file__).parent / "templates"
SHOWN = 100  # pairs side by side; a table lists all


@dataclass(frozen=True)
class Comparison:
    """One assignment: how many students were compared, and the suspicious pairs."""

    assignment: Assignment
    students: int
    pairs: Sequence[Pair]


def render(found: Sequence[Comparison], unread: Sequence[str], common: int = COMMON) -> str:
    """The page. `unread`: one sentence for each submission that could not be compared."""
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    environment = Environment(
        loader=FileSystemLoader(TEMPLATES),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    style = (TEMPLATES / "similar.css").read_text(encoding="utf-8")
    digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
    page = environment.get_template("similar.html").render(
        style=style,
        policy=f"default-src 'none'; style-src 'sha256-{digest}'; base-uri 'none'",
        classes=[_class(compared) for compared in found],
        unread=unread,
        limits={"whole": f"{WHOLE:.0%}", "exercise": f"{EXERCISE:.0%}", "common": common},
    )
    return page.encode("utf-8", "backslashreplace").decode()  # names of folders may be anything


def _class(compared: Comparison) -> dict[str, Any]:
    pairs = [_pair(pair, compared.assignment) for pair in compared.pairs]
    return {
        "assignment": compared.assignment,
        "students": compared.students,
        "pairs": pairs,
        "shown": pairs[:SHOWN],
    }


def _pair(pair: Pair, assignment: Assignment) -> dict[str, Any]:
    titles = {exercise.id: exercise.title for exercise in assignment.exercises}
    shared = {hash for work in (pair.first, pair.second) for hash in _hashes(work)}
    shared &= {*_hashes(pair.first)} & {*_hashes(pair.second)}
    return {
        "first": pair.first.student,
        "second": pair.second.student,
        "identical": pair.identical,
        "share": f"{pair.whole.share:.0%}",
        "fingerprints": pair.whole.shared,
        "copied": pair.copied,
        "exercises": [
            {
                "title": f"{id} {titles[id]}" if id != ELSEWHERE else "Helpers",
                "share": f"{overlap.share:.0%}",
                "sides": [
                    [_lines(piece, shared) for piece in work.exercises[id]]
                    for work in (pair.first, pair.second)
                ],
            }
            for id, overlap in pair.exercises.items()
        ],
    }


def _lines(piece: Piece, shared: set[int]) -> list[tuple[str, bool]]:
    """Each line of a piece, and whether the other student has it too."""
    marked = piece.lines(shared)
    return [(text, n in marked) for n, text in enumerate(piece.source.splitlines(), start=1)]


def _hashes(work: Work) -> set[int]:
    return {hash for piece in work.pieces for hash, _ in piece.runs}

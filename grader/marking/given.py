"""What a form says: which answers, as they were seen, get which mark."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ..course.problem import Problem
from ..gradebook.manual import ManualMark
from . import views
from .desk import Desk, Part
from .entries import Entry, Marker, Meanwhile

MAX_FORM = 2**20  # bytes
MAX_COMMENT = 10_000  # characters
Form = Mapping[str, Sequence[str]]


class Refused(Problem):
    """The form cannot be taken; the reason, in one sentence for the marker."""


@dataclass(frozen=True)
class Given:
    """A mark for some answers, each with the version and the beginning of the hash seen."""

    part: Part
    mark: ManualMark
    seen: tuple[tuple[Entry, int, str], ...]

    @classmethod
    def of(cls, form: Form, part: Part, desk: Desk, marker: Marker) -> Given:
        """Raises Refused."""
        found = {e.key: e for c in desk.cards(part.assignment, part.item) for e in c.entries}
        seen = []
        for text in form.get("seen", ()):
            key, version, sha = text.split(".") if text.count(".") == 2 else ("", "", "")
            if key not in found or not version.isdecimal():
                raise Refused("this answer is no longer here; the newest ones are below")
            seen.append((found[key], int(version), sha))
        if not seen:
            raise Refused("no answer was chosen: tick those that the mark is for")
        comment = form.get("comment", [""])[0].replace("\r\n", "\n").replace("\0", "").strip()
        if len(comment) > MAX_COMMENT:
            raise Refused(f"the comment has more than {MAX_COMMENT:,} characters: shorten it")
        mark = ManualMark(_points(form.get("points", [""])[0], part.points), comment, marker.name)
        if mark == ManualMark(None) and not any(entry.answer.mark for entry, *_ in seen):
            raise Refused("neither points nor a comment: type the points, or go on with n")
        return cls(part, mark, tuple(seen))

    @property
    def meanwhile(self) -> list[Meanwhile]:
        """The answers that are no longer as they were seen."""
        return [
            Meanwhile(entry, entry.answer.sha256[: views.SEEN] != sha)
            for entry, version, sha in self.seen
            if entry.answer.version != version or entry.answer.sha256[: views.SEEN] != sha
        ]

    def store(self, desk: Desk) -> None:
        """Give the mark, to all answers or to none. Raises what `marking.give_marks` raises."""
        desk.give([(entry, version) for entry, version, _ in self.seen], self.mark)


def _points(text: str, most: float) -> float | None:
    """Raises Refused."""
    if not text.strip():
        return None
    try:
        value = float(text.replace(",", "."))
    except ValueError:
        raise Refused(f"{text[:40]!r} is no number of points: type 0 to {most:g}") from None
    if not 0 <= value <= most:  # also refuses nan
        raise Refused(f"{value:g} points, but the question has {most:g}: type 0 to {most:g}")
    return value

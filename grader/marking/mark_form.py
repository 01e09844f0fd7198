"""The contents of a form: which answers, as they were seen, get which mark."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from ..course.problem import Problem
from ..gradebook.exercise_result import Criterion
from ..gradebook.manual import ManualMark
from . import views
from .desk import Desk, Part
from .entries import ChangedAnswer, Entry, Marker

MAX_FORM = 2**20  # bytes
MAX_COMMENT = 10_000  # characters
Form = Mapping[str, Sequence[str]]


class Refused(Problem):
    """The form cannot be taken; the reason, in one sentence for the marker."""


@dataclass(frozen=True)
class MarkForm:
    """A mark for some answers, each with the version and the beginning of the hash seen."""

    part: Part
    mark: ManualMark
    seen: tuple[tuple[Entry, int, str], ...]

    @classmethod
    def of(cls, form: Form, part: Part, desk: Desk, marker: Marker) -> "MarkForm":
        """Raises Refused."""
        found = {e.key: e for c in desk.cards(part.assignment, part.item) for e in c.entries}
        seen = []
        for text in form.get("seen", ()):
            key, version, sha = text.split(".") if text.count(".") == 2 else ("", "", "")
            if key not in found or not version.isdecimal():
                raise Refused("this answer is no longer here; the newest ones are below")
            seen.append((found[key], int(version), sha))
        if not seen:
            raise Refused("no answer was chosen: tick the answers for this mark")
        comment = form.get("comment", [""])[0].replace("\r\n", "\n").replace("\0", "").strip()
        if len(comment) > MAX_COMMENT:
            raise Refused(f"the comment has more than {MAX_COMMENT:,} characters: shorten it")
        answers = [entry.answer for entry, *_ in seen]
        items = desk.rubric(part).items if any(answer.text for answer in answers) else ()
        if same := form.get("same"):
            mark = _same(found, same[0], marker)
            if comment and all(a.mark is None or a.mark.comment != comment for a in answers):
                mark = replace(mark, comment=comment)  # typed just now
        else:
            mark = _mark(form, part, items, comment, marker)
        if mark == ManualMark(None) and not any(a.mark for a in answers):
            raise Refused("neither points nor a comment: type the points, or skip it with n")
        return cls(part, mark, tuple(seen))

    @property
    def meanwhile(self) -> list[ChangedAnswer]:
        """The answers that are no longer as they were seen."""
        return [
            ChangedAnswer(entry, entry.answer.sha256[: views.SEEN] != sha)
            for entry, version, sha in self.seen
            if entry.answer.version != version or entry.answer.sha256[: views.SEEN] != sha
        ]

    def store(self, desk: Desk) -> None:
        """Give the mark, to all answers or to none. Raises what `marking.give_marks` raises."""
        desk.give([(entry, version) for entry, version, _ in self.seen], self.mark)


def _same(found: Mapping[str, Entry], seen: str, marker: Marker) -> ManualMark:
    """The mark that another answer has, if it is still the one seen. Raises Refused."""
    key, _, version = seen.partition(".")
    answer = found[key].answer if key in found else None
    mark = answer.mark if answer and answer.marked and str(answer.version) == version else None
    if mark is None:
        raise Refused("the other answer has another mark now; the newest marks are below")
    return replace(mark, marker=marker.name, answer_sha256=None)


def _mark(
    form: Form, part: Part, items: Sequence[Criterion], comment: str, marker: Marker
) -> ManualMark:
    """The mark that was typed; items that were ticked give the points if none are. Raises Refused.

    Without a tick, all points say that all items are met, and 0 points that none is.
    """
    ticked = {number for number in form.get("met", ()) if number.isdecimal()}
    met = [str(number) in ticked for number in range(1, len(items) + 1)]
    points = _points(form.get("points", [""])[0], part.points)
    if points is None and any(met):
        points = sum(item.points for item, is_met in zip(items, met, strict=True) if is_met)
    if not any(met):
        if points not in (0, part.points):
            return ManualMark(points, comment, marker.name)
        met = [bool(points)] * len(items)
    rubric = (one.model_copy(update={"met": m}) for one, m in zip(items, met, strict=True))
    return ManualMark(points, comment, marker.name, rubric=tuple(rubric))


def _points(text: str, most: float) -> float | None:
    """Raises Refused."""
    if not text.strip():
        return None
    try:
        value = float(text.replace(",", "."))
    except ValueError:
        raise Refused(f"{text[:40]!r} is not a number of points: type 0 to {most:g}") from None
    if not 0 <= value <= most:  # also refuses nan
        raise Refused(f"{value:g} points, but the question has {most:g}: type 0 to {most:g}")
    return value

"""Marking answer by answer, by several people at once: what `course mark` reads and stores.

    found = marking.answers_in(results, marks, "1.11.a")
    mark = ManualMark(3.5, "Which factor?", marker="tutor")
    marking.give_marks(store, course, [(answer, answer.version) for answer in found], mark)

A mark is stored at once. It is refused if somebody else marked since the answer was read, or if the
answer itself has changed; nothing is stored then. `undo` steps back, step by step of one marker.
"""

import secrets
from collections.abc import Sequence
from dataclasses import dataclass, replace

from sqlalchemy import Connection

from grader.course.course import Course

from ..course.problem import Problem
from . import answers, manual, rows, stored_marks
from .manual import Item, ManualMark
from .result import Result
from .store import Store
from .stored_marks import KeptMark
from .totals import WITHOUT_POINTS


class NotMarked(Problem):
    """The mark was not stored; its text says why, in one sentence."""


class MarkedMeanwhile(NotMarked):
    """Somebody gave another mark since the answer was read; `newest` is that mark."""

    def __init__(self, newest: KeptMark):
        mark = newest.mark
        who, points = mark.marker or "somebody", "nothing" if mark.points is None else mark.points
        super().__init__(f"{who} has marked this answer meanwhile: {points} points")
        self.newest = newest


class AnswerChanged(NotMarked):
    """Another answer was graded since this one was read."""


@dataclass(frozen=True)
class Answer:
    """One answer to a written part, or a model whose points wait, with the mark that it has.

    Of a group, there is one for all.

    `version` grows with every mark that anybody gives; `mark` is the newest one, whether or not it
    counts: if `changed`, it was given for `text_before`.
    """

    students: tuple[str, ...]  # all members of a group, sorted
    assignment: str
    item: str
    max_points: float
    text: str
    sha256: str
    beside: str  # hashes of what stands beside it, see `PartResult`
    words: int
    word_limit: int
    mark: ManualMark | None = None
    version: int = 0
    changed: bool = False
    text_before: str = ""
    notice: str = ""  # see `PartResult`

    @property
    def marked(self) -> bool:
        """Whether it has points that count."""
        return self.mark is not None and self.mark.points is not None and not self.changed


def give_marks(
    store: Store, course: Course, seen: Sequence[tuple[Answer, int]], mark: ManualMark
) -> list[int]:
    """The same mark for several answers, each with the version seen: for all of them or for none.

    A group's mark is every member's. None as points leaves a comment alone, and without one
    withdraws the mark. Returns the new versions, in the same order. Raises MarkedMeanwhile,
    AnswerChanged, ValueError for points that the part does not allow, and GradebookError.
    """
    for answer, _ in seen:
        most = manual.points_of(course.assignment(answer.assignment), answer.item)
        if mark.points is not None:
            manual.checked(mark.points, answer.item, most)
    act = secrets.token_hex(8)
    with store.connected(writing=True) as connection:
        for answer, version in seen:
            _check(connection, answer, version)
            given = replace(mark, answer_sha256=answer.sha256)
            stored_marks.append(connection, dict.fromkeys(_items(answer), given), act=act)
        return [_version(connection, answer) for answer, _ in seen]


def undo(store: Store, act: str, *, marker: str) -> list[KeptMark]:
    """Take back what this marker stored in one step, so that the marks before count again.

    Undoing the step before steps further back. Returns the step's marks that stay: those that
    somebody has marked upon since, and those that were taken back already. Raises GradebookError.
    """
    with store.connected(writing=True) as connection:
        kept = stored_marks.every(connection)
        mine = [mark for one in stored_marks.acts(kept, marker) for mark in one if mark.act == act]
        for last in mine:
            standing = stored_marks.standing(one for one in kept if one.item == last.item)
            before = standing[-2].mark if standing[1:] else ManualMark(None)
            again = replace(before, marker=marker)
            stored_marks.append(connection, {last.item: again}, undoes=last.id)
        ours = [mark for mark in kept if mark.act == act and mark.mark.marker == marker]
        return [mark for mark in ours if mark not in mine]


def answers_in(results: Sequence[Result], kept: Sequence[KeptMark], item: str) -> list[Answer]:
    """The answers in results of one assignment; a file that could not be read has none."""
    marks: dict[Item, list[KeptMark]] = {}
    for mark in kept:
        marks.setdefault(mark.item, []).append(mark)
    groups = answers.groups(results)
    found = []
    for result in results:
        part = next((p for p in answers.parts_of(result) if p.id == item), None)
        group = groups.get((result.student, result.assignment), (result.student,))
        if part is None or result.outcome in WITHOUT_POINTS or result.student != group[0]:
            continue
        theirs = [marks.get((student, result.assignment, item), []) for student in group]
        given = _shared([stored_marks.standing(of_one) for of_one in theirs])
        version = max((mark.id for of_one in theirs for mark in of_one), default=0)
        sha256 = answers.sha256_of(result, item) or ""
        changed = given is not None and not given.counts_for(sha256)
        facts = (group, result.assignment, item, part.max_points, part.answer, sha256)
        told = (part.pictures + part.printed, part.words, part.word_limit, given, version, changed)
        found.append(Answer(*facts, *told, notice=part.notice))
    return found


def _shared(standing: Sequence[Sequence[KeptMark]]) -> ManualMark | None:
    """The mark that all members of a group have; None if they have different ones, or none."""
    newest = [of_one[-1].mark if of_one else ManualMark(None) for of_one in standing]
    same = all(mark == newest[0] for mark in newest)
    return newest[0] if same and newest[0] != ManualMark(None) else None


def with_text_before(connection: Connection, answer: Answer) -> Answer:
    """The answer with the text that its mark was given for, where that is still known."""
    wanted = answer.mark and answer.mark.answer_sha256
    for result in rows.of(connection, answer.students[0], answer.assignment):
        if answers.sha256_of(result, answer.item) == wanted:
            return replace(answer, text_before=answers.text_of(result, answer.item))
    return answer


def _items(answer: Answer) -> list[Item]:
    return [(student, answer.assignment, answer.item) for student in answer.students]


def _newest(connection: Connection, answer: Answer) -> KeptMark:
    kept = [k for item in _items(answer) for k in stored_marks.every(connection, item)]
    return max(kept, key=lambda mark: mark.id)


def _version(connection: Connection, answer: Answer) -> int:
    kept = [k.id for item in _items(answer) for k in stored_marks.every(connection, item)]
    return max(kept, default=0)


def _check(connection: Connection, answer: Answer, version: int) -> None:
    """Raises MarkedMeanwhile or AnswerChanged."""
    if _version(connection, answer) != version:
        raise MarkedMeanwhile(_newest(connection, answer))
    for student in answer.students:
        now = rows.of(connection, student, answer.assignment, limit=1)
        if answers.sha256_of(now[0] if now else None, answer.item) != answer.sha256:
            raise AnswerChanged(
                f"{student} {answer.item}: another answer was graded meanwhile; read it first"
            )

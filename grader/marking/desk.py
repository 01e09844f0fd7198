"""The desk of the markers: all answers of a class, their marks, and what one marker does with them.

What was read is kept until the store has something new, whoever put it there: another marker,
`course report --manual`, or a new grading.
"""

import threading
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from sqlalchemy import Connection, func, select

from grader.course.course import Course

from ..gradebook import answers, marking, rows, stored_marks, stored_roster
from ..gradebook.database.schema import marks, questioned, results
from ..gradebook.manual import Item, ManualMark
from ..gradebook.result import Result
from ..gradebook.store import Store
from ..gradebook.stored_marks import KeptMark
from . import colleagues, entries
from .colleagues import Asked
from .entries import Card, Entry
from .reference import Reference, Rubric, parsed, references

Question = tuple[str, str]  # assignment, item


@dataclass(frozen=True)
class Part:
    """A written part that somebody handed in an answer to, or an exercise with held models."""

    assignment: str
    item: str
    title: str
    points: float


@dataclass
class Read:
    """The store's contents at the last reading; the cards of a question are made on demand."""

    versions: tuple[int, ...]
    results: dict[str, list[Result]]
    marks: Sequence[KeptMark]
    asked: dict[Item, Asked]
    cards: dict[Question, list[Card]] = field(default_factory=dict)


class Desk:
    """Raises GradebookError if the store fails."""

    def __init__(self, store: Store, course: Course):
        self.store, self.course = store, course
        self._lock = threading.Lock()
        self._read = Read((), {}, (), {})
        self._groups: dict[Question, tuple[int, list[list[str]]]] = {}
        self._references: dict[str, dict[str, Reference]] = {}
        self.names = {id: s.shown for id, s in stored_roster.read(store).students.items()}

    def parts(self) -> list[Part]:
        """The questions that have answers, in the order of the course."""
        read, found = self._up_to_date(), list[Part]()
        for assignment in self.course.graded:
            results = read.results.get(assignment.id, [])
            held = {part.id for result in results for part in answers.parts_of(result)}
            for exercise in assignment.exercises if results else ():
                asked = [(f"{exercise.id}.{p.id}", p.title, p.points) for p in exercise.parts]
                if exercise.id in held:
                    asked.append((exercise.id, exercise.title, exercise.points))
                found += [Part(assignment.id, *one) for one in asked]
        return found

    def cards(self, assignment: str, item: str) -> list[Card]:
        """All cards of a question, in the order of its groups, which marks do not change."""
        read, question = self._up_to_date(), (assignment, item)
        with self._lock:
            if question not in read.cards:
                read.cards[question] = self._made(read, *question)
            return read.cards[question]

    def card_with(self, part: Part, student: str) -> Card | None:
        """The card that the answer of a student is on."""
        found = self.cards(part.assignment, part.item)
        return next(
            (c for c in found if any(student in e.answer.students for e in c.entries)), None
        )

    def reference(self, part: Part) -> Reference:
        """The attachments of the answers to a question."""
        if part.assignment not in self._references:
            read = references(self.course.assignment(part.assignment))
            self._references[part.assignment] = read
        return self._references[part.assignment].get(part.item, Reference("", "", ""))

    def rubric(self, part: Part) -> Rubric:
        """The rubric of a question with its items."""
        return parsed(self.reference(part).rubric, part.points)

    def result(self, assignment: str, student: str) -> Result | None:
        """The newest result of a student."""
        found = self._up_to_date().results.get(assignment, [])
        return next((result for result in found if result.student == student), None)

    def with_earlier_text(self, card: Card) -> Card:
        """The card whose changed answers tell the text that their mark was given for."""
        with self.store.connected() as connection:
            told = [
                replace(entry, answer=marking.with_text_before(connection, entry.answer))
                if entry.answer.changed
                else entry
                for entry in card.entries
            ]
        return replace(card, entries=tuple(told))

    def give(self, seen: Sequence[tuple[Entry, int]], mark: ManualMark) -> None:
        """Give these answers, each with the version seen, one mark; see `marking.give_marks`."""
        marking.give_marks(self.store, self.course, [(e.answer, v) for e, v in seen], mark)

    def given(self, marker: str, act: str = "") -> list[KeptMark]:
        """The marks of one step of a marker, or of the newest that can be taken back."""
        marks, asked = self._up_to_date().marks, {(p.assignment, p.item) for p in self.parts()}
        if act:
            return [one for one in marks if one.act == act and one.mark.marker == marker]
        steps = [s for s in stored_marks.acts(marks, marker) if s[0].item[1:] in asked]
        return steps[-1] if steps else []

    def take_back(self, act: str, marker: str) -> bool:
        """Undo one step of a marker; whether all of it could be. See `marking.undo`."""
        return not marking.undo(self.store, act, marker=marker)

    def ask(self, card: Card, marker: str) -> None:
        """Put a card in question, or settle it if it is."""
        items = [
            (student, entry.answer.assignment, entry.answer.item)
            for entry in card.entries
            for student in entry.answer.students
        ]
        with self.store.connected(writing=True) as connection:
            colleagues.ask(connection, items, marker, asked=card.first.asked is None)

    def open(self, place: str, marker: str) -> list[str]:
        """Say that this marker has the place open; returns who else has."""
        with self.store.connected(writing=True) as connection:
            colleagues.has_open(connection, marker, place)
            return colleagues.others_at(connection, marker, place)

    def _made(self, read: Read, assignment: str, item: str) -> list[Card]:
        found = marking.answers_in(read.results.get(assignment, []), read.marks, item)
        kept = self._groups.get((assignment, item))
        if kept is None or kept[0] != read.versions[0]:
            kept = read.versions[0], entries.grouped(found)
            self._groups[assignment, item] = kept
        ordered = sorted(found, key=entries.key_of)
        lying = [
            Entry(entries.key_of(answer), number, answer, _asked(read.asked, answer))
            for number, answer in enumerate(ordered, start=1)
        ]
        return entries.cards(lying, kept[1])

    def _up_to_date(self) -> Read:
        with self._lock, self.store.connected() as connection:
            versions = _versions(connection)
            if versions != self._read.versions:
                self._read = _read_again(connection, versions, self._read)
            return self._read


def _asked(asked: dict[Item, Asked], answer: marking.Answer) -> Asked | None:
    """Why an answer is in question, whichever member of a group asks."""
    items = ((student, answer.assignment, answer.item) for student in answer.students)
    return next((asked[item] for item in items if item in asked), None)


def _versions(connection: Connection) -> tuple[int, ...]:
    """Of the results, the marks and the questions: each grows with whatever is added."""
    newest = (select(func.max(table.c.id)) for table in (results, marks, questioned))
    return tuple(connection.scalar(query) or 0 for query in newest)


def _read_again(connection: Connection, versions: tuple[int, ...], before: Read) -> Read:
    by_assignment = before.results
    if versions[:1] != before.versions[:1]:
        by_assignment = {}
        for result in rows.newest(connection):
            by_assignment.setdefault(result.assignment, []).append(result)
    marks = stored_marks.every(connection)
    return Read(versions, by_assignment, marks, colleagues.in_question(connection, marks))

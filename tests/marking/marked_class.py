"""A class with written answers in a store, and the page of a marker who reads them."""

from __future__ import annotations

import re

from sample_results import COURSE, sample
from starlette.testclient import TestClient

from grader.gradebook.result import Result
from grader.gradebook.store import Store
from grader.marking.desk import Desk
from grader.marking.entries import Marker
from grader.marking.guard import hosts
from grader.marking.server import guarded

ITEM = "1.11.a"
PLACE = "/token/a1/1.11.a"
ADDRESS = "http://127.0.0.1:8000"
FORM = {"origin": ADDRESS}
ACT = re.compile(r'name="act" value="([^"]+)"')
SEEN = re.compile(r'name="seen"(?: form="give")? value="([^"]+)"')


def answered(student: str, answer: str, **fields) -> Result:
    """A result of assignment 1 with this answer to 1.11.a, and none to the other questions."""
    result = sample(student, "a1", **fields)
    exercises = []
    for exercise in result.exercises:
        new = {part.id: answer if part.id == ITEM else "" for part in exercise.parts}
        parts = [
            part.model_copy(update={"answer": new[part.id], "words": len(new[part.id].split())})
            for part in exercise.parts
        ]
        exercises.append(exercise.model_copy(update={"parts": parts} if parts else {}))
    return result.changed(COURSE.assignment("a1"), exercises=exercises)


class Page:
    """What one marker's browser sees of a store."""

    def __init__(self, store: Store, name: str = "ben", **options):
        self.marker = Marker(name, **options)
        app = guarded(Desk(store, COURSE), self.marker, "token", hosts("127.0.0.1", 8000))
        self.client = TestClient(app, base_url=ADDRESS)
        self.text, self.address, self.status = "", "", 0

    def open(self, path=PLACE):
        return self._keep(self.client.get(path))

    def give(self, points, comment="", seen=None):
        """Send the form of the page that is open."""
        chosen = SEEN.findall(self.text) if seen is None else seen
        return self.post(self.address, {"points": points, "comment": comment, "seen": chosen})

    def undo(self):
        """Send the form that takes the last step back; "" if the page that is open has none."""
        return self.post("/token/undo", {"act": "".join(ACT.findall(self.text))})

    def post(self, path, form=None, headers=FORM):
        return self._keep(self.client.post(path, data=form or {}, headers=headers))

    def _keep(self, answer):
        self.text, self.status = answer.text, answer.status_code
        self.address = str(answer.url).removeprefix(ADDRESS)
        return self


def points(store: Store) -> dict[str, float | None]:
    """The points that count for 1.11.a, by student."""
    marks = store.manual(COURSE).marks
    return {student: mark.points for (student, _, item), mark in marks.items() if item == ITEM}

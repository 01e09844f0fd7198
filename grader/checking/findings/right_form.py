"""The right answers to hidden questions: those of the assignment's `reference.py`.

It is a program of its own, not the library that students are taught with, so a fault in one of
them shows as a question that the course's own answer fails (`judge.own_mistakes`).
"""

from functools import lru_cache
from pathlib import Path
from types import ModuleType

from ...course.assignment import Assignment
from ...course.course_file import shown
from ...seam import Student
from ...seam.executor import Executor, LocalBackend
from .. import automatic_facts, session, suite
from ..answer import Answer
from ..faults import SuiteError
from ..suite import Test
from .shown_answers import right_answer

FILE = "reference.py"

_answers: dict[tuple[str, str, int, tuple[float, float]], Answer] = {}


def answers(
    assignment: Assignment, seed: int | None = None, hidden: Path | None = None
) -> session.RightAnswers:
    """The source of right answers; those to visible questions are as in a student's notebook.

    `hidden`: a copy of the assignment's hidden folder.
    """
    seed = assignment.seed if seed is None else seed
    path = (hidden or assignment.hidden) / FILE

    def right(test: Test) -> Answer:
        if test.file.is_relative_to(assignment.folder):
            return right_answer(test)
        stamps = (path.stat().st_mtime, test.file.stat().st_mtime)
        key = (assignment.id, test.id, seed, stamps)
        if key not in _answers:
            _answers[key] = _asked(assignment, test, seed, vars(module(path, stamps[0])))
        return _answers[key]

    return right


class RightForm(Student):
    """A namespace of right forms, asked without bans: the proof grades them with these."""

    def __init__(self, scope: dict[str, object]):
        super().__init__(LocalBackend(Executor(dict(scope))))

    def begin(self, seed: int = 0, forbid: list[str] | None = None) -> None:
        super().begin(seed)


def _asked(assignment: Assignment, test: Test, seed: int, scope: dict[str, object]) -> Answer:
    (found,) = session.run(
        assignment, RightForm(scope), files=[test.file], right=None, only=[test.id], seed=seed
    )
    if found.answer is None or found.outcome != session.PASSED:
        why = found.message and found.message.got
        raise SuiteError(f"{shown(test.file)}: {test.id}: the right form has no answer: {why}")
    return automatic_facts.only_so(found.answer)


@lru_cache(maxsize=16)
def module(path: Path, changed: float) -> ModuleType:
    """A file of right forms as a module. Raises SuiteError if it cannot be imported."""
    return suite.module(path)

"""The commonest slips of students, and whether the visible check leads to the reason of each.

A slip is written as a named mistake is: `id: words`, and the lines that change in the right
answer. The words, a regular expression, occur in every true reason and in useful advice. Lines that
all begin with `+ ` are the whole cell.
"""

import hashlib
import multiprocessing
import re
import sys
import types
from collections.abc import Callable, Iterator
from contextlib import contextmanager, redirect_stdout
from dataclasses import dataclass
from io import StringIO
from pathlib import Path
from typing import Any
from unittest.mock import patch

from grader.authoring import results_file
from grader.authoring.proof.cases import notebook
from grader.checking import notebook as checks
from grader.checking import stale
from grader.checking.card import Card
from grader.checking.messages import Message, by_cause
from grader.course import course_file
from grader.course.assignment import Assignment
from grader.course.course import Course
from grader.course.mistakes import Bug
from grader.course.record import mistake
from grader.library.components import Component
from grader.notebook import notebook_file
from grader.notebook.collect import collect

NAME = "slips"
FILE = Path(__file__).with_name("slips.toml")
KINDS = {
    "true": "a likely cause, or a sentence on the cell, that is the reason",
    "useful": "advice that leads to the reason",
    "none": "the check fails and says neither",
    "unseen": "all visible checks pass",
    "false": "a likely cause, or the meaning of an exception, that is not the reason",
}


@dataclass(frozen=True)
class Slip:
    """A cell that a student runs in place of the right one of `component`, before a check."""

    id: str
    exercise: str  # whose check the student runs
    component: str
    words: str  # in each true cause and useful advice
    cell: str

    @property
    def name(self) -> str:
        """The function or class that the cell defines."""
        return self.component.partition(":")[2]


@dataclass(frozen=True)
class Shown:
    """The card that the check of a slip shows, and its kind."""

    slip: str
    kind: str
    says: list[str]  # likely causes, advice, sentences on the cell
    card: str


def slips(course: Course) -> list[Slip]:
    """All slips of the file, in its order. Raises Problem for one that does not fit its cell."""
    found = []
    for exercise, texts in course_file.data_of(FILE).items():
        parts = course.assignment_of(exercise).exercises
        components = {c.partition(":")[2]: c for part in parts for c in part.components}
        for name, text in texts.items():
            for id, facts in mistake.read(text, components[name], name).items():
                bug = Bug(**facts)
                found.append(Slip(id, exercise, components[name], bug.sentence, _cell(bug)))
    return found


def _cell(bug: Bug) -> str:
    if any(hunk.old for hunk in bug.change):
        return bug.apply(Component.parse(bug.component).source)
    return "\n".join(line for hunk in bug.change for line in hunk.new)


def run(course: Course, log: Callable[[str], None]) -> dict[str, Any]:
    """Check every slip and write `results/slips.json`; returns the measures."""
    found = list[Shown]()
    for assignment in course.assignments:
        found += shown_of(assignment.id)
        log(f"{assignment.id}: {len(found)} slips so far")
    counts = {kind: sum(one.kind == kind for one in found) for kind in KINDS}
    counts["true_or_useful"] = counts["true"] + counts["useful"]
    measures = {
        kind: results_file.measure("percent", [100 * count / len(found)])
        for kind, count in counts.items()
    }
    data = {
        "name": f"{len(found)} slips of students",
        "source": f"bench/grader/{FILE.name}",
        "sha256": hashlib.sha256(FILE.read_bytes()).hexdigest(),
    }
    rows = [{"slip": one.slip, "kind": one.kind, "says": one.says} for one in found]
    results_file.write(NAME, "course bench slips", measures, data, {"kinds": KINDS, "slips": rows})
    return measures


def shown_of(assignment: str) -> list[Shown]:
    """The cards of an assignment's slips, shown in an interpreter of its own."""
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        return pool.apply(_in_a_kernel, [assignment])


def _in_a_kernel(id: str) -> list[Shown]:
    course = Course.here()
    assignment = course.assignment(id)
    own = [s for s in slips(course) if course.assignment_of(s.exercise).id == id]
    with _kernel(assignment) as shell:
        return [_shown(assignment, slip, shell) for slip in own]


@contextmanager
def _kernel(assignment: Assignment) -> Iterator[Any]:
    """IPython's shell, after every definition of the solution was run."""
    from IPython.core.interactiveshell import InteractiveShell
    from traitlets.config import Config

    main = types.ModuleType("__main__")
    sys.modules["__main__"] = main
    config = Config({"HistoryManager": {"enabled": False}})
    shell = InteractiveShell.instance(user_module=main, config=config, colors="nocolor")
    names = [name for exercise in assignment.exercises for name in exercise.names]
    cells = notebook_file.read(notebook(assignment.id, "solution"))
    for statement in collect(cells, names).closure(names):
        exec(statement.source, main.__dict__)
    stale.watch()
    yield shell
    InteractiveShell.clear_instance()


def _shown(assignment: Assignment, slip: Slip, shell: Any) -> Shown:
    """Run the slip's cell in place of the right one and check; then all is as before."""
    namespace = vars(sys.modules["__main__"])
    before = dict(namespace)
    del namespace[slip.name]
    with redirect_stdout(StringIO()), patch.object(stale, "_runs", stale._runs[:1]):
        shell.run_cell(slip.cell, store_history=True)
        exercise = assignment.exercise(slip.exercise)
        results = checks.visible_results(assignment, exercise, namespace)
        card = checks.card(assignment, exercise, results)
    namespace.clear()
    namespace.update(before)
    return Shown(slip.id, kind(card, slip.words), [*certain(card), *advice(card)], repr(card))


def kind(card: Card, words: str) -> str:
    """The kind of what a card says: one of `KINDS`."""
    claims = certain(card) + [m.cause for m in _messages(card) if m.raised]
    if not all(re.search(words, text) for text in claims):
        return "false"
    if certain(card):
        return "true"
    if any(re.search(words, text) for text in advice(card)):
        return "useful"
    return "none" if any(test.message for test in card.tests) else "unseen"


def certain(card: Card) -> list[str]:
    """The likely causes that it shows, and its sentences on cells and on other exercises."""
    sentences = [*card.outdated, *card.notices, *([card.first] if card.first else [])]
    return sentences + [message.cause for message in _messages(card) if message.seen]


def advice(card: Card) -> list[str]:
    return [message.cause for message in _messages(card) if not message.seen]


def _messages(card: Card) -> list[Message]:
    failed = (test for test in card.tests if test.message)
    found = [one.shared for one in by_cause(failed, elsewhere=bool(card.first))]
    return [message for message in found if message.cause]

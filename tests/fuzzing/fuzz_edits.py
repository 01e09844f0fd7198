"""The fuzzer's solved notebooks, edited as people do: no point and no answer may get lost.

Every notebook has up to six edits. What the grader would load for each graded name, and the
answers, must be those of the notebook without them; so must be the points of those that are graded.
"""

from __future__ import annotations

import ast
import functools
import json
from collections.abc import Iterator

import notebook_edits
import proofs
from code_edits import Cells
from fuzz_mutation import SEEDS, Rng, Target, made_by

from grader.authoring.proof import cases
from grader.course.assignment import Assignment
from grader.judge.grade import grade
from grader.judge.suite_run import Submitted
from grader.notebook import notebook_file, written_answers
from grader.notebook.collect import collect, decided

COURSE = proofs.COURSE
IDS = tuple(assignment.id for assignment in COURSE.assignments)
Facts = dict[str, object]


def facts(assignment: Assignment, data: bytes) -> Facts:
    """What points and marks depend on, before anything is run."""
    cells = notebook_file.read(data)
    names = [name for exercise in assignment.exercises for name in exercise.names]
    names += assignment.model.entry_points if assignment.model else []
    collected = collect(cells, names)
    found: Facts = {
        name: {_dumped(one.source) for one in collected.closure([name])} for name in names
    }
    found |= {f"reason for {name}": why for name, why in collected.unavailable.items()}
    found |= {
        f"{id} refused": error.message for id, error in decided(assignment, collected).items()
    }
    found |= {f"{name} is a stub": True for name in collected.unwritten}
    answers = written_answers.written(assignment, cells)
    found |= {part: " ".join(text.split()) for part, text in answers.items()}
    return found | {"predictions": written_answers.predictions(assignment, cells)}


@functools.lru_cache(maxsize=4096)
def _dumped(source: str) -> str:
    """Code without its layout."""
    return ast.dump(ast.parse(source))


def points(assignment: Assignment, data: bytes) -> Facts:
    """The points by exercise; a trained model is not handed in."""
    submitted = Submitted(assignment, data, cases.handed_in(assignment))
    result = grade(submitted, COURSE, proofs.local_worker)
    return {f"points of {e.id}": e.points for e in result.exercises}


@functools.lru_cache(maxsize=8)
def unedited(id: str) -> tuple[Cells, bytes, Facts]:
    """An assignment's solved notebook: its cells, its file, and the facts about it."""
    assignment = COURSE.assignment(id)
    cells = notebook_edits.solved(assignment)
    data = json.dumps({"cells": cells}).encode()
    return cells, data, facts(assignment, data)


@functools.lru_cache(maxsize=8)
def full(id: str) -> Facts:
    return points(COURSE.assignment(id), unedited(id)[1])


def feed_edits(id: str, seed: int) -> None:
    """Raises AssertionError for what the edits of this seed lose."""
    cells, _, expected = unedited(id)
    data, done = notebook_edits.made(Rng(seed), cells)
    lost = [*_differences(expected, facts(COURSE.assignment(id), data))]
    assert not lost, f"{', '.join(done)}: {'; '.join(lost)}"


def feed_graded(given_notebook: tuple[str, int]) -> None:
    id, seed = given_notebook
    data, done = notebook_edits.made(Rng(seed), unedited(id)[0])
    lost = [*_differences(full(id), points(COURSE.assignment(id), data))]
    assert not lost, f"{', '.join(done)}: {'; '.join(lost)}"


def _differences(expected: Facts, got: Facts) -> Iterator[str]:
    for key in {**expected, **got}:
        if got.get(key) != expected.get(key):
            yield f"{key}: {got.get(key)!s:.300} instead of {expected.get(key)!s:.300}"


def chosen(rng: Rng, ids: tuple[str, ...] = IDS) -> tuple[str, int]:
    return rng.choice(ids), rng.getrandbits(64)


TARGETS = (
    *(Target(f"edits of {id}", SEEDS, functools.partial(feed_edits, id), share=0.05) for id in IDS),
    Target("edits, graded", made_by(chosen), feed_graded, share=0.005),
)

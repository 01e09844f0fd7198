"""Edits solved notebooks as people do, and looks for points and answers that got lost.

    PYTHONPATH=.:tests python tests/fuzzing/edits.py --notebooks 1000 --graded 20

Every notebook has up to six random edits. What the grader would load for each graded name, and the
answers, must be those of the notebook without them; some are graded in full besides. Writes
results/edits.json.
"""

from __future__ import annotations

import ast
import contextlib
import functools
import json
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Annotated

import notebook_edits
import proofs
import typer
from fuzz_mutation import Rng

from grader.authoring import results_file
from grader.authoring.proof import cases
from grader.course.assignment import Assignment
from grader.grading import judge_process, warm_processes
from grader.judge.grade import grade
from grader.judge.suite_run import Submitted
from grader.notebook import notebook_file, written_answers
from grader.notebook.collect import collect, decided

app = typer.Typer()
Facts = dict[str, object]
SHOWN = 5  # losses kept of each assignment


@dataclass
class Found:
    """What became of an assignment's edited notebooks."""

    assignment: str
    notebooks: int = 0
    lost: int = 0
    losses: list[str] = field(default_factory=list)  # the first of them
    edits: Counter[str] = field(default_factory=Counter)
    graded: int = 0


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


def run(assignment: Assignment, notebooks: int, seed: int, graded: int = 0) -> Found:
    """Edit an assignment's solved notebook this many times; `graded`: so many are run, too."""
    solved = notebook_edits.solved(assignment)
    whole = json.dumps({"cells": solved}).encode()
    expected, found = facts(assignment, whole), Found(assignment.id)
    with contextlib.ExitStack() as stack:
        points = _grader(assignment, stack) if graded else lambda data: {}
        full = points(whole)
        for number in range(notebooks):
            data, done = notebook_edits.made(Rng(f"{assignment.id} {seed} {number}"), solved)
            lost = [*_differences(expected, facts(assignment, data))]
            if number < graded:
                lost += _differences(full, points(data))
            found.notebooks += 1
            found.graded += number < graded
            found.edits.update(done)
            found.lost += bool(lost)
            if lost and len(found.losses) < SHOWN:
                found.losses.append(f"number {number}, {', '.join(done)}: {'; '.join(lost)}")
    return found


def _differences(expected: Facts, got: Facts) -> Iterator[str]:
    for key in {**expected, **got}:
        if got.get(key) != expected.get(key):
            yield f"{key}: {got.get(key)!s:.300} instead of {expected.get(key)!s:.300}"


def _grader(assignment: Assignment, stack: contextlib.ExitStack) -> Callable[[bytes], Facts]:
    """Returns the points by exercise, from the sandbox; a trained model is not handed in."""
    workers = stack.enter_context(warm_processes.started(proofs.COURSE, [assignment.id]))
    opened = judge_process.opener(workers[assignment.id], assignment)
    files = cases.handed_in(assignment)

    def points(data: bytes) -> Facts:
        result = grade(Submitted(assignment, data, files), proofs.COURSE, opened)
        return {f"points of {e.id}": e.points for e in result.exercises}

    return points


@app.command()
def main(
    notebooks: Annotated[int, typer.Option(help="of each assignment")] = 1_000,
    graded: Annotated[int, typer.Option(help="of these, run in the sandbox")] = 20,
    seed: int = 0,
) -> None:
    """Edit solved notebooks as people do, and look for points and answers that got lost."""
    every = []
    for assignment in proofs.COURSE.assignments:
        every.append(run(assignment, notebooks, seed, graded))
        print(json.dumps(vars(every[-1])), flush=True)
        _write(every, f"--notebooks {notebooks} --graded {graded} --seed {seed}")


def _write(every: list[Found], options: str) -> None:
    """The results of the assignments that are done."""
    measures = {}
    for found in every:
        for what in ("notebooks", "graded", "lost"):
            values = [getattr(found, what)]
            measures[f"{found.assignment}: {what}"] = results_file.measure("notebooks", values)
    results_file.write(
        "edits",
        f"python tests/fuzzing/edits.py {options}",
        measures,
        {"name": "edited solutions", "source": "tests/fuzzing/notebook_edits.py"},
        {
            "edits": dict(sum((found.edits for found in every), Counter())),
            "losses": {found.assignment: found.losses for found in every},
        },
    )


if __name__ == "__main__":
    app()

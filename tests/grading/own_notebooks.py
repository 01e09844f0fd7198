"""Notebooks with every exercise written, one of them with a named mistake, and models of theirs."""

from __future__ import annotations

import functools

import proofs
from no_shape_checks import no_shape_checks
from world_tables import texts

from grader.authoring.views import notebooks
from grader.course import mistakes
from grader.course.course import Course
from grader.judge.workers.load import Load
from grader.judge.workers.local import local_worker
from grader.library.components import Component
from grader.notebook.collect import collect
from grader.notebook.notebook_file import read
from grader.seam import Student

TRAIN = texts("train")


@functools.cache
def statements(id: str, mistake: str = "", code: str = ""):
    """The collected code of an assignment's notebook, with `train` and `code` in a last cell."""
    course = Course.here()
    assignment = course.assignment(id)
    names = [name for exercise in assignment.exercises for name in exercise.components]
    sources = {name: Component.parse(name).source for name in names}
    for bug in mistakes.load(assignment):
        if bug.name == mistake:
            sources[bug.component] = bug.apply(sources[bug.component])
    made = notebooks.build(course, assignment, "starter", sources)
    cells = read(proofs.with_cells(notebooks.dump(made).encode(), TRAIN[id] + code))
    return collect(cells, [*assignment.model.entry_points, "train"])


def trained(id: str, folder, data, seed: int, mistake: str = "") -> dict[str, bytes]:
    """The files of a model that the notebook trains on `data`, the arguments of its `train`."""
    found = statements(id, mistake)
    with no_shape_checks(), local_worker(Load(found.statements, found.unavailable)) as worker:
        student = Student(worker)
        student.begin()
        student.train(str(folder), *data, seed)
    return {path.name: path.read_bytes() for path in folder.iterdir()}

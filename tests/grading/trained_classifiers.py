"""Short reviews whose words decide, and classifiers trained on them by a notebook's own code."""

from __future__ import annotations

import functools

import numpy as np
import proofs
from no_shape_checks import no_shape_checks
from world_tables import texts

from grader.authoring.views import notebooks
from grader.course import mistakes
from grader.course.course import Course
from grader.judge.models.scorer import HiddenLabels
from grader.judge.workers.load import Load
from grader.judge.workers.local import local_worker
from grader.library.components import Component
from grader.notebook.collect import collect
from grader.notebook.notebook_file import read
from grader.seam import Student

GOOD, BAD = "warm clever moving rich".split(), "dull flat empty loud".split()
TRAIN = texts("train")


def reviews(count: int, seed: int) -> HiddenLabels:
    """Up to fourteen words, of which most that decide agree with the label."""
    rng = np.random.default_rng(seed)
    plain = [f"word{number}" for number in range(40)]
    labels = tuple(int(label) for label in rng.integers(2, size=count))
    texts = []
    for label in labels:
        sides = rng.random(rng.integers(1, 4)) < (0.85 if label else 0.15)
        telling = [str(rng.choice(GOOD if side else BAD)) for side in sides]
        texts.append(" ".join(rng.permutation([*rng.choice(plain, rng.integers(2, 12)), *telling])))
    return HiddenLabels("mirror", tuple(texts), labels, "f" * 64)


HIDDEN = reviews(300, seed=1)


@functools.cache
def statements(mistake: str = "", code: str = ""):
    """The collected code of assignment 3, with a named mistake, and with `code` in a last cell."""
    course = Course.here()
    assignment = course.assignment("a3")
    names = [name for exercise in assignment.exercises for name in exercise.components]
    sources = {name: Component.parse(name).source for name in names}
    for bug in mistakes.load(assignment):
        if bug.name == mistake:
            sources[bug.component] = bug.apply(sources[bug.component])
    made = notebooks.build(course, assignment, "starter", sources)
    cells = read(proofs.with_cells(notebooks.dump(made).encode(), TRAIN + code))
    return collect(cells, [*assignment.model.entry_points, "train"])


def trained(folder, seed: int, mistake: str = "") -> dict[str, bytes]:
    """The files of a classifier that the notebook trains."""
    found = statements(mistake)
    examples = reviews(800, seed=100 + seed)
    texts, labels = list(examples.sentences), list(examples.labels)
    with no_shape_checks(), local_worker(Load(found.statements, found.unavailable)) as worker:
        student = Student(worker)
        student.begin()
        student.train(str(folder), texts, labels, seed)
    return {path.name: path.read_bytes() for path in folder.iterdir()}

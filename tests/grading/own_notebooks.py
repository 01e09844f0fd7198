"""Notebooks with every exercise written, one of them with a named mistake, and models of theirs."""

import functools
import tempfile
from pathlib import Path
from typing import NamedTuple

import numpy as np
import proofs
from no_shape_checks import no_shape_checks
from small_translation import CODE, TEST, pairs
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

TRAIN = texts("train")
GOOD, BAD = "warm clever moving rich".split(), "dull flat empty loud".split()


class Task(NamedTuple):
    """The trained model of an assignment: the exercise, its hidden answers, and their training."""

    exercise: str
    hidden: HiddenLabels
    training: dict[int, tuple[list[str], list]]  # the data of `train`, by seed
    code: str = ""  # in a last cell

    @property
    def table(self) -> dict:
        return dict(zip(self.hidden.sentences, self.hidden.labels, strict=True))


def reviews(count: int, seed: int) -> tuple[list[str], list[int]]:
    """Up to fourteen words, of which most that decide agree with the label."""
    rng = np.random.default_rng(seed)
    plain = [f"word{number}" for number in range(40)]
    labels = [int(label) for label in rng.integers(2, size=count)]
    found = []
    for label in labels:
        sides = rng.random(rng.integers(1, 4)) < (0.85 if label else 0.15)
        telling = [str(rng.choice(GOOD if side else BAD)) for side in sides]
        found.append(" ".join(rng.permutation([*rng.choice(plain, rng.integers(2, 12)), *telling])))
    return found, labels


@functools.cache
def task(id: str) -> Task:
    """That of assignment 3, reviews whose words decide, or 4, a small language."""
    if id == "a3":
        sentences, labels = reviews(300, seed=1)
        hidden = HiddenLabels("mirror", tuple(sentences), tuple(labels), "f" * 64)
        return Task("3.10", hidden, {seed: reviews(800, seed=100 + seed) for seed in range(3)})
    rows, train = pairs()[TEST][:], pairs()["train"][:]
    hidden = HiddenLabels("mirror", tuple(rows["en"]), tuple(rows["fr"]), pairs().fingerprint(TEST))
    search = CODE.replace("len(source_ids), 2, 1.0", "len(source_ids), 5, 0.6")  # the handout's
    return Task("4.12", hidden, dict.fromkeys(range(2), (train["en"], train["fr"])), search)


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
    last = TRAIN[id] + task(id).code + code
    cells = read(proofs.with_cells(notebooks.dump(made).encode(), last))
    return collect(cells, [*assignment.model.entry_points, "train"])


@functools.cache
def trained(id: str, seed: int, mistake: str = "") -> dict[str, bytes]:
    """The files of a model that the notebook trains, once for all tests of a process."""
    found = statements(id, mistake)
    with (
        no_shape_checks(),
        local_worker(Load(found.statements, found.unavailable)) as worker,
        tempfile.TemporaryDirectory() as folder,
    ):
        student = Student(worker)
        student.begin()
        student.train(folder, *task(id).training[seed], seed)
        return {path.name: path.read_bytes() for path in Path(folder).iterdir()}

"""A small class for the demonstration: notebooks built from right, wrong and hostile sources.

Nothing is stored: the notebooks are built from the library, the named bugs and the variants, and
the models are trained, so the class is always up to date with the course.
"""

from __future__ import annotations

import csv
import io
import re
import shutil
import tempfile
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from grader.authoring.proof import cases
from grader.authoring.views import notebooks
from grader.course import mistakes
from grader.course.assignment import Assignment
from grader.course.course import Course
from grader.intake.handed_in import FOLDER
from grader.library.components import Component

from . import classifier
from . import translator as demo_translator


def _cells(path: Path) -> Iterator[tuple[str, str]]:
    """The cells of a text notebook, each with its name."""
    _, *parts = re.split(r"^# %% (\w+)\n", path.read_text(encoding="utf-8"), flags=re.MULTILINE)
    return zip(parts[::2], parts[1::2], strict=True)


# What a submission may try by its name; a file for what it is after.
HOSTILE_FILES = sorted((Path(__file__).parents[1] / "hostile").glob("*.py"))
HOSTILE = {name: source for path in HOSTILE_FILES for name, source in _cells(path)}


@dataclass(frozen=True)
class Recipe:
    """How one student's notebooks are built."""

    student: str
    bugs: tuple[str, ...] = ()  # ids of named mistakes
    variants: tuple[str, ...] = ()
    hostile: str = ""  # one of HOSTILE, appended to the first notebook
    starter: bool = False
    copies: str = ""  # another student, whose notebooks are copied
    raw: bytes = b""  # replaces the first notebook
    model: int = classifier.TRAINED  # epochs its classifier is trained; 0: none is handed in
    translator: str = ""  # which translator is handed in: "trained", "short", or "" for none
    weights: bool = True  # False: a model is handed in without its weights
    copied_study: bool = False  # its trials of one seed are handed in again as those of another
    last: str = ""  # the last assignment before this student drops out; "": none


CLASS = (
    Recipe("s01-reference", translator=demo_translator.TRAINED),
    Recipe("s02-starter", starter=True, model=0),
    Recipe(
        "s03-no-scaling",
        bugs=(
            "scores_not_scaled",
            "multi_head_scaled_by_root_d_model",
            "embedding_not_scaled",
            "rate_without_d_model",
            "interval_normal_quantile",
        ),
    ),
    Recipe(
        "s04-one-axis",
        bugs=(
            "softmax_fixed_axis",
            "split_without_transpose",
            "received_over_keys",
            "trial_best_evaluation",
        ),
        model=classifier.SHORT,
        translator=demo_translator.SHORT,
    ),
    Recipe(
        "s05-mask",
        bugs=(
            "attention_mask_after_softmax",
            "torch_mask_not_inverted",
            "mask_inverted",
            "causal_leak_by_one",
            "summary_failed_dropped",
        ),
        copied_study=True,
    ),
    Recipe(
        "s06-empty-row",
        bugs=(
            "attention_empty_row_nan",
            "layer_norm_unbiased",
            "mean_of_nothing_nan",
            "loss_counts_padding",
        ),
        last="a4",
    ),
    Recipe("s07-loops", variants=("loops_where_allowed", "lists_and_loops")),
    Recipe("s08-packed", variants=("stored_projections", "packed_projections"), last="a4"),
    Recipe(
        "s09-figures",
        bugs=(
            "heat_map_transposed",
            "diversity_nats",
            "curves_not_in_percent",
            "alignment_image_transposed",
        ),
        translator=demo_translator.TRAINED,
        weights=False,
        last="a4",
    ),
    Recipe("s10-copy", copies="s03-no-scaling"),
    Recipe("s11-endless", hostile="01_infinite_loop", last="a1"),
    Recipe("s12-snooper", hostile="18_searches_disk", last="a1"),
    Recipe("s13-unreadable", raw=b'{"cells": [{"cell_type": "code", "source', last="a1"),
    Recipe(
        "s14-late-names",
        bugs=(
            "projection_weight_transposed",
            "residual_orders_swapped",
            "step_schedule_first",
            "beam_state_not_reordered",
            "trial_seeded_after_the_model",
        ),
    ),
)


def missing(course: Course) -> list[str]:
    """Names in the recipes that do not exist; a test checks that there are none."""
    known = {bug.name for a in course.assignments for bug in mistakes.load(a)}
    known |= {v.name for a in course.assignments for v in cases.variants(a)}
    known |= HOSTILE.keys()
    used = {name for r in CLASS for name in (*r.bugs, *r.variants, r.hostile) if name}
    return sorted(used - known)


def write(folder: Path, course: Course, only: Collection[str] = ()) -> int:
    """Write `STUDENT/ASSIGNMENT/ASSIGNMENT.ipynb` below `folder`; returns how many.

    `only`: just these assignments.
    """
    built: dict[tuple[str, str], bytes] = {}
    chosen = [a for a in course.assignments if not only or a.id in only]
    for assignment in chosen:
        first = assignment.id == course.assignments[0].id
        for recipe in CLASS:
            if not recipe.last or assignment.id <= recipe.last:
                built[recipe.student, assignment.id] = _notebook(
                    recipe, assignment, course, built, first
                )
    for (student, id), data in built.items():
        path = folder / student / id / f"{id}.ipynb"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    for assignment in chosen:
        _hand_in_files(folder, assignment)
        if assignment.model is not None and assignment.model.measure == "accuracy":
            _hand_in_classifiers(folder, assignment)
    return len(built)


def _hand_in_files(folder: Path, assignment: Assignment) -> None:
    """Put the files that exercises ask for beside every notebook but a starter."""
    for name, honest in cases.handed_in(assignment).items():
        for recipe in CLASS:
            place = folder / recipe.student / assignment.id / FOLDER
            if place.parent.exists() and not recipe.starter:
                place.mkdir(exist_ok=True)
                place.joinpath(name).write_bytes(_copied(honest) if recipe.copied_study else honest)


def _copied(results: bytes) -> bytes:
    """A study whose second seed is the first once more."""
    rows = list(csv.DictReader(io.StringIO(results.decode())))
    first = [row for row in rows if row["seed"] == rows[0]["seed"]]
    other = next(row["seed"] for row in rows if row["seed"] != rows[0]["seed"])
    text = io.StringIO()
    writer = csv.DictWriter(text, rows[0].keys(), lineterminator="\n")
    writer.writeheader()
    writer.writerows([*first, *({**row, "seed": other} for row in first)])
    return text.getvalue().encode()


def _hand_in_classifiers(folder: Path, assignment: Assignment) -> None:
    """Put a trained classifier beside every notebook whose recipe has one."""
    assert assignment.model is not None
    epochs = sorted({recipe.model for recipe in CLASS if recipe.model})
    with tempfile.TemporaryDirectory() as name:
        trained = Path(name)
        classifier.hand_in(trained, assignment.model.dataset, assignment.model.split, epochs)
        _copy_beside(
            folder, assignment, trained, {r.student: str(r.model) for r in CLASS if r.model}
        )


def with_translators(course: Course) -> set[tuple[str, str]]:
    """(student, assignment) of the notebooks that a translator is handed in with."""
    ids = [a.id for a in course.assignments if a.model and a.model.measure == "bleu"]
    return {(recipe.student, id) for recipe in CLASS if recipe.translator for id in ids}


def hand_in_translators(folder: Path, course: Course, trained: Path) -> None:
    """Put a translator, from `trained`, beside every notebook whose recipe has one."""
    for id in {id for _, id in with_translators(course)}:
        chosen = {r.student: r.translator for r in CLASS}
        _copy_beside(folder, course.assignment(id), trained, chosen)


def _copy_beside(
    folder: Path, assignment: Assignment, trained: Path, chosen: Mapping[str, str]
) -> None:
    for recipe in CLASS:
        target = folder / recipe.student / assignment.id / FOLDER
        if (name := chosen.get(recipe.student)) and target.parent.exists():
            kept = None if recipe.weights else shutil.ignore_patterns("*.safetensors")
            shutil.copytree(trained / name, target, ignore=kept)


def _notebook(
    recipe: Recipe,
    assignment: Assignment,
    course: Course,
    built: dict[tuple[str, str], bytes],
    first: bool,
) -> bytes:
    if recipe.copies:
        return built[recipe.copies, assignment.id]
    if recipe.raw and first:
        return recipe.raw
    sources = {} if recipe.starter else dict(_sources(recipe, assignment))
    notebook = notebooks.build(course, assignment, "starter", sources)
    if recipe.hostile and first:
        code = HOSTILE[recipe.hostile]
        cell: notebooks.Cell = {"cell_type": "code", "id": "added", "metadata": {}, "outputs": []}
        cell |= {"execution_count": None, "source": code.splitlines(keepends=True)}
        notebook["cells"].append(cell)
    return notebooks.dump(notebook).encode()


def _sources(recipe: Recipe, assignment: Assignment) -> Iterator[tuple[str, str]]:
    """This student's sources: the reference except for the recipe's variants and bugs."""
    for exercise in assignment.exercises:
        yield from ((c, Component.parse(c).source) for c in exercise.components)
    for variant in cases.variants(assignment):
        if variant.name in recipe.variants:
            yield from variant.replace.items()
    for bug in mistakes.load(assignment):
        if bug.name in recipe.bugs:
            yield bug.component, bug.apply(Component.parse(bug.component).source)

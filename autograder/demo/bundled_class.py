"""A small class for the demonstration: notebooks built from right, wrong and hostile sources.

Nothing is stored: the notebooks are built from the library, the named bugs and the variants, and
the models are trained, so the class is always up to date with the course.
"""

import csv
import io
import re
import shutil
from collections.abc import Collection, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from grader.authoring.proof import cases
from grader.authoring.views import notebooks
from grader.course import mistakes
from grader.course.assignment import Assignment
from grader.course.course import Course
from grader.intake.handed_in import FOLDER
from grader.library.components import Component

from .models import SHORT, TRAINED


def _attacks(path: Path) -> dict[str, str]:
    """Each cell of a text notebook by its name, below what is above all cells."""
    text = path.read_text(encoding="utf-8")
    head, *parts = re.split(r"^# %% (\w+)\n", text, flags=re.MULTILINE)
    return {name: head + cell for name, cell in zip(parts[::2], parts[1::2], strict=True)}


# What a submission may try by its name; a file for what it is after.
HOSTILE_FILES = sorted((Path(__file__).parents[1] / "hostile").glob("*.py"))
HOSTILE = {name: source for path in HOSTILE_FILES for name, source in _attacks(path).items()}


@dataclass(frozen=True)
class Recipe:
    """How one student's notebooks are built."""

    student: str
    bugs: str = ""  # names of mistakes, with a space between
    variants: str = ""  # likewise
    hostile: str = ""  # one of HOSTILE, appended to the first notebook
    starter: bool = False
    raw: bytes = b""  # replaces the first notebook
    classifier: str = TRAINED  # which is handed in: TRAINED or SHORT
    translator: str = ""  # likewise, or "" for none
    weights: bool = True  # False: a model is handed in without its weights
    copied_study: bool = False  # its trials of one seed are handed in again as those of another
    last: str = ""  # the last assignment before this student drops out; "": none


NO_SCALING = Recipe(
    "s03-no-scaling",
    bugs="scores_not_scaled multi_head_scaled_by_root_d_model embedding_not_scaled "
    "rate_without_d_model interval_normal_quantile",
)
CLASS = (
    Recipe("s01-reference", translator=TRAINED),
    Recipe("s02-starter", starter=True, last="a2"),
    NO_SCALING,
    Recipe(
        "s04-one-axis",
        bugs="softmax_fixed_axis split_without_transpose received_over_keys trial_best_evaluation",
        classifier=SHORT,
        translator=SHORT,
    ),
    Recipe(
        "s05-mask",
        bugs="attention_mask_after_softmax torch_mask_not_inverted mask_inverted "
        "causal_leak_by_one summary_failed_dropped",
        copied_study=True,
    ),
    Recipe(
        "s06-empty-row",
        bugs="attention_empty_row_nan layer_norm_unbiased mean_of_nothing_nan",
        last="a3",
    ),
    Recipe("s07-loops", variants="loops_where_allowed lists_and_loops", last="a2"),
    Recipe("s08-packed", variants="stored_projections packed_projections", last="a2"),
    Recipe(
        "s09-figures",
        bugs="heat_map_transposed diversity_nats curves_not_in_percent alignment_image_transposed",
        translator=TRAINED,
        weights=False,
        last="a4",
    ),
    replace(NO_SCALING, student="s10-copy", last="a2"),
    Recipe("s11-endless", hostile="01_infinite_loop", last="a1"),
    Recipe("s12-snooper", hostile="18_searches_disk", last="a1"),
    Recipe("s13-unreadable", raw=b'{"cells": [{"cell_type": "code", "source', last="a1"),
    Recipe(
        "s14-late-names",
        bugs="projection_weight_transposed residual_orders_swapped step_schedule_first "
        "loss_counts_padding trial_seeded_after_the_model",
    ),
)


def write(folder: Path, course: Course, only: Collection[str], models: Path) -> None:
    """Write `STUDENT/ASSIGNMENT/` below `folder` for these assignments, and what goes with it.

    `models` has the trained ones, as `models.train` writes them.
    """
    for assignment in (a for a in course.assignments if a.id in only):
        kind = assignment.model and assignment.model.measure
        for recipe in (r for r in CLASS if not r.last or assignment.id <= r.last):
            place = folder / recipe.student / assignment.id
            place.mkdir(parents=True)
            place.joinpath(f"{assignment.id}.ipynb").write_bytes(
                _notebook(recipe, assignment, course)
            )
            chosen = recipe.translator if kind == "bleu" else recipe.classifier
            if kind and chosen:
                kept = None if recipe.weights else shutil.ignore_patterns("*.safetensors")
                shutil.copytree(models / kind / chosen, place / FOLDER, ignore=kept)
            for name, honest in {} if recipe.starter else cases.handed_in(assignment).items():
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


def _notebook(recipe: Recipe, assignment: Assignment, course: Course) -> bytes:
    first = assignment.id == course.assignments[0].id
    if recipe.raw and first:
        return recipe.raw
    sources = {} if recipe.starter else dict(_sources(recipe, assignment))
    return built(course, assignment, sources, recipe.hostile if first else "")


def built(course: Course, assignment: Assignment, sources: dict[str, str], hostile: str) -> bytes:
    """A starter with these sources, and with one of HOSTILE in a cell of its own, if any."""
    notebook = notebooks.build(course, assignment, "starter", sources)
    if hostile:
        notebook["cells"].append(notebooks.new_cell("code", "added", HOSTILE[hostile], {}))
    return notebooks.dump(notebook).encode()


def _sources(recipe: Recipe, assignment: Assignment) -> Iterator[tuple[str, str]]:
    """This student's sources: the reference except for the recipe's variants and bugs."""
    for exercise in assignment.exercises:
        yield from ((c, Component.parse(c).source) for c in exercise.components)
    for variant in cases.variants(assignment):
        if variant.name in recipe.variants.split():
            yield from variant.replace.items()
    for bug in mistakes.load(assignment):
        if bug.name in recipe.bugs.split():
            yield bug.component, bug.apply(Component.parse(bug.component).source)

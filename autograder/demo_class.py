"""A small class for the demonstration: real notebooks, made from right, wrong and hostile sources.

Nothing of it is stored: the notebooks are built from the library, the named bugs and the variants,
so the class can never fall behind the course.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from course_lib.syllabus import Assignment, Syllabus

from . import bugs, variants
from .release import notebooks
from .release.components import Component

HOSTILE = Path(__file__).parent / "hostile"


@dataclass(frozen=True)
class Recipe:
    """How one student's two notebooks come about."""

    student: str
    bugs: tuple[str, ...] = ()  # names of files in autograder/bugs
    variants: tuple[str, ...] = ()
    hostile: str = ""  # a file in autograder/hostile, put at the end of the first notebook
    starter: bool = False
    copies: str = ""  # a student whose files these are too
    raw: bytes = b""  # in place of the first notebook


CLASS = (
    Recipe("s01-reference"),
    Recipe("s02-starter", starter=True),
    Recipe("s03-no-scaling", bugs=("scores_not_scaled", "module_scales_by_d_model")),
    Recipe("s04-softmax-axis", bugs=("softmax_fixed_axis", "heads_view_without_transpose")),
    Recipe("s05-mask", bugs=("attention_mask_after_softmax", "parity_mask_not_inverted")),
    Recipe("s06-empty-row", bugs=("attention_empty_row_nan", "norm_unbiased_variance")),
    Recipe("s07-loops", variants=("loops",)),
    Recipe("s08-einsum", variants=("einsum",)),
    Recipe("s09-figures", bugs=("heat_map_transposed", "diversity_in_nats")),
    Recipe("s10-copy", copies="s03-no-scaling"),
    Recipe("s11-endless", hostile="01_infinite_loop.py"),
    Recipe("s12-snooper", hostile="18_searches_disk.py"),
    Recipe("s13-not-a-notebook", raw=b'{"cells": [{"cell_type": "code", "source'),
    Recipe("s14-late-names", bugs=("projection_weight_transposed", "residual_norm_order")),
)


def write(folder: Path, syllabus: Syllabus) -> int:
    """Write `STUDENT/ASSIGNMENT/ASSIGNMENT.ipynb` below `folder`; how many."""
    made: dict[tuple[str, str], bytes] = {}
    for assignment in syllabus.assignments:
        first = assignment.id == syllabus.assignments[0].id
        for recipe in CLASS:
            made[recipe.student, assignment.id] = _notebook(
                recipe, assignment, syllabus, made, first
            )
    for (student, id), data in made.items():
        path = folder / student / id / f"{id}.ipynb"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    return len(made)


def _notebook(
    recipe: Recipe,
    assignment: Assignment,
    syllabus: Syllabus,
    made: dict[tuple[str, str], bytes],
    first: bool,
) -> bytes:
    if recipe.copies:
        return made[recipe.copies, assignment.id]
    if recipe.raw and first:
        return recipe.raw
    view: notebooks.View = "starter" if recipe.starter else "solution"
    notebook = notebooks.build(syllabus, assignment, view, dict(_sources(recipe, assignment)))
    if recipe.hostile and first:
        code = (HOSTILE / recipe.hostile).read_text(encoding="utf-8")
        cell = {"cell_type": "code", "id": "added", "metadata": {}, "outputs": []}
        cell |= {"execution_count": None, "source": code.splitlines(keepends=True)}
        notebook["cells"].append(cell)
    return notebooks.dump(notebook).encode()


def _sources(recipe: Recipe, assignment: Assignment) -> Iterator[tuple[str, str]]:
    """The components that this student wrote differently from the reference."""
    for variant in variants.load(assignment):
        if variant.name in recipe.variants:
            yield from variant.replace.items()
    for bug in bugs.load(assignment.id):
        if bug.name in recipe.bugs:
            yield bug.component, bug.apply(Component.parse(bug.component).source)

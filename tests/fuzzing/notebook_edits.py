"""Edits that a person could make to a notebook and that keep what it says.

Each takes a generator and the cells (their sources are strings) and changes them in place; what it
needs of them, it assumes, as a test of Hypothesis does. Cells that continue a question are marked
with `CONTINUES`.
"""

from __future__ import annotations

import contextlib
import copy
import json
import re
from typing import Any

from code_edits import CODE_EDITS, CONTINUES, Cells, Edit
from fuzz_mutation import Rng
from hypothesis import assume
from hypothesis.errors import UnsatisfiedAssumption

from grader.course.assignment import Assignment
from grader.notebook.answer_cells import PREDICTION, WRITTEN

QUESTION = "question"  # the question of a cell, as the starter has it


def solved(assignment: Assignment) -> Cells:
    """The starter with the solution's code, answers and predictions."""
    starter, solution = (
        json.loads(path.read_bytes())["cells"] for path in (assignment.starter, assignment.solution)
    )
    by_id = {id: cell for cell in solution if (id := grade_id(cell))}
    made = []
    for given in starter:
        text = "".join(given["source"])
        cell = by_id.get(grade_id(given), given)
        if holder := next((h for h in (PREDICTION, WRITTEN) if h in text), ""):
            question = text.replace(holder, "").rstrip()
            same = (c for c in solution if "".join(c["source"]).startswith(question))
            cell = {**next(same), QUESTION: question}
        cell = {**copy.deepcopy(cell), "source": "".join(cell["source"])}
        made.append(cell | ({"outputs": []} if cell["cell_type"] == "code" else {}))
    return made


def grade_id(cell: dict[str, Any]) -> str:
    return cell["metadata"].get("nbgrader", {}).get("grade_id", "")


def made(rng: Rng, cells: Cells) -> tuple[bytes, list[str]]:
    """A file after some edits, and their names in order."""
    cells, done = copy.deepcopy(cells), []
    for _ in range(rng.randint(1, 6)):
        edit = rng.choice(EDITS)
        with contextlib.suppress(UnsatisfiedAssumption):
            assume(questions(cells))
            edit(rng, cells)
            done.append(edit.__name__)
    ending = rng.choice(("\n", "\n", "\n", "\r\n", "\r"))
    whole = rng.random() < 0.3
    for cell in cells:
        text = cell["source"].replace("\n", ending)
        cell["source"] = text if whole else text.splitlines(keepends=True)
        for key in (CONTINUES, QUESTION):
            cell.pop(key, None)
    document = {"cells": cells, "metadata": {}, "nbformat": 4, "nbformat_minor": rng.choice((2, 5))}
    text = json.dumps(document, indent=rng.choice((None, 1, 2)), ensure_ascii=rng.random() < 0.5)
    return text.encode("utf-8-sig" if rng.random() < 0.2 else "utf-8"), done


# --- questions and their answers -----------------------------------------------------------------


def questions(cells: Cells) -> list[int]:
    return [n for n, cell in enumerate(cells) if QUESTION in cell]


def group(cells: Cells, at: int) -> slice:
    """A question's cell and those that continue it."""
    end = at + 1
    while end < len(cells) and CONTINUES in cells[end]:
        end += 1
    return slice(at, end)


def continued(rng: Rng, cell: dict[str, Any], text: str, kinds=("markdown",)) -> dict[str, Any]:
    """A further cell of a question, with its metadata or without."""
    kept = cell["metadata"] if rng.random() < 0.5 else {}
    more = {"cell_type": rng.choice(kinds), "metadata": copy.deepcopy(kept), "source": text}
    return {**more, CONTINUES: True} | ({"outputs": []} if more["cell_type"] == "code" else {})


def split_text(rng: Rng, cells: Cells) -> None:
    at = rng.choice(questions(cells))
    places = [m.start() for m in re.finditer(r"\n\n", cells[at]["source"])]
    assume(places and cells[at]["cell_type"] == "markdown")
    text, cut = cells[at]["source"], rng.choice(places)
    cells.insert(at + 1, continued(rng, cells[at], text[cut:].strip("\n")))
    cells[at]["source"] = text[:cut]


def answered(rng: Rng, cells: Cells) -> tuple[int, str, str, str]:
    """A question's place, text and placeholder, and the answer below it."""
    at = rng.choice(questions(cells))
    question, text = cells[at][QUESTION], cells[at]["source"]
    answer = text.removeprefix(question).strip()
    assume(text.startswith(question) and answer)
    return at, question, PREDICTION if question.startswith("**Pred") else WRITTEN, answer


def answer_in_new_cell(rng: Rng, cells: Cells) -> None:
    at, question, holder, answer = answered(rng, cells)
    cells[at]["source"] = rng.choice((question, f"{question}\n\n{holder}"))
    cells.insert(at + 1, continued(rng, cells[at], answer, ("markdown", "markdown", "raw", "code")))


def answer_elsewhere_in_cell(rng: Rng, cells: Cells) -> None:
    """Behind the placeholder, above it, or above the question itself."""
    at, question, holder, answer = answered(rng, cells)
    assume(cells[at]["cell_type"] != "code")
    parts = [question, holder, answer]
    if grade_id(cells[at]):
        rng.shuffle(parts)
    cells[at]["source"] = "\n\n".join(parts)


def blank_copy(rng: Rng, cells: Cells) -> None:
    """The empty question once more, above or below."""
    at = rng.choice(questions(cells))
    text = cells[at][QUESTION] + rng.choice(("", f"\n\n{WRITTEN}"))
    if rng.random() < 0.5:
        cells.insert(group(cells, at).stop, continued(rng, cells[at], text))
    else:
        blank = {"cell_type": "markdown", "metadata": copy.deepcopy(cells[at]["metadata"])}
        cells.insert(at, {**blank, "source": text})


def full_copy(rng: Rng, cells: Cells) -> None:
    at = rng.choice(questions(cells))
    cells.insert(at + 1, {**copy.deepcopy(cells[at]), CONTINUES: True})
    cells[at + 1].pop(QUESTION)


def retype_text(rng: Rng, cells: Cells) -> None:
    cell = cells[rng.choice(questions(cells))]
    cell["cell_type"] = rng.choice(("raw", "code"))
    if cell["cell_type"] == "code":
        cell["outputs"] = [{"output_type": "error", "ename": "SyntaxError", "evalue": "invalid"}]


def delete_question(rng: Rng, cells: Cells) -> None:
    """The whole question, or all below its heading; nbgrader's metadata stay."""
    cell = cells[rng.choice(questions(cells))]
    assume(grade_id(cell) and cell["source"].startswith(cell[QUESTION]))
    heading = cell["source"].partition("\n")[0]
    kept = rng.choice(("", f"{heading}\n\n"))
    cell["source"] = kept + cell["source"].removeprefix(cell[QUESTION]).strip()


def change_heading(rng: Rng, cells: Cells) -> None:
    cell = cells[rng.choice(questions(cells))]
    assume(cell["source"].startswith("#"))
    first, end, rest = cell["source"].partition("\n")
    heading = rng.choice(("# {}", "## {}", "#### {}", "###### {}", "**{}**", "### **{}**"))
    cell["source"] = heading.format(first.lstrip("#").lstrip()) + end + rest


def wrap_question(rng: Rng, cells: Cells) -> None:
    cell = cells[rng.choice(questions(cells))]
    assume("|" not in cell[QUESTION] and "\n- " not in cell[QUESTION])
    body = [" ".join(part.split("\n")) for part in cell[QUESTION].split("\n\n")]
    cell["source"] = cell["source"].replace(cell[QUESTION], "\n\n".join(body))


def move_question(rng: Rng, cells: Cells) -> None:
    """Behind another question, or to the end."""
    headed = [n for n in questions(cells) if cells[n]["source"].startswith("#")]
    assume(headed)
    at = rng.choice(headed)
    moved = cells[group(cells, at)]
    del cells[group(cells, at)]
    ends = [group(cells, n).stop for n in questions(cells)] or [len(cells)]
    to = rng.choice((*ends, len(cells)))
    cells[to:to] = moved


def merge_texts(rng: Rng, cells: Cells) -> None:
    """A text cell with the one below."""
    pairs = [
        n
        for n, (one, other) in enumerate(zip(cells, cells[1:], strict=False))
        if one["cell_type"] == other["cell_type"] == "markdown" and "attachments" not in other
    ]
    assume(pairs)
    at = rng.choice(pairs)
    cells[at]["source"] += "\n\n" + cells.pop(at + 1)["source"]
    cells[at].pop(QUESTION, None)


def space_text(rng: Rng, cells: Cells) -> None:
    """Blank lines and spaces at the ends of lines."""
    cell = rng.choice([cell for cell in cells if cell["cell_type"] == "markdown"])
    cell["source"] = cell["source"].replace("\n\n", rng.choice(("\n\n\n", " \n \n"))) + "\n\n"


# --- the file ------------------------------------------------------------------------------------


def lose_metadata(rng: Rng, cells: Cells) -> None:
    """Of one cell or of all, as other editors do; also the cells' ids."""
    chosen = cells if rng.random() < 0.5 else [rng.choice(cells)]
    # otherwise nothing else would tell whose answer it is
    assume(all(cell["source"].startswith(cell.get(QUESTION, "")) for cell in chosen))
    for cell in chosen:
        cell["metadata"] = {}
        cell.pop("id", None)


def add_outputs(rng: Rng, cells: Cells) -> None:
    for cell in cells:
        if cell["cell_type"] == "code":
            cell["execution_count"] = rng.randint(1, 99)
            cell["outputs"] = [{"output_type": "stream", "name": "stdout", "text": ["1\n"]}]


EDITS: tuple[Edit, ...] = (
    split_text, split_text, answer_in_new_cell, answer_elsewhere_in_cell, blank_copy, full_copy,
    retype_text, delete_question, change_heading, wrap_question, move_question, merge_texts,
    space_text, lose_metadata, add_outputs, *CODE_EDITS,
)  # fmt: skip

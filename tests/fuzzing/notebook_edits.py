"""Edits that a person could make to a notebook and that keep what it says.

Each takes a generator and the cells (their sources are strings), changes them in place, and returns
whether it found something to change. Cells that continue a question are marked with `CONTINUES`.
"""

from __future__ import annotations

import ast
import copy
import io
import json
import re
import tokenize
from collections.abc import Callable, Iterator
from typing import Any

from fuzz_mutation import Rng

from grader.course.assignment import Assignment
from grader.notebook.answer_cells import PREDICTION, WRITTEN

Cells = list[dict[str, Any]]
Edit = Callable[[Rng, Cells], bool]
CONTINUES = "continues"
QUESTION = "question"  # the question of a cell, as the starter has it
NAMES = "names"  # what a graded cell defines


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
        if questions(cells) and edit(rng, cells):
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


def split_text(rng: Rng, cells: Cells) -> bool:
    at = rng.choice(questions(cells))
    places = [m.start() for m in re.finditer(r"\n\n", cells[at]["source"])]
    if not places or cells[at]["cell_type"] != "markdown":
        return False
    text, cut = cells[at]["source"], rng.choice(places)
    cells.insert(at + 1, continued(rng, cells[at], text[cut:].strip("\n")))
    cells[at]["source"] = text[:cut]
    return True


def answer_in_new_cell(rng: Rng, cells: Cells) -> bool:
    at = rng.choice(questions(cells))
    question, text = cells[at][QUESTION], cells[at]["source"]
    answer = text.removeprefix(question).strip()
    if not text.startswith(question) or not answer:
        return False
    kept = f"{question}\n\n{PREDICTION if question.startswith('**Pred') else WRITTEN}"
    cells[at]["source"] = rng.choice((question, kept))
    cells.insert(at + 1, continued(rng, cells[at], answer, ("markdown", "markdown", "raw", "code")))
    return True


def answer_elsewhere_in_cell(rng: Rng, cells: Cells) -> bool:
    """Behind the placeholder, above it, or above the question itself."""
    at = rng.choice(questions(cells))
    question, text = cells[at][QUESTION], cells[at]["source"]
    answer = text.removeprefix(question).strip()
    if not text.startswith(question) or not answer or cells[at]["cell_type"] == "code":
        return False
    holder = PREDICTION if question.startswith("**Pred") else WRITTEN
    parts = [question, holder, answer]
    if grade_id(cells[at]):
        rng.shuffle(parts)
    cells[at]["source"] = "\n\n".join(parts)
    return True


def blank_copy(rng: Rng, cells: Cells) -> bool:
    """The empty question once more, above or below."""
    at = rng.choice(questions(cells))
    text = cells[at][QUESTION] + rng.choice(("", f"\n\n{WRITTEN}"))
    if rng.random() < 0.5:
        cells.insert(group(cells, at).stop, continued(rng, cells[at], text))
    else:
        blank = {"cell_type": "markdown", "metadata": copy.deepcopy(cells[at]["metadata"])}
        cells.insert(at, {**blank, "source": text})
    return True


def full_copy(rng: Rng, cells: Cells) -> bool:
    at = rng.choice(questions(cells))
    cells.insert(at + 1, {**copy.deepcopy(cells[at]), CONTINUES: True})
    cells[at + 1].pop(QUESTION)
    return True


def retype_text(rng: Rng, cells: Cells) -> bool:
    cell = cells[rng.choice(questions(cells))]
    cell["cell_type"] = rng.choice(("raw", "code"))
    if cell["cell_type"] == "code":
        cell["outputs"] = [{"output_type": "error", "ename": "SyntaxError", "evalue": "invalid"}]
    return True


def delete_question(rng: Rng, cells: Cells) -> bool:
    """The whole question, or all below its heading; nbgrader's metadata stay."""
    cell = cells[rng.choice(questions(cells))]
    if not grade_id(cell) or not cell["source"].startswith(cell[QUESTION]):
        return False
    heading = cell["source"].partition("\n")[0]
    kept = rng.choice(("", f"{heading}\n\n"))
    cell["source"] = kept + cell["source"].removeprefix(cell[QUESTION]).strip()
    return True


def change_heading(rng: Rng, cells: Cells) -> bool:
    cell = rng.choice(cells)
    found = re.match(r"#+ (.*)", cell["source"]) if QUESTION in cell else None
    if not found:
        return False
    heading = rng.choice(("# {}", "## {}", "#### {}", "###### {}", "**{}**", "### **{}**"))
    cell["source"] = heading.format(found[1]) + cell["source"][found.end() :]
    return True


def wrap_question(rng: Rng, cells: Cells) -> bool:
    cell = cells[rng.choice(questions(cells))]
    if "|" in cell[QUESTION] or "\n- " in cell[QUESTION]:
        return False
    body = [" ".join(part.split("\n")) for part in cell[QUESTION].split("\n\n")]
    cell["source"] = cell["source"].replace(cell[QUESTION], "\n\n".join(body))
    return True


def move_question(rng: Rng, cells: Cells) -> bool:
    """Behind another question, or to the end."""
    at = rng.choice([n for n in questions(cells) if cells[n]["source"].startswith("#")] or [-1])
    if at < 0:
        return False
    moved = cells[group(cells, at)]
    del cells[group(cells, at)]
    ends = [group(cells, n).stop for n in questions(cells)] or [len(cells)]
    to = rng.choice((*ends, len(cells)))
    cells[to:to] = moved
    return True


def merge_texts(rng: Rng, cells: Cells) -> bool:
    """A text cell with the one below."""
    pairs = [
        n
        for n, (one, other) in enumerate(zip(cells, cells[1:], strict=False))
        if one["cell_type"] == other["cell_type"] == "markdown" and "attachments" not in other
    ]
    if not pairs:
        return False
    at = rng.choice(pairs)
    cells[at]["source"] += "\n\n" + cells.pop(at + 1)["source"]
    cells[at].pop(QUESTION, None)
    return True


def space_text(rng: Rng, cells: Cells) -> bool:
    """Blank lines and spaces at the ends of lines."""
    cell = rng.choice([cell for cell in cells if cell["cell_type"] == "markdown"])
    cell["source"] = cell["source"].replace("\n\n", rng.choice(("\n\n\n", " \n \n"))) + "\n\n"
    return True


# --- code ----------------------------------------------------------------------------------------


def graded(cells: Cells) -> list[int]:
    """The cells with definitions that the solution has."""
    return [n for n, cell in enumerate(cells) if re.match(r"(def|class|@)", _code(cell))]


def _code(cell: dict[str, Any]) -> str:
    return cell["source"] if cell["cell_type"] == "code" else ""


def parsed(text: str) -> ast.Module | None:
    try:
        return ast.parse(text)
    except SyntaxError:
        return None


def copy_definition(rng: Rng, cells: Cells) -> bool:
    at = rng.choice(graded(cells))
    cells.insert(at + 1, copy.deepcopy(cells[at]))
    return True


def copy_stub(rng: Rng, cells: Cells) -> bool:
    """The starter's cell once more, at the end."""
    cell = copy.deepcopy(cells[rng.choice(graded(cells))])
    tree = parsed(cell["source"])
    if tree is None or not all(isinstance(node, ast.FunctionDef) for node in tree.body):
        return False
    for node in tree.body:
        assert isinstance(node, ast.FunctionDef)
        node.body = ast.parse('raise NotImplementedError("is not written yet")').body
    cell["source"] = ast.unparse(tree)
    cells.append(cell)
    return True


def move_definition(rng: Rng, cells: Cells) -> bool:
    """A definition below cells that do not mention its names."""
    at = rng.choice(graded(cells))
    tree = parsed(cells[at]["source"])
    names = (
        [n.name for n in tree.body if isinstance(n, ast.FunctionDef | ast.ClassDef)] if tree else []
    )
    end = at + 1
    while end < len(cells) and not any(name in _code(cells[end]) for name in names):
        end += 1
    if not names or end == at + 1:
        return False
    to = rng.randrange(at + 1, end)
    if any(CONTINUES in cell for cell in cells[to + 1 : to + 2]):
        return False
    cells.insert(to, cells.pop(at))
    return True


def split_code(rng: Rng, cells: Cells) -> bool:
    """A cell between two statements."""
    at = rng.choice(graded(cells))
    tree = parsed(cells[at]["source"])
    if tree is None or len(tree.body) < 2:
        return False
    node = rng.choice(tree.body[1:])
    decorators = getattr(node, "decorator_list", [])
    line = min([node.lineno, *(one.lineno for one in decorators)])
    lines = cells[at]["source"].split("\n")
    cells.insert(at + 1, {**copy.deepcopy(cells[at]), "source": "\n".join(lines[line - 1 :])})
    cells[at]["source"] = "\n".join(lines[: line - 1])
    return True


def merge_code(rng: Rng, cells: Cells) -> bool:
    """A code cell with the one below; a cell's own magic must stay at its top."""
    pairs = [
        n
        for n, (one, other) in enumerate(zip(cells, cells[1:], strict=False))
        if parsed(_code(one) or "?") and parsed(_code(other) or "?")
    ]
    if not pairs:
        return False
    at = rng.choice(pairs)
    cells[at]["source"] += "\n\n" + cells.pop(at + 1)["source"]
    return True


LINES = (
    "%matplotlib inline", "%load_ext autoreload", "!pip install numpy", "%time sum(range(9))",
    "print('done')", "# my own version", "plt.show()", "display(1)", "len?", "%who", "x_ = 3; x_",
    "for _ in range(3): print(_)", "assert True", "?len", "files = !ls",
)  # fmt: skip


def add_line(rng: Rng, cells: Cells) -> bool:
    """A magic, a print or a comment above or below a definition."""
    cell = cells[rng.choice(graded(cells))]
    line = rng.choice(LINES)
    text = cell["source"].rstrip("\n")
    cell["source"] = f"{text}\n{line}" if rng.random() < 0.5 else f"{line}\n{text}"
    return True


def time_cell(rng: Rng, cells: Cells) -> bool:
    cell = cells[rng.choice(graded(cells))]
    cell["source"] = rng.choice(("%%time\n", "%%capture\n", "%%capture out\n")) + cell["source"]
    return True


SCRATCH = (
    "", "# scratch", "for n_ in range(3):\n    print(n_)", "%%bash\nls", "my_note = 'x'\nmy_note",
    "import matplotlib.pyplot as plt\nplt.plot([1, 2])\nplt.show()", "1 +", "help(len)",
)  # fmt: skip


def add_cell(rng: Rng, cells: Cells) -> bool:
    """An empty cell anywhere, or a scratch cell or note where no answer is."""
    at = rng.randrange(len(cells) + 1)
    text, kind = "", rng.choice(("markdown", "code", "raw"))
    if at and "check(" in _code(cells[at - 1]) and CONTINUES not in cells[at : at + 1]:
        kind = rng.choice(("markdown", "code"))
        text = "A note of my own." if kind == "markdown" else rng.choice(SCRATCH)
    more = {"cell_type": kind, "metadata": {}, "source": text}
    inside = at < len(cells) and CONTINUES in cells[at]
    cells.insert(
        at,
        more | ({"outputs": []} if kind == "code" else {}) | ({CONTINUES: True} if inside else {}),
    )
    return True


def lay_out_anew(rng: Rng, cells: Cells) -> bool:
    """Code as a formatter leaves it."""
    cell = cells[rng.choice(graded(cells))]
    if (tree := parsed(cell["source"])) is None:
        return False
    cell["source"] = ast.unparse(tree)
    return True


def indent_otherwise(rng: Rng, cells: Cells) -> bool:
    cell = cells[rng.choice(graded(cells))]
    if parsed(cell["source"]) is None:
        return False
    unit = rng.choice(("  ", "\t", " " * 8))
    inside = set(_lines_of_strings(cell["source"]))
    lines = cell["source"].split("\n")
    for n, line in enumerate(lines, start=1):
        spaces = len(line) - len(line.lstrip(" "))
        if n not in inside:
            lines[n - 1] = unit * (spaces // 4) + " " * (spaces % 4) + line[spaces:]
    text = "\n".join(lines)
    if parsed(text) is None:
        return False
    cell["source"] = text
    return True


def _lines_of_strings(source: str) -> Iterator[int]:
    """The lines that begin within a string."""
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type == tokenize.STRING or token.type == getattr(tokenize, "FSTRING_MIDDLE", -1):
            yield from range(token.start[0] + 1, token.end[0] + 1)


# --- the file ------------------------------------------------------------------------------------


def lose_metadata(rng: Rng, cells: Cells) -> bool:
    """Of one cell or of all, as other editors do; also the cells' ids."""
    chosen = cells if rng.random() < 0.5 else [rng.choice(cells)]
    if any(QUESTION in cell and not cell["source"].startswith(cell[QUESTION]) for cell in chosen):
        return False  # nothing else would tell whose answer it is
    for cell in chosen:
        cell["metadata"] = {}
        cell.pop("id", None)
    return True


def add_outputs(rng: Rng, cells: Cells) -> bool:
    for cell in cells:
        if cell["cell_type"] == "code":
            cell["execution_count"] = rng.randint(1, 99)
            cell["outputs"] = [{"output_type": "stream", "name": "stdout", "text": ["1\n"]}]
    return True


EDITS: tuple[Edit, ...] = (
    split_text, split_text, answer_in_new_cell, answer_elsewhere_in_cell, blank_copy, full_copy,
    retype_text, delete_question, change_heading, wrap_question, move_question, merge_texts,
    space_text, copy_definition, copy_stub, move_definition, split_code, merge_code, add_line,
    add_line, time_cell, add_cell, add_cell, lay_out_anew, indent_otherwise, lose_metadata,
    add_outputs,
)  # fmt: skip

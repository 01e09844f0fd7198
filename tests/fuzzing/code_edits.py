"""Edits of code cells that a person could make, for `notebook_edits`."""

from __future__ import annotations

import ast
import copy
import io
import re
import tokenize
from collections.abc import Callable, Iterator
from typing import Any

from fuzz_mutation import Rng
from hypothesis import assume, reject

Cells = list[dict[str, Any]]
Edit = Callable[[Rng, Cells], None]
CONTINUES = "continues"  # marks a cell that continues a question


def graded(cells: Cells) -> list[int]:
    """The cells with definitions that the solution has."""
    return [n for n, cell in enumerate(cells) if re.match(r"(def|class|@)", _code(cell))]


def _code(cell: dict[str, Any]) -> str:
    return cell["source"] if cell["cell_type"] == "code" else ""


def parsed(text: str) -> ast.Module:
    """What is no Python is not edited."""
    try:
        return ast.parse(text)
    except SyntaxError:
        reject()


def copy_definition(rng: Rng, cells: Cells) -> None:
    at = rng.choice(graded(cells))
    cells.insert(at + 1, copy.deepcopy(cells[at]))


def copy_stub(rng: Rng, cells: Cells) -> None:
    """The starter's cell once more, at the end."""
    cell = copy.deepcopy(cells[rng.choice(graded(cells))])
    tree = parsed(cell["source"])
    assume(all(isinstance(node, ast.FunctionDef) for node in tree.body))
    for node in tree.body:
        assert isinstance(node, ast.FunctionDef)
        node.body = ast.parse('raise NotImplementedError("is not written yet")').body
    cell["source"] = ast.unparse(tree)
    cells.append(cell)


def move_definition(rng: Rng, cells: Cells) -> None:
    """A definition below cells that do not mention its names."""
    at = rng.choice(graded(cells))
    tree = parsed(cells[at]["source"])
    names = [n.name for n in tree.body if isinstance(n, ast.FunctionDef | ast.ClassDef)]
    end = at + 1
    while end < len(cells) and not any(name in _code(cells[end]) for name in names):
        end += 1
    assume(names and end > at + 1)
    to = rng.randrange(at + 1, end)
    assume(not any(CONTINUES in cell for cell in cells[to + 1 : to + 2]))
    cells.insert(to, cells.pop(at))


def split_code(rng: Rng, cells: Cells) -> None:
    """A cell between two statements."""
    at = rng.choice(graded(cells))
    tree = parsed(cells[at]["source"])
    assume(len(tree.body) > 1)
    node = rng.choice(tree.body[1:])
    decorators = getattr(node, "decorator_list", [])
    line = min([node.lineno, *(one.lineno for one in decorators)])
    lines = cells[at]["source"].split("\n")
    cells.insert(at + 1, {**copy.deepcopy(cells[at]), "source": "\n".join(lines[line - 1 :])})
    cells[at]["source"] = "\n".join(lines[: line - 1])


def merge_code(rng: Rng, cells: Cells) -> None:
    """A code cell with the one below; a cell's own magic must stay at its top."""
    pairs = [n for n in range(len(cells) - 1) if _code(cells[n]) and _code(cells[n + 1])]
    assume(pairs)
    at = rng.choice(pairs)
    for cell in cells[at : at + 2]:
        parsed(cell["source"])
    cells[at]["source"] += "\n\n" + cells.pop(at + 1)["source"]


LINES = (
    "%matplotlib inline", "%load_ext autoreload", "!pip install numpy", "%time sum(range(9))",
    "print('done')", "# my own version", "plt.show()", "display(1)", "len?", "%who", "x_ = 3; x_",
    "for _ in range(3): print(_)", "assert True", "?len", "files = !ls",
)  # fmt: skip


def add_line(rng: Rng, cells: Cells) -> None:
    """A magic, a print or a comment above or below a definition."""
    cell = cells[rng.choice(graded(cells))]
    line = rng.choice(LINES)
    text = cell["source"].rstrip("\n")
    cell["source"] = f"{text}\n{line}" if rng.random() < 0.5 else f"{line}\n{text}"


def time_cell(rng: Rng, cells: Cells) -> None:
    cell = cells[rng.choice(graded(cells))]
    cell["source"] = rng.choice(("%%time\n", "%%capture\n", "%%capture out\n")) + cell["source"]


SCRATCH = (
    "", "# scratch", "for n_ in range(3):\n    print(n_)", "%%bash\nls", "my_note = 'x'\nmy_note",
    "import matplotlib.pyplot as plt\nplt.plot([1, 2])\nplt.show()", "1 +", "help(len)",
)  # fmt: skip


def add_cell(rng: Rng, cells: Cells) -> None:
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


def lay_out_anew(rng: Rng, cells: Cells) -> None:
    """Code as a formatter leaves it."""
    cell = cells[rng.choice(graded(cells))]
    cell["source"] = ast.unparse(parsed(cell["source"]))


def indent_otherwise(rng: Rng, cells: Cells) -> None:
    cell = cells[rng.choice(graded(cells))]
    parsed(cell["source"])
    unit = rng.choice(("  ", "\t", " " * 8))
    inside = set(_lines_of_strings(cell["source"]))
    lines = cell["source"].split("\n")
    for n, line in enumerate(lines, start=1):
        spaces = len(line) - len(line.lstrip(" "))
        if n not in inside:
            lines[n - 1] = unit * (spaces // 4) + " " * (spaces % 4) + line[spaces:]
    text = "\n".join(lines)
    parsed(text)
    cell["source"] = text


def _lines_of_strings(source: str) -> Iterator[int]:
    """The lines that begin within a string."""
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type == tokenize.STRING or token.type == getattr(tokenize, "FSTRING_MIDDLE", -1):
            yield from range(token.start[0] + 1, token.end[0] + 1)


CODE_EDITS: tuple[Edit, ...] = (
    copy_definition, copy_stub, move_definition, split_code, merge_code, add_line, add_line,
    time_cell, add_cell, add_cell, lay_out_anew, indent_otherwise,
)  # fmt: skip

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

Cells = list[dict[str, Any]]
Edit = Callable[[Rng, Cells], bool]
CONTINUES = "continues"  # marks a cell that continues a question


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


CODE_EDITS: tuple[Edit, ...] = (
    copy_definition, copy_stub, move_definition, split_code, merge_code, add_line, add_line,
    time_cell, add_cell, add_cell, lay_out_anew, indent_otherwise,
)  # fmt: skip

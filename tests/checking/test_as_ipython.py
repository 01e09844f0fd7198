"""Notebooks define in the grader what they define in IPython itself, which runs them beside it."""

import ast
import json
import re
import subprocess
import sys
from dataclasses import asdict
from pathlib import Path

import in_ipython
import pytest
from hypothesis import given
from hypothesis import strategies as st
from IPython.core.inputtransformer2 import TransformerManager

from grader.notebook.collect import collect
from grader.notebook.ipython_syntax import translate
from grader.notebook.notebook_file import Cell
from grader.seam.loading import load

# Notebooks: each begins with an expression about what it defines; `---` is between two cells.
CORPUS = Path(__file__).with_name("ipython_cells.txt").read_text(encoding="utf-8")
ROWS = [
    (cells.removesuffix("\n").split("\n---\n"), probe)
    for probe, _, cells in (row.partition("\n") for row in ("\n" + CORPUS).split("\n=== ")[1:])
]


@pytest.fixture(scope="module")
def in_real_ipython(tmp_path_factory):
    ran = subprocess.run(
        [sys.executable, Path(in_ipython.__file__)],
        input=json.dumps(ROWS),
        cwd=tmp_path_factory.mktemp("ipython"),
        capture_output=True,
        text=True,
        check=True,
    )
    return json.loads(ran.stdout)


def graded(sources, probe):
    cells = [Cell(number, "code", source) for number, source in enumerate(sources, start=1)]
    found = collect(cells, ["A", "f", "g", "math"])
    statements = [asdict(statement) for statement in found.statements]
    job = {"statements": statements, "substitutes": [], "forbidden": []}
    return in_ipython.value(probe, load({**job, "unavailable": found.unavailable})[0])


@pytest.mark.parametrize("row", range(len(ROWS)), ids=lambda row: repr(ROWS[row][0][-1])[:40])
def test_a_notebook_defines_what_it_defines_in_ipython(row, in_real_ipython):
    cells, probe = ROWS[row]
    assert graded(cells, probe) == in_real_ipython[row]


PIECES = st.sampled_from(
    """x = 1//   /# what?/def f(a):/    return a/if x:/    y = (x/    % 3)/!ls -l/%env A=1/    b/$
!pip install a \\/    !ls/z = !ls/    z = %pwd \\/!echo it's/!echo (/len?/?len/x = len??/!!ls/!)
%timeit x/,f a b/    %cd ..?/S = '''/%s/!x'''/y = [1,/]/x \\/%%time/%%capture out/%%bash""".replace(
        "\n", "/"
    ).split("/")
)


def as_ipython_reads_it(cell):
    """The syntax tree of what IPython would run, with `pass` for a call of IPython."""
    if magic := re.match(r"\s*%%(time|capture out)(\n|$)", cell):
        return as_ipython_reads_it(cell[magic.end() :])
    text = TransformerManager().transform_cell(cell)
    text = re.sub(r"(?m)^(\s*)get_ipython\(\).*$", r"\1pass", text)
    return ast.dump(ast.parse(text))


@given(st.lists(PIECES, max_size=12).map("\n".join))
def test_any_cell_is_read_as_ipython_reads_it(cell):
    try:
        expected = as_ipython_reads_it(cell)
    except SyntaxError:
        expected = None
    try:
        assert ast.dump(ast.parse(translate(cell).source)) == expected
    except SyntaxError:
        assert expected is None


@given(st.lists(st.one_of(PIECES, st.just("line")), max_size=12))
def test_every_line_keeps_its_number(pieces):
    cell = "\n".join(f"line_{number}" if p == "line" else p for number, p in enumerate(pieces, 1))
    try:
        tree = ast.parse(translate(cell).source)
    except SyntaxError:
        return
    for name in (n for n in ast.walk(tree) if isinstance(n, ast.Name) and n.id[:5] == "line_"):
        assert name.id == f"line_{name.lineno}"

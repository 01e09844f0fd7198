"""What a student has and the grader has not is named: definitions that do not run, packages."""

import json

import proofs
import pytest

from grader.checking.kernel import unavailable_packages
from grader.notebook.collect import collect
from grader.notebook.foreign_imports import foreign_imports
from grader.notebook.notebook_file import Cell
from grader.seam.loading import load
from grader.student import check, work

A1 = proofs.COURSE.assignment("a1")
F = "def softmax(x, axis=-1):\n    return x\n"
WITHIN = "".join(f"    {line}\n" for line in F.splitlines())
MOVE = "in cell 2, which is not run while grading: move it to the top level"


@pytest.mark.parametrize(
    ("kind", "source", "told"),
    [
        ("code", f"for _ in range(1):\n{WITHIN}", f"`softmax` is defined inside a loop {MOVE}"),
        ("code", f"while True:\n{WITHIN}    break", f"`softmax` is defined inside a loop {MOVE}"),
        (
            "code",
            f"with open('x'):\n{WITHIN}",
            f"`softmax` is defined inside a `with` block {MOVE}",
        ),
        ("code", f"try:\n    print(1)\n{WITHIN}finally:\n    pass", f"a `try` block {MOVE}"),
        ("code", f"if __name__ != 'x':\n{WITHIN}", f"inside an `if` block {MOVE}"),
        ("code", f"if 1:\n  for _ in '1':\n{WITHIN}", "a loop"),
        ("code", f"match 1:\n  case 1:\n{WITHIN}", f"inside a `match` block {MOVE}"),
        (
            "code",
            f"%%writefile my.py\n{F}",
            "cell 2 defines `softmax`, but begins with `%%writefile`",
        ),
        ("code", f"%%timeit\n{F}", "cell 2 defines `softmax`, but begins with `%%timeit`"),
        (
            "markdown",
            F,
            "cell 2 defines `softmax`, but is a Markdown cell: change its type to Code",
        ),
        ("raw", F, "cell 2 defines `softmax`, but is a raw cell: change its type to Code"),
        ("markdown", "class softmax:\n    pass", "but is a Markdown cell"),
    ],
)
def test_a_definition_that_does_not_run_is_told_as_what_it_is(kind, source, told):
    found = collect([Cell(1, "code", "from my import softmax"), Cell(2, kind, source)], ["softmax"])
    assert told in found.unavailable["softmax"]
    assert [told in notice for notice in found.notices].count(True) == 1
    again = collect([Cell(1, "code", F), Cell(2, kind, source)], ["softmax"])  # nothing is missing
    assert not again.unavailable


@pytest.mark.parametrize("text", ["def softmax is a function", "    def softmax(x):", F.upper()])
def test_a_text_about_a_function_is_no_definition(text):
    assert not collect([Cell(1, "markdown", text)], ["softmax"]).unavailable


def notebook_with(line):
    """The solution, whose `softmax` needs what a line imports."""
    document = json.loads(proofs.notebook("a1", "solution"))
    cell = next(c for c in document["cells"] if "".join(c["source"]).startswith("def softmax"))
    cell["source"] = f"{line}\nNEEDED = needed\n" + "".join(cell["source"]).replace(
        "    return", "    NEEDED\n    return", 1
    )
    return json.dumps(document).encode()


@pytest.mark.parametrize(
    ("source", "module"),
    [
        ("import einops\ndef softmax(x): return einops.reduce(x)", "einops"),
        ("from einops import rearrange as r\ndef softmax(x): return r(x)", "einops"),
        ("import einops.layers.torch as l\ndef softmax(x): return l(x)", "einops"),
        ("from einops import *\ndef softmax(x): return rearrange(x)", "einops"),
        ("def softmax(x):\n    import einops\n    return einops.reduce(x)", "einops"),
        ("class softmax:\n    from einops import reduce", "einops"),
        ("if True:\n    import einops\ndef softmax(x): return einops.reduce(x)", "einops"),
        ("import pytest\nG = pytest\ndef g(x): return G\ndef softmax(x): return g(x)", "pytest"),
        ("import mine\ndef softmax(x): return mine.f(x)", "mine"),
        ("try:\n    import einops\nexcept ImportError:\n    einops = 0\nsoftmax = einops", ""),
        ("import einops\ndef softmax(x): return x", ""),  # not needed
        ("import sklearn, tqdm, torch\ndef softmax(x): return sklearn, tqdm, torch", ""),
        ("import pandas, IPython, yaml\ndef softmax(x): return pandas, IPython, yaml", ""),
        (
            "import math, os.path\nimport course_lib as m\ndef softmax(x): return math, os, m",
            "",
        ),
        ("from mpl_toolkits import mplot3d\ndef softmax(x): return mplot3d", ""),
    ],
)
def test_a_package_that_is_not_the_courses_is_named(source, module):
    found = collect([Cell(7, "code", source)], ["softmax"])
    told = set(foreign_imports(proofs.COURSE, A1, found, ["softmax"]).values())
    start = (
        f"cell 7 imports `{module}`, which the grader does not have (it has jaxtyping, matplotlib"
    )
    assert [why.startswith(start) for why in told] == ([True] if module else [])


def test_check_in_the_notebook_student_check_and_the_grade_say_the_same(tmp_path):
    """`hypothesis` is on this machine, and is no package of the course; einops is not."""
    for module in ("hypothesis", "einops"):
        data = notebook_with(f"import {module} as needed")
        (tmp_path / "a1.ipynb").write_bytes(data)
        own = work.read(A1, tmp_path / "a1.ipynb")
        (why,) = (n for n in own.notices if module in n)
        (verdict,) = {error.message for error in check._verdicts(own).values()}
        result = proofs.graded(data, "a1")
        run = [cell.source if cell.kind == "code" else "" for cell in own.cells]
        (live,) = unavailable_packages.sentences(A1, ["softmax"], {"In": ["", *run]})
        assert verdict == why == live.replace("[", "").replace("]", "")
        assert why in result.notices
        softmax = result.exercises[0]
        assert (softmax.points == 10) == (module == "hypothesis")
        if module == "einops":
            assert {test.message.got for test in softmax.tests} == {why}


def test_without_a_list_of_packages_nothing_is_said(tmp_path):
    found = collect([Cell(7, "code", "import einops\nsoftmax = einops")], ["softmax"])
    course = proofs.COURSE.model_copy()
    course._root = tmp_path
    assert not foreign_imports(course, A1, found, ["softmax"])
    (tmp_path / "requirements.txt").write_text("numpy>=1.26\n")
    assert foreign_imports(course, A1, found, ["softmax"])


@pytest.mark.parametrize("line", ["import numpy as np", "from numpy import exp as np"])
def test_a_name_that_a_broken_cell_would_import_has_its_reason(line):
    found = collect([Cell(1, "code", f"x = = 1\n{line}"), Cell(2, "code", "F = np")], ["F"])
    statements = [vars(statement) for statement in found.statements]
    job = {"statements": statements, "substitutes": [], "forbidden": []}
    _, unavailable, _ = load({**job, "unavailable": found.unavailable})
    assert unavailable["F"] == "cell 1, line 1 is not valid Python: invalid syntax"

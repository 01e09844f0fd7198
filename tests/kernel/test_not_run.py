"""What a student has and the grader has not is named: definitions that do not run, packages."""

import json

import proofs
import pytest
from world import A1
from world_tables import cases

from grader.checking import stale
from grader.notebook.collect import collect
from grader.notebook.foreign_imports import foreign_imports
from grader.notebook.notebook_file import Cell
from grader.seam.loading import load
from grader.student import check, work

F = "def softmax(x, axis=-1):\n    return x\n"


@cases("not_run")
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


@cases("packages")
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
        (live,) = stale.about_packages(A1, ["softmax"], {"In": ["", *run]})
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

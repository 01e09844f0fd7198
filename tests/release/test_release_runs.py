"""A release is accepted when its code has what it imports and its notebooks run."""

import itertools
import json
import re
from unittest import mock

import pytest
from sample_results import COURSE
from world_tables import cases

from grader.authoring.release import contents, imports, release, running
from grader.authoring.release.changes import ReleaseError
from grader.authoring.release.release import BrokenError
from grader.authoring.views import notebooks
from grader.cli.authoring import release_command

pytestmark = pytest.mark.long

MODULE = "from .b import helper\n\nLIMIT = 3\n\n\ndef mean(x):\n    return helper(x) / LIMIT\n"
NOTEBOOK = "assignments/a1/a1.ipynb"


def notebook(*cells):
    made = [notebooks.new_cell("code", f"c{n}", cell, {}) for n, cell in enumerate(cells, 1)]
    return notebooks.dump(notebooks.of_cells(made)).encode()


def tree(*cells, **files):
    """A release of a library, `lib`, and a notebook with these cells."""
    return {
        "requirements.txt": b"numpy>=1.26\nipykernel>=6\ntomli>=2; python_version < '3.11'\n",
        "lib/__init__.py": b"",
        "lib/a.py": MODULE.encode(),
        "lib/b.py": b"def helper(x):\n    return sum(x)\n",
        NOTEBOOK: notebook(*cells),
        **{path: text.encode() for path, text in files.items()},
    }


NEEDED = {  # code of a cell → what is said of it; "" if it works
    "from lib.a import mean, LIMIT": "",
    "from lib.a import mean, median": "imports median from lib.a, which does not have it",
    "def f():\n    from lib.a import median\n": "imports median from lib.a",
    "with open('x'):\n    import lib.c": "imports lib.c, which is not in this release",
    "from lib import c": "imports c from lib, which does not have it",
    "from lib import a, b\na.LIMIT, b.helper": "",
    "from lib import a\n\ndef f(x):\n    return a.median(x)": "uses a.median, which lib.a does not",
    "import lib.b as tools\ntools.help_out": "uses tools.help_out, which lib.b does not have",
    "import nowhere_to_be_had": "imports nowhere_to_be_had, which no package in requirements.txt",
    "import torch": "imports torch, which no package in requirements.txt provides",
    "try:\n    import nowhere_to_be_had\nexcept ImportError:\n    pass": "",
    "try:\n    import nowhere_to_be_had\nexcept ValueError:\n    pass": "imports nowhere_to_be_had",
    "import json, numpy as np\nfrom IPython.display import display": "",
    "import tomli": "",
    "raise NotImplementedError\nprint(median)": "uses the name median, which nothing defines",
    "def f():\n    return median": "uses the name median, which nothing defines",
    "def top(rows):\n    found = [r for r in rows]\n    return found": "",
    "def f():\n    global seen\n    seen = 1\n\nf()\nseen": "",
    "try:\n    1 / 0\nexcept ZeroDivisionError as error:\n    print(error)": "",
    "from lib.a import *\nLIMIT": "",
    "%matplotlib inline\n!ls\nfiles = !ls\nget_ipython(), files, _": "",
    "def f(:\n    pass": "line 1 is not valid Python",
}


@pytest.mark.parametrize("code", NEEDED)
def test_what_a_cell_needs_and_a_release_lacks_is_named(code):
    found = imports.faults(tree("x = 1", code))
    if not NEEDED[code]:
        assert found == []
        return
    [fault] = found
    assert str(fault).startswith(f"{NOTEBOOK}, cell 2: {NEEDED[code]}")


@cases("modules")
def test_modules_and_hidden_tests_have_what_they_import(path, text, told):
    files = tree("import lib.a", **{path: text, "apart/hidden/u.py": "x = 1\n"})
    found = [str(fault) for fault in imports.faults(files, "apart/")]
    assert bool(found) == bool(told)
    assert all(one.startswith(f"{path}: {told}") for one in found), found


RUN = {  # cells → what is said of a notebook; "" if it runs
    ("x = 1", "print(x)"): "",
    ("def f():\n    raise NotImplementedError('not yet')", "y = f()", "print(y)"): "",
    ("open('results/figures.json')",): "cell 1: fails with FileNotFoundError",
    ("def f():\n    raise NotImplementedError", "y = f()", "1 / 0"): "cell 3: fails with ZeroDiv",
    ("import importlib", "importlib.import_module('lib.gone')"): "cell 2: fails with ModuleNot",
    ("import math", "getattr(math, 'gone')", "z = 1"): "cell 2: fails with AttributeError",
    ("from pathlib import Path", "print(Path('../../lib/a.py').read_text())"): "",
    ("import os", "os._exit(3)"): "crashes its kernel",
}


def test_every_notebook_is_run_once_and_said_where_it_fails():
    own = {f"assignments/n{n}/n{n}.ipynb": notebook(*cells) for n, cells in enumerate(RUN)}
    copies = {name.replace("/n", "/starter/n"): data for name, data in own.items()}
    unread = {"solutions/n0.ipynb": notebook("1 / 0")}
    runs = running.run_all({"lib/__init__.py": b"", "lib/a.py": b"", **copies, **own, **unread})
    assert [run.notebook for run in runs] == sorted(own)
    for run, told in zip(runs, RUN.values(), strict=True):
        said = [str(fault) for fault in run.faults]
        assert len(said) == bool(told), said
        assert all(re.match(rf"{run.notebook}[,:] {told}", one) for one in said), said
    assert {run.until for run in runs} == {0}


def test_a_cell_that_trains_for_long_ends_the_run_of_its_notebook(monkeypatch):
    monkeypatch.setattr(running, "SECONDS", 15)
    [run] = running.run_all({NOTEBOOK: notebook("import time", "time.sleep(600)", "1 / 0")})
    assert (run.faults, run.until) == ([], 2)
    assert release_command._ran([running.Run("a.ipynb"), run]) == (
        "Everything released runs: 1 notebook from the first cell to the last; "
        f"{NOTEBOOK} up to cell 2, which took over {release_command.SECONDS} seconds"
    )


def test_a_release_that_does_not_work_is_not_written(tmp_path):
    with pytest.raises(BrokenError, match=r"cell 1: imports c from lib.*\nnothing was released"):
        release.check_imports(tree("from lib import c"))
    place = release._Place(tmp_path / "to", "", zip=True)
    place.finish(tree("1 / 0"), "Week 1", [])
    with pytest.raises(BrokenError, match=r"ZeroDivisionError: .*\nnothing was released") as error:
        place.write([running.Run("x", [imports.Fault("x", "fails with ZeroDivisionError: it")])])
    assert error.value.exit_code == 1
    assert not isinstance(error.value, ReleaseError)
    assert [*tmp_path.iterdir()] == []


# Every week and every set of answers that can be out in it.

STATES = [
    (week.number, answers)
    for week in COURSE.weeks
    for ids in [[a.id for a in COURSE.assignments if a.week <= week.number]]
    for size in range(len(ids) + 1)
    for answers in itertools.combinations(ids, size)
]
USUAL = [(4, ()), (4, ("a1", "a3")), (6, ("a1", "a2")), (7, ())]


def shown(state):
    week, answers = state
    return "-".join([f"week{week}", *answers])


@pytest.mark.parametrize("state", USUAL, ids=shown)
def test_the_code_of_a_release_has_what_it_imports(state):
    files = contents.of_week(COURSE, *state)
    assert imports.faults(files) == []
    out = [one for one in COURSE.assignments if one.week <= state[0]]
    assert {f"assignments/{one.id}/{one.id}.ipynb" for one in out} <= files.keys()
    if state[0] >= 6:
        assert "course_study/database/plan.py" in files, "5.5 queues its designs with it"


@pytest.mark.slow
@pytest.mark.parametrize("state", STATES, ids=shown)
def test_the_code_of_every_release_has_what_it_imports(state):
    assert imports.faults(contents.of_week(COURSE, *state)) == []


def test_self_study_has_what_it_imports():
    assert imports.faults(contents.opened(COURSE), f"{contents.AFTER}/") == []


def of_lectures(week, answers):
    """The lectures' notebooks of a release; all of them without a week."""
    pytest.importorskip("sphinx", reason="the extra `site` needs Python 3.11")
    from book import parts_shown, release_pages
    from book.notebooks import lecture_notebook
    from book.site_build import LECTURES

    until = release_pages.site_week(COURSE, week, answers) if week else release_pages.ALL_OUT
    parts = parts_shown.by_week(COURSE, week) if week else ()
    return {
        f"lectures/notebooks/{path.stem}.ipynb": notebooks.dump(
            lecture_notebook.build(COURSE, path, until)
        ).encode()
        for path in parts_shown.shown(LECTURES, parts)
    }


def run(week, answers, named=""):
    """Those notebooks of a release that do not run."""
    ids = [one.id for one in COURSE.notebooks]
    lectures = of_lectures(week, answers)
    with mock.patch.object(contents, "_lectures", return_value=lectures):
        files = (
            contents.of_week(COURSE, week, answers, lectures=True)
            if week
            else contents.opened(COURSE, lectures=True)
        )
    release.check_imports(files, contents.for_lectures(COURSE, files, ids))
    chosen = {n: d for n, d in files.items() if not n.endswith(".ipynb") or named in n}
    return [str(fault) for one in running.run_all(chosen) for fault in one.faults]


def test_an_assignment_runs_while_no_answer_is_out():
    assert run(2, (), "/a2.ipynb") == []


PREFIXES = [(w, a) for w, a in STATES if a == tuple(one.id for one in COURSE.assignments)[: len(a)]]


@pytest.mark.slow
@pytest.mark.parametrize("state", [*PREFIXES, (4, ("a1", "a3")), (0, ())], ids=shown)
def test_every_notebook_of_a_release_runs(state):
    assert run(*state) == []


@pytest.mark.slow
@pytest.mark.parametrize("answers", [(), ("a1", "a2"), ("a1", "a3")], ids="-".join)
def test_the_fifth_assignment_trains_its_study_whichever_answers_are_out(answers, monkeypatch):
    monkeypatch.setattr(running, "SECONDS", 900)
    files = contents.of_week(COURSE, 6, answers)
    written = notebooks.build(COURSE, COURSE.assignment("a5"), "solution")
    path = "assignments/a5/a5.ipynb"
    rest = {name: data for name, data in files.items() if not name.endswith(".ipynb")}
    [ran] = running.run_all({**rest, path: notebooks.dump(written).encode()})
    assert (ran.faults, ran.until) == ([], 0)


def test_a_stand_in_has_a_stub_of_what_it_cannot_stand_in_for():
    text = contents.of_week(COURSE, 4, [])["course_lib/attention.py"].decode()
    space = {}
    exec(text, space)
    with pytest.raises(NotImplementedError, match="merge_heads is not in this release yet"):
        space["merge_heads"](1)
    assert json.dumps(text).count("def split_heads") == 1

"""The first minutes of a student in JupyterLab, in a real browser: type, run, check, save."""

import contextlib
import json
import os
import subprocess
import sys
import time

import pytest
from setup_world import write_tree

from grader.checking import stale

pytestmark = pytest.mark.slow
pytest.importorskip("jupyterlab", reason="`pip install -e .[instructor]` brings it")

STUB = 'def softmax(x, axis=-1):\n    raise NotImplementedError("A1.1")'
ANSWER = """\
def softmax(x, axis=-1):
    x = np.asarray(x, dtype=float)
    e = np.exp(x - np.max(x, axis=axis, keepdims=True))
    return e / e.sum(axis=axis, keepdims=True)"""
WRONG = ANSWER.replace("return e", "return 2 * e")
SETUP = """\
from grader.student.notebook_home import begin
begin("a1", made_for="0.1.0")
import numpy as np
from grader.checking.notebook import check"""
SECONDS = 300  # for a server or a kernel to start on a busy machine


@pytest.fixture(scope="module")
def folder(course, tmp_path_factory):
    """A student's folder, and its notebook with a set-up cell, a stub and a check."""
    tree = write_tree(course, tmp_path_factory.mktemp("course") / "tree")
    sources = [SETUP, STUB, 'check("A1.1");']
    cells = [
        {"cell_type": "code", "id": f"c{n}", "source": source, "metadata": {}, "outputs": []}
        | {"execution_count": None}
        for n, source in enumerate(sources)
    ]
    about = {"kernelspec": {"name": "python3", "display_name": "Python 3"}}
    whole = {"cells": cells, "metadata": about, "nbformat": 4, "nbformat_minor": 5}
    (tree / "assignments/a1/a1.ipynb").write_text(json.dumps(whole), encoding="utf-8")
    return tree


@contextlib.contextmanager
def jupyterlab(folder, home):
    """The address of a server of its own, with none of this machine's settings."""
    places = {f"JUPYTER_{kind}_DIR": str(home / kind) for kind in ("CONFIG", "DATA", "RUNTIME")}
    command = [sys.executable, "-m", "jupyterlab", "--no-browser", "--ServerApp.port_retries=99"]
    command += [f"--ServerApp.root_dir={folder}", "--allow-root"]
    environment = {**os.environ, **places, "IPYTHONDIR": str(home / "ipython")}
    with (home / "log").open("w") as log:
        server = subprocess.Popen(command, env=environment, stdout=log, stderr=log)
    try:
        for _ in range(10 * SECONDS):
            if found := list((home / "RUNTIME").glob("jpserver-*.json")):
                break
            assert server.poll() is None, (home / "log").read_text()
            time.sleep(0.1)
        about = json.loads(found[0].read_text())
        yield f"{about['url']}lab/tree/assignments/a1/a1.ipynb?token={about['token']}"
    finally:
        server.terminate()
        server.wait(SECONDS)


@pytest.fixture(scope="module")
def page(folder, chromium, tmp_path_factory):
    with jupyterlab(folder, tmp_path_factory.mktemp("home")) as address:
        context = chromium.new_context(viewport={"width": 1280, "height": 1000})
        opened = context.new_page()
        opened.runs = 0
        opened.set_default_timeout(SECONDS * 1000)
        opened.goto(address)
        opened.locator(".jp-Notebook .jp-CodeCell").nth(2).wait_for()
        opened.locator(".jp-Notebook-ExecutionIndicator[data-status='idle']").wait_for()
        yield opened
        context.close()


def typed(page, number, source):
    """The cell with this number, in which the source was typed over what was there."""
    cell = page.locator(".jp-Notebook .jp-CodeCell").nth(number)
    cell.locator(".cm-content").click()
    if source is not None:
        page.keyboard.press("ControlOrMeta+a")
        page.keyboard.insert_text(source)
    return cell


def run(page, number, source=None):
    """Run a cell by its keys, after typing if there is a source; returns its output."""
    cell = typed(page, number, source)
    page.keyboard.press("Shift+Enter")
    page.runs += 1
    prompt = cell.locator(".jp-InputArea-prompt")
    prompt.filter(has_text=f"[{page.runs}]:").wait_for()  # it shows [*]: until then
    return cell.locator(".jp-OutputArea").inner_text()


def save(page, path, source=None):
    """Save by keys, after typing into the answer's cell if there is a source."""
    typed(page, 1, source)
    before = path.stat().st_mtime_ns
    page.keyboard.press("ControlOrMeta+s")
    for _ in range(10 * SECONDS):
        if path.stat().st_mtime_ns != before:
            return
        page.wait_for_timeout(100)
    raise AssertionError(f"{path.name} was not written")


def test_a_check_is_right_about_what_was_run_and_saved(page, folder):
    path = folder / "assignments/a1/a1.ipynb"
    absent, edited, broken = (
        (text[:1].upper() + text[1:]).format(name="softmax").replace("`", "")
        for text in (stale.ABSENT, stale.EDITED, stale.BROKEN)
    )
    run(page, 0)
    assert run(page, 2).strip().lower() == f"1.1 softmax: {absent}".lower()
    run(page, 1, ANSWER)
    right = run(page, 2)
    assert right.startswith("1.1 Softmax: 3 of 3 visible checks pass")
    assert STUB.partition("\n")[2].strip() in json.loads(path.read_text())["cells"][1]["source"]
    save(page, path)
    assert run(page, 2) == right
    save(page, path, WRONG)
    assert edited in run(page, 2)
    run(page, 1)
    wrong = run(page, 2)
    assert "3 of 3" not in wrong
    assert edited not in wrong
    save(page, path, ANSWER.replace("):", ")"))
    assert f"{broken} {stale.OLD}" in run(page, 2)
    run(page, 1, ANSWER)
    assert run(page, 2) == right


MATH = """\
from IPython.display import HTML, display
from grader.checking.card import Card
display(HTML("<p id='bare'>$x_1$ and $y$</p>"))
display(Card("1.1 $x_1$ and $y$", outdated=["Pay $5 for a and $6 for b.", "See \\\\(a\\\\)."]))"""


def test_dollars_in_a_message_are_no_formula(page):
    run(page, 0)
    run(page, 2, MATH)
    page.locator("#bare mjx-container").nth(1).wait_for()
    card = page.locator(".check-card")
    assert "$5 for a and $6" in card.inner_text()
    assert card.locator("mjx-container").count() == 0

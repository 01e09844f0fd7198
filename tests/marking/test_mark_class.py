"""A whole class marked in a browser by two, one of whom is killed in between: nothing is lost."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from contextlib import ExitStack

import pytest
from sample_results import COURSE

from bench.grader.marking import class_of
from grader.gradebook.store import Store

pytestmark = [
    pytest.mark.xdist_group("accessibility"),  # its browser is started once
    pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="no such signal here"),
]
A1 = COURSE.assignment("a1")
ITEMS = ("1.11.a", "1.11.b", "1.11.c")


@pytest.fixture
def served():
    """Starts `course mark`; its process, and the address it prints."""
    with ExitStack() as stack:

        def started(*arguments):
            command = [sys.executable, "-m", "grader.cli", "mark", *arguments, "--no-browser"]
            environment = {**os.environ, "PYTHONUNBUFFERED": "1"}
            process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment)
            stack.callback(process.stdout.close)
            stack.callback(process.wait)
            stack.callback(process.kill)
            return process, process.stdout.readline().split()[0]

        yield started


def marked(page, address):
    """Marks all that is left of a share by keys; yields how many answers each mark was for."""
    for item in ITEMS:
        page.goto(f"{address}a1/{item}")
        while page.locator("#give").count():
            together = page.locator("[name=seen]").count()
            page.keyboard.press("3")
            with page.expect_navigation():
                page.keyboard.press("Enter")
            yield together


@pytest.mark.parametrize("students", [12, pytest.param(300, marks=pytest.mark.slow)])
def test_two_mark_a_class_and_a_kill_between_loses_nothing(students, chromium, served, tmp_path):
    with Store(tmp_path / "results.db") as store:
        for result in class_of(COURSE, A1, students):
            store.add(result)
        pages = {name: chromium.new_page() for name in ("ben", "zoe")}
        shares = {"ben": (str(tmp_path), "--marker", "ben", "--with", "zoe")}
        shares["zoe"] = (str(tmp_path), "--marker", "zoe", "--with", "ben")
        killed, address = served(*shares["ben"])
        ben, zoe = marked(pages["ben"], address), marked(pages["zoe"], served(*shares["zoe"])[1])
        told = 0  # answers whose mark was followed by the next page
        while told < students:
            told += next(ben) + next(zoe)
        assert len(store.marks()) == told
        pages["ben"].keyboard.press("3")
        pages["ben"].keyboard.press("Enter")
        killed.kill()  # while the mark is on its way
        killed.wait()
        assert len(store.marks()) >= told
        told += sum(zoe)
        told += sum(marked(pages["ben"], served(*shares["ben"])[1]))
        kept = store.marks()
        for page in pages.values():
            page.close()
    assert len(kept) in (told, told + 1)
    assert len({one.item for one in kept}) == len(kept) == 3 * students, "each once"
    assert {one.mark.points for one in kept} == {3.0}
    assert {one.mark.marker for one in kept} == {"ben", "zoe"}
    assert all(one.mark.answer_sha256 for one in kept)

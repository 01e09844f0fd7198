"""What a check says when the kernel, the cells that were run and the saved file differ."""

import json
import os
import sys
import types

import pytest
from IPython.core.interactiveshell import InteractiveShell
from traitlets.config import Config

from grader.checking import notebook, stale
from grader.student import hand_in

NEW = "def softmax(x, axis=-1):\n    return 2 * x\n"
OLD = NEW.replace("2", "3")
OTHER = NEW.replace("2", "4")
STUB = 'def softmax(x, axis=-1):\n    raise NotImplementedError("A1.1")\n'
TYPO = NEW.replace("):", ")")
STOPPED = "missing\n" + NEW
ABSENT, BROKEN, FAILED, EDITED = stale.ABSENT, stale.BROKEN, stale.FAILED, stale.EDITED
BEFORE = f" {stale.OLD}"


class Session:
    """A notebook's kernel and file, driven by what its student does."""

    def __init__(self, shell, path):
        self.shell, self.path, self.saves = shell, path, 0

    def run(self, source):
        self.shell.run_cell(source, store_history=True)

    def save(self, *sources):
        """The file's time only ever grows, however coarse the clock of its disk is."""
        cells = [{"cell_type": "code", "source": source} for source in sources]
        self.path.write_text(json.dumps({"cells": cells}), encoding="utf-8")
        self.saves += 1
        os.utime(self.path, (self.saves, self.saves))

    def said(self, name="softmax"):
        return stale.sentences([name], self.shell.user_ns)

    def does(self, steps):
        """Each step is `run` or `save`, and the cells."""
        for action, *sources in steps:
            getattr(self, action)(*sources)


@pytest.fixture
def session(tmp_path, monkeypatch):
    """Jupyter's, with the set-up cell run."""
    main = types.ModuleType("__main__")
    monkeypatch.setitem(sys.modules, "__main__", main)
    monkeypatch.setattr(stale, "_runs", [])
    path = tmp_path / "a1.ipynb"
    monkeypatch.setenv("JPY_SESSION_NAME", str(path))
    config = Config({"HistoryManager": {"enabled": False}})
    shell = InteractiveShell.instance(user_module=main, config=config, colors="nocolor")
    made = Session(shell, path)
    made.save(STUB)
    stale.watch()
    yield made
    InteractiveShell.clear_instance()


RUN_NEW, SAVE_NEW = ("run", NEW), ("save", NEW)
STATES = {
    # Saved before the cell was run, as always while one types, runs and checks.
    "typed over the stub and run": ([RUN_NEW], None),
    "typed over yesterday's version and run": ([("save", OLD), RUN_NEW], None),
    "run all, then typed over the stub and run": ([("run", STUB), RUN_NEW], None),
    "run all, then typed over the stub and not run": ([("run", STUB)], None),
    "not run": ([], ABSENT),
    "not run, only another cell": ([("run", "softmaxed = 1")], ABSENT),
    "run under another name": ([("run", NEW.replace("softmax", "soft_max"))], ABSENT),
    "run with a typing mistake": ([("run", TYPO)], BROKEN),
    "run, then with a typing mistake": ([RUN_NEW, ("run", TYPO)], BROKEN + BEFORE),
    "repaired": ([("run", TYPO), RUN_NEW], None),
    "run, and stopped before it": ([("run", STOPPED)], FAILED),
    "run, then stopped before it": ([("run", OLD), ("run", STOPPED)], FAILED + BEFORE),
    # Saved after the cell was run.
    "saved": ([RUN_NEW, SAVE_NEW], None),
    "saved twice": ([RUN_NEW, SAVE_NEW, SAVE_NEW], None),
    "saved before it was run": ([SAVE_NEW, RUN_NEW], None),
    "edited and saved, but not run": ([("run", OLD), SAVE_NEW], EDITED),
    "the stub run, the answer only saved": ([("run", STUB), SAVE_NEW], EDITED),
    "edited, saved, run": ([("run", OLD), SAVE_NEW, RUN_NEW], None),
    "edited back to an earlier run": ([RUN_NEW, ("run", OLD), SAVE_NEW], EDITED),
    "saved, but not run": ([SAVE_NEW], ABSENT),
    "a typing mistake saved": ([RUN_NEW, ("save", TYPO)], BROKEN + BEFORE),
    "a typing mistake saved, nothing run": ([("save", TYPO)], BROKEN),
    "a typing mistake run and saved": ([RUN_NEW, ("run", TYPO), ("save", TYPO)], BROKEN + BEFORE),
    "a typing mistake run and undone": ([RUN_NEW, ("run", TYPO), SAVE_NEW], None),
    "stopped before it, and saved": ([("run", STOPPED), ("save", STOPPED)], FAILED),
    "renamed in the file": ([RUN_NEW, ("save", "x = 1")], None),
    # Several cells, and cells that are not only Python.
    "two versions, the first run last": ([("run", OLD), RUN_NEW, ("save", NEW, OLD)], None),
    "a broken trial below": ([RUN_NEW, ("save", NEW, TYPO)], None),
    "a comment is no edit": ([RUN_NEW, ("save", "# mine\n" + NEW)], None),
    "a magic above": ([("run", "%pwd\n" + NEW), ("save", "%pwd\n" + NEW)], None),
    "a magic inside": ([("run", f"{NEW}    %pwd\n")], None),
    "a whole cell under a magic": ([("run", "%%time\n" + NEW)], None),
    "edited under a magic": ([("run", OLD), ("save", "%pwd\n" + NEW)], EDITED),
    "a cell of a shell": ([RUN_NEW, ("save", NEW, "%%bash\ndef softmax")], None),
    "decorated": ([("run", f"import functools\n@functools.lru_cache\n{NEW}")], None),
    "imported": ([RUN_NEW, ("run", "from scipy.special import softmax")], None),
    "not a function": ([("run", "softmax = 3")], None),
}


@pytest.mark.parametrize(("steps", "expected"), STATES.values(), ids=STATES)
def test_a_sentence_only_where_the_check_tested_something_else(steps, expected, session, capsys):
    session.does(steps)
    assert session.said() == ([expected.format(name="softmax")] if expected else [])


CLASS = "class Encoder:\n    depth = 2\n    def forward(self, x):\n        return x\n"


@pytest.mark.parametrize(
    ("steps", "expected"),
    [
        ([("run", CLASS)], None),
        ([("run", CLASS), ("save", CLASS)], None),
        ([("run", CLASS), ("save", CLASS.replace("2", "3"))], EDITED),
        ([("run", CLASS), ("save", CLASS.replace("x\n", "x +\n"))], BROKEN + BEFORE),
        ([("save", CLASS)], ABSENT),
        ([("run", "class Encoder:\n    depth = 2"), ("save", CLASS)], None),  # nothing to compare
    ],
)
def test_a_class_is_known_by_its_methods(steps, expected, session, capsys):
    session.does(steps)
    assert session.said("Encoder") == ([expected.format(name="Encoder")] if expected else [])


@pytest.mark.parametrize("name", ["JPY_SESSION_NAME", "__vsc_ipynb_file__", ""])
@pytest.mark.parametrize(
    ("steps", "with_file", "without"),
    [
        ([("run", OLD), SAVE_NEW], EDITED, None),
        ([("run", OLD), ("run", TYPO)], BROKEN + BEFORE, BROKEN + BEFORE),
        ([], ABSENT, ABSENT),
        ([RUN_NEW], None, None),
    ],
)
def test_each_front_end_says_what_it_can_know(
    name, steps, with_file, without, session, monkeypatch, capsys
):
    """Jupyter and VS Code name the notebook's file, Colab names none."""
    if name != "JPY_SESSION_NAME":
        monkeypatch.delenv("JPY_SESSION_NAME")
        session.shell.user_ns |= {name: str(session.path)} if name else {}
    session.does(steps)
    expected = with_file if name else without
    assert session.said() == ([expected.format(name="softmax")] if expected else [])


def test_what_was_run_before_the_setup_cell_is_not_blamed(session, monkeypatch, capsys):
    monkeypatch.setattr(stale, "_runs", [])
    session.shell.events.callbacks["pre_run_cell"].clear()
    session.run(NEW)
    stale.watch()
    assert session.said() == []
    session.save(OLD)
    assert session.said() == [EDITED.format(name="softmax")]


def test_a_check_of_what_was_never_run_is_one_line(session, capsys):
    session.run("x = 1")
    capsys.readouterr()
    assert notebook.check("A1.1") == 0
    assert capsys.readouterr().out == f"1.1 Softmax: {ABSENT.format(name='softmax')}\n"
    assert notebook.check("A4.11", "is_final") is None
    assert capsys.readouterr().out.count("\n") == 1


def test_of_several_functions_the_missing_one_comes_first(session, capsys):
    session.run("def split_heads(x, n_heads):\n    return x\n")
    notebook.check("A2.2")
    first, second, *_ = capsys.readouterr().out.splitlines()
    assert first.endswith(ABSENT.format(name="merge_heads"))
    assert "visible checks pass" in second


@pytest.mark.parametrize(
    ("steps", "expected"),
    [
        ([RUN_NEW], ["softmax"]),
        ([RUN_NEW, SAVE_NEW], []),
        ([SAVE_NEW, RUN_NEW], []),
        ([RUN_NEW, ("save", OTHER)], []),  # the archive has the newest
        ([RUN_NEW, SAVE_NEW, ("run", OTHER)], ["softmax"]),
        ([], []),
    ],
)
def test_the_last_cell_says_what_was_not_saved(steps, expected, session, capsys, course):
    session.does(steps)
    assert stale.unsaved(["softmax"], session.shell.user_ns, session.path) == expected
    capsys.readouterr()
    hand_in._show_unsaved(course.assignment("a1"), session.path)
    assert ("not saved since you ran `softmax`" in capsys.readouterr().out) == bool(expected)

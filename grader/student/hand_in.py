"""The last cell of a notebook: `student submit`, and the way home for what it makes."""

import importlib
import json
import os
import shutil
import sys
from pathlib import Path
from typing import Any

from ..checking import stale
from ..course.assignment import Assignment
from ..course.course import Course
from ..course.problem import Problem
from . import archive, submit
from .notebook_home import RUNS
from .work import Work

ARCHIVE = "submission.zip"


def hand_in(assignment: str) -> Path | None:
    """Write the notebook and the files of `submission/` to `submission.zip`; returns its path.

    Prints what `student submit` does: what is in the archive, what was left out or is missing, and
    what the grader will find. On Colab the file is downloaded, on Kaggle a link is shown, elsewhere
    its path. With Google Drive (see `notebook_home.begin`), a copy is put there. A notebook that
    cannot be handed in gets one sentence, and the result is None.
    """
    chosen, target = Course.here().assignment(assignment), Path(ARCHIVE)
    try:
        if notebook := _notebook(Path(f"{assignment}.ipynb")):
            print("Packing and testing the archive: half a minute.")
            submit.run(chosen, notebook, target)
            _show_unsaved(chosen, notebook)
        else:
            _files_alone(chosen, target)
        _copied(assignment, target)
    except Problem as problem:
        print(f"Not packed: {problem}")
        return None
    _bring_home(target)
    return target


def _notebook(path: Path) -> Path | None:
    """The notebook's file, on Colab written from the browser; None where there is none."""
    if messages := _colab("_message"):  # the only way that Colab has
        answer = messages.blocking_request("get_ipynb", timeout_sec=60)
        if answer and "ipynb" in answer:
            path.write_text(json.dumps(answer["ipynb"], ensure_ascii=False), encoding="utf-8")
    return path if path.is_file() else None


def _show_unsaved(assignment: Assignment, notebook: Path) -> None:
    """Say which definitions the archive lacks because the notebook was not saved."""
    names = [name for exercise in assignment.exercises for name in exercise.names]
    if missing := stale.unsaved(names, vars(sys.modules["__main__"]), notebook):
        told = ", ".join(f"`{name}`" for name in missing)
        print(f"! {notebook} was not saved since you ran {told}: the archive has an older version.")
        print("  Save the notebook (Ctrl+S), then run this cell again.")


def _files_alone(assignment: Assignment, target: Path) -> None:
    """Pack the files of `submission/` where the notebook is out of reach. Raises Problem."""
    name = f"{assignment.id}.ipynb"
    packed = archive.without_notebook(Work(assignment, Path(name), b"", []))
    how = f"save it here under this name, or download it (File, Download) as {name}"
    if not packed.entries:
        raise Problem(f"{name} is not in this folder, nor are the other files to hand in: {how}")
    submit.write(target, packed)
    submit.show_contents(target, packed)
    print(f"  missing: {name}: {how}")
    submit.show_missing(assignment, packed.entries)
    print(f"Submit both. `student submit {assignment.id}` in a terminal tries them together.")


def _copied(assignment: str, target: Path) -> None:
    """Put a copy where trainings are kept, if that is set."""
    if not (kept := os.environ.get(RUNS)):
        return
    copy = Path(kept, f"{assignment}-{ARCHIVE}")
    try:
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(target, copy)
    except OSError as error:
        print(f"No copy is in {copy.parent} ({error.strerror})")
        return
    print(f"A copy is in {copy}")


def _bring_home(path: Path) -> None:
    """Download a file on Colab, show a link on Kaggle, and say where it is elsewhere."""
    if files := _colab("files"):
        files.download(str(path))
    elif "KAGGLE_KERNEL_RUN_TYPE" in os.environ:
        from IPython.display import FileLink, display

        display(FileLink(str(path)))
    else:
        print(f"The archive: {path.resolve()}")


def _colab(name: str) -> Any:
    """A module of `google.colab`, or None elsewhere."""
    try:
        return importlib.import_module(f"google.colab.{name}")
    except ImportError:
        return None

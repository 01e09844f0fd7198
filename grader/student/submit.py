"""`student submit`: makes the archive, tries it, and says what the grader will see."""

import os
import tempfile
import zipfile
from collections.abc import Collection
from dataclasses import replace
from pathlib import Path

from ..course.assignment import Assignment
from ..course.lab import Lab
from ..course.problem import Problem
from ..course.submission_folder import FOLDER
from . import archive, check, work
from .archive import Archive, size
from .work import Work


def run(assignment: Assignment, given: Path | None, to: Path | None) -> bool:
    """Write the archive and print the report; True if nothing is open or fails. Raises Problem."""
    if isinstance(assignment, Lab):
        raise Problem(
            f"{assignment.id} is a lab, and labs are not handed in: `student check "
            f"{assignment.id}` runs its checks"
        )
    target = _usable(to or Path(f"{assignment.id}.zip"))
    found = archive.read(assignment, given)
    packed = archive.pack(found)
    with tempfile.TemporaryDirectory() as folder:
        tried = _unpacked(packed, assignment, Path(folder))
        try:
            has_model = assignment.model is not None and not tried.missing_model_files
            done, problem = check.run_tests(tried, model=has_model), ""
        except Problem as error:
            done, problem = check.Run(), str(error).replace(str(tried.path), found.path.name)
    write(target, packed)
    show_contents(target, packed, len(found.cells))
    missing = show_missing(assignment, packed.entries)
    still = [f"files are missing: {', '.join(missing)}"] if missing else []
    still += archive.more_beside(found) + found.made_up_data
    open_ones = _unwritten(found)
    still += _definitions(found, open_ones)
    written = replace(done, tests=[t for t in done.tests if t.mark.exercise not in open_ones])
    if written.tests or problem:
        print("Trial run in a clean process:")
    if problem:
        print(f"  {problem}")
    check.show(assignment, written, "visible checks", only_failing=True)
    with_tests = [e.id for e in assignment.exercises if written.of(e.id)]
    failing = [id for id in with_tests if not written.passes(id)]
    if failing or problem:
        still.append(f"visible checks fail: {', '.join(failing) or 'none of them could be run'}")
    told = "\n".join(still)
    still += [why for why in found.collected.invalid if why not in told]
    still += _texts(found)
    for notice in found.notices:
        print(f"  ! {notice}")
    if still:
        print("Ready to submit. Still open:")
        print(*(f"  - {line}" for line in still), sep="\n")
    else:
        print("Nothing is open. Hand in this archive; hidden tests check more.")
    return not still


def _usable(target: Path) -> Path:
    """Raises Problem if the archive cannot or should not be written there."""
    if target.suffix.lower() != ".zip":
        raise Problem(f"{target}: the archive's name must end in .zip: choose one with --to")
    if target.is_dir():
        raise Problem(f"{target}: is a folder: name a file with --to")
    if not target.parent.is_dir():
        raise Problem(f"{target.parent}: there is no such folder: make it, or choose another")
    if target.exists() and not zipfile.is_zipfile(target):
        raise Problem(f"{target}: exists and is not a zip file: choose another name with --to")
    return target


def _unpacked(packed: Archive, assignment: Assignment, folder: Path) -> Work:
    """The archive's own files, read again from where nothing else is."""
    made = folder / "made.zip"
    made.write_bytes(packed.data)
    with zipfile.ZipFile(made) as zipped:
        zipped.extractall(folder / "unpacked")
    return work.read(assignment, folder / "unpacked" / f"{assignment.id}.ipynb")


def write(target: Path, packed: Archive) -> None:
    """Put the archive in its place at once. Raises Problem."""
    part = target.with_name(f"{target.name}.part")
    try:
        part.write_bytes(packed.data)
        os.replace(part, target)
    except OSError as error:
        part.unlink(missing_ok=True)
        raise Problem(f"{target}: cannot be written ({error.strerror})") from None


def show_contents(target: Path, packed: Archive, cells: int = 0) -> None:
    """Print what is in the archive, and what was left out; `cells`: of its notebook."""
    print(f"{target}, {size(len(packed.data))}, contains:")
    for name, count in packed.entries.items():
        counted = f", {cells} cells" if name.endswith(".ipynb") else ""
        print(f"  {name:<38} {size(count)}{counted}")
    for line in packed.left_out:
        print(f"  left out: {line}")


def show_missing(assignment: Assignment, entries: Collection[str]) -> list[str]:
    """Print which files of the assignment are not in the archive, and return their names."""
    missing = [name for name in assignment.files if f"{FOLDER}/{name}" not in entries]
    for name in missing:
        print(f"  missing: {FOLDER}/{name} (run the cells that write it)")
    return missing


def _unwritten(found: Work) -> list[str]:
    """The ids of the exercises of which nothing is written yet."""
    stubs = found.collected.unwritten
    return [e.id for e in found.assignment.exercises if e.names and {*e.names} <= {*stubs}]


def _definitions(found: Work, open_ones: Collection[str]) -> list[str]:
    """Print where each graded name is defined; returns what is open or wrong, each once."""
    print("What will be graded (of two definitions, the later; cells are counted from the top):")
    still = []
    for exercise in found.assignment.exercises:
        for name in exercise.names if exercise.id not in open_ones else ():
            state, is_wrong = _state(found, name)
            print(f"  {exercise.id:<5} {name}: {state}")
            if is_wrong and not exercise.bonus:
                still.append(f"{exercise.id} {name}: {state}")
    if len(open_ones) == sum(bool(e.names) for e in found.assignment.exercises):
        print("  no function yet")
    entry_points = found.assignment.model.entry_points if found.assignment.model else []
    for name in entry_points:
        state, is_wrong = _state(found, name)
        print(f"  model {name}: {state}")
        still += [f"model {name}: {state}"] if is_wrong else []
    required = [id for id in open_ones if not found.assignment.exercise(id).bonus]
    return [*([f"not written yet: {', '.join(required)}"] if required else []), *still]


def _state(found: Work, name: str) -> tuple[str, bool]:
    """The state of a name as the grader finds it, and whether something is wrong with it."""
    collected = found.collected
    if name in collected.unavailable:
        return f"cannot be loaded: {collected.unavailable[name]}", True
    if name in collected.unwritten:
        return "not written yet", True
    if name not in collected.defined_in:
        return "not found in the notebook", True
    if name in collected.refused:
        return f"refused: {collected.refused[name]}", True
    return f"cell {collected.defined_in[name]}", False


def _texts(found: Work) -> list[str]:
    """Print the written answers and predictions; returns what is open."""
    still = []
    if found.answers:
        print("Written answers (marked by hand):")
    limits = {f"{e.id}.{p.id}": p.words for e in found.assignment.exercises for p in e.parts}
    for part, answer in found.answers.items():
        count = len(answer.text.split())
        words = f", {count} word{'s' * (count != 1)}" if found.knows_starter else ""
        place = f", {answer.notice}" if answer.notice else ""
        print(f"  {part}: {f'answered{words}{place}' if answer.text else 'no answer'}")
        if found.knows_starter and count > limits[part]:
            still.append(f"{part} has {count} words; the limit is {limits[part]}")
    if found.unanswered:
        still.append(f"unanswered: {', '.join(found.unanswered)}")
    if found.open_predictions:
        still.append(f"predictions not filled in: {found.open_predictions}")
    return still

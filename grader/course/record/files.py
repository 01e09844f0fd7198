"""The records of exercises: an `exercise.toml` each, in the folder of its hidden tests.

The folder's name is the exercise's id, `exercise_1_4`. What is exported to students has no such
folders: there `exercises.json` beside `course.toml` says of exercises what students may know.
"""

import json
import re
from pathlib import Path
from typing import Any

from .. import course_file
from ..course_file import CourseError, Places, shown

FILE, EXPORTED = "exercise.toml", "exercises.json"
FOLDERS = "exercise_*"
LABS = "labs"  # the table of course.toml, and the folder among the hidden ones
Data = dict[str, Any]


def of_course(hidden: Path) -> list[Path]:
    """The records of all assignments, labs and the exam."""
    return sorted(
        path for kind in ("*", f"{LABS}/*") for path in hidden.glob(f"{kind}/{FOLDERS}/{FILE}")
    )


def put_into(data: Data, file: Path) -> Places:
    """Give the tables of a `file`, course.toml, their exercises; where each file belongs."""
    found: Places = {}
    facts = data.get("course")
    hidden = file.parent / str(facts.get("hidden") if isinstance(facts, dict) else "")
    for kind, above in (("assignments", hidden), (LABS, hidden / LABS)):
        tables = data.get(kind)
        for number, table in enumerate(tables if isinstance(tables, list) else ()):
            if isinstance(table, dict):
                found |= of_table(table, above, file, kind, number)
    return found


def of_table(table: Data, above: Path, file: Path, *place: str | int) -> Places:
    """Give an assignment's table, at a place of a file, its exercises; where each file belongs.

    They are in order of number, or in that of a list `exercises` in the table. `above` is where the
    hidden folders of assignments are. Raises CourseError.
    """
    id, order, at = str(table.get("id")), table.get("exercises", []), (*place, "exercises")
    if not isinstance(order, list) or any(not isinstance(one, str) for one in order):
        raise CourseError(
            f"{course_file.place_in(file, *at)}: `exercises` is a list of ids, for their order: "
            f"write each exercise in {shown(above / id)}/exercise_N_M/{FILE}"
        )
    paths = sorted((above / id).glob(f"{FOLDERS}/{FILE}"), key=lambda path: _numbers(path.parent))
    if not paths:
        exported = file.with_name(EXPORTED)
        table["exercises"] = _exported(exported).get(id, []) if exported.is_file() else []
        return {at: exported} if exported.is_file() else {}
    named = {id_of(path.parent): path for path in paths}
    if order and (wrong := sorted({*order} ^ {*named})):
        raise CourseError(
            f"{course_file.place_in(file, *at)}: `exercises` of {id} and its folders differ in "
            f"{', '.join(wrong)}: correct the list"
        )
    paths = [named[own] for own in order or named]
    table["exercises"] = [_read(path) for path in paths]
    return {(*at, number): path for number, path in enumerate(paths)}


def id_of(folder: Path) -> str:
    """The exercise that a folder is of: exercise_1_4 → "1.4"."""
    return folder.name.removeprefix("exercise_").replace("_", ".")


def _read(path: Path) -> Data:
    record = course_file.data_of(path)
    if "id" in record:
        raise CourseError(
            f"{course_file.place_in(path, 'id')}: the folder's name is the exercise's id: "
            "remove the key 'id'"
        )
    return {"id": id_of(path.parent)} | record


def _numbers(folder: Path) -> list[int]:
    return [int(number) for number in re.findall(r"\d+", folder.name)]


def _exported(path: Path) -> Data:
    found: Data = json.loads(path.read_text(encoding="utf-8"))
    return found

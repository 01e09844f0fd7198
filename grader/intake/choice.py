"""Chooses which of a student's notebooks for one assignment counts, and says why.

A notebook in which nothing is written never counts against one with work in it. Else the name that
was asked for, `a1.ipynb`, overrides folders, dates and the alphabet: README, the starter,
`student submit` and nbgrader all ask for it, and copies beside it are made by accident.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import Protocol

from grader.notebook import notebook_file
from grader.notebook.notebook_file import Cell, InvalidNotebook

from ..classroom.roster import abridged
from ..course.visible import visible_name
from .notebook_paths import Place

LOOKED_AT = 8  # notebooks of one student and assignment that are read to choose one
NAMED = 5  # students whom a message names
Begun = Callable[[str, list[Cell]], bool]  # whether anything of an assignment is written in cells
_REASONS = (
    "because it can be read",
    "because nothing is written in {other}",
    "because it has the required name",
    "because its path names the assignment most clearly",
    "because it is in fewer folders",
    "because it is the last upload to Canvas",
    "because it is the newest",
    "by its name, as the next is equally new",
)


def unknown(assignment: str, cells: list[Cell]) -> bool:
    """Where nobody knows the assignments, every notebook has work in it."""
    return True


def has_text(assignment: str, cells: list[Cell]) -> bool:
    """Whether there is anything in a notebook, as there is not in a new one of Jupyter's."""
    return any(cell.source.strip() for cell in cells)


def looked_at(place: Place, assignment: str, data: bytes, is_begun: Begun) -> Place:
    """The place with what its notebook shows: a problem with it, or that nothing is written."""
    try:
        cells = notebook_file.read(data)
    except InvalidNotebook as error:
        return replace(place, problem=str(error))
    return replace(place, empty=not is_begun(assignment, cells))


def reason(first: Place, second: Place) -> str:
    """Why the first of two counts: the first field in which their orders differ."""
    pairs = zip(_REASONS, first.order, second.order, strict=True)
    why = next((why for why, a, b in pairs if a != b), _REASONS[-1])
    return why.format(other=f"`{second.name}`")


def notice(first: Place, left: Sequence[Place]) -> str:
    """Which notebook counts and which do not, each with its problem if it has one."""
    names = [f"`{one.name}`{f' ({one.problem})' if one.problem else ''}" for one in left]
    return (
        f"handed in more than once: `{first.name}` counts, {reason(first, left[0])}; ignored: "
        f"{abridged(names, LOOKED_AT)}"
    )


class Chosen(Protocol):
    """A submission, with its place and that of the next notebook over which it counts."""

    @property
    def student(self) -> str: ...
    @property
    def assignment(self) -> str: ...
    @property
    def place(self) -> Place | None: ...
    @property
    def over(self) -> Place | None: ...


def notices(chosen: Iterable[Chosen]) -> list[str]:
    """Notices for the instructor about students who handed in several notebooks."""
    sentences, by_assignment = list[str](), dict[str, list[str]]()
    for one in chosen:
        first, second = one.place, one.over
        if first and second:
            by_assignment.setdefault(one.assignment, []).append(one.student)
            if second.empty and not first.empty and second.asked < first.asked:
                sentences.append(
                    f"{one.student}: nothing is written in {second.name}, which has the required "
                    f"name, so {first.name} counts"
                )
    counts = [
        f"{len(names)} student{'s' * (len(names) > 1)} handed in several notebooks for {id} "
        f"({abridged(names, NAMED)}); the report names the one that counts"
        for id, names in sorted(by_assignment.items())
    ]
    return [*counts, *map(visible_name, sentences)]

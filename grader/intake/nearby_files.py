"""Reads the files around a notebook: the files handed in with it, and what is left out."""

from pathlib import Path

from . import archives, handed_in, notebook_paths, plain_files
from .handed_in import HandedIn
from .notebook_paths import Place

# Files by which a submission might try to change how it is graded; none of them is ever used.
IGNORED_TRICKS = frozenset(
    "conftest.py pytest.ini tox.ini setup.cfg pyproject.toml sitecustomize.py usercustomize.py "
    "numpy.py torch.py random.py gradebook.db".split()
)


def files(place: Place) -> HandedIn:
    """The files handed in with the notebook; see `_folders`."""
    if place.entry:
        names = [entry.name for entry in archives.entries(place.path)]
        return handed_in.inside(place.path, names, place.entry)
    return handed_in.find(*_folders(place))


def _folders(place: Place) -> list[Path]:
    """The notebook's folder and, if it is in an unusual one, those above up to the student's."""
    if "/" not in place.name:
        return []
    above = [place.path.parent, *place.path.parent.parents]
    return above[:1] if place.usual else above[: place.depth + 1]


def notices(place: Place) -> list[str]:
    """Notices for the student about the notebook's place and about skipped files."""
    if place.entry:
        found = archives.entries(place.path)
        names = {plain_files.in_zip(entry.name).name for entry in found}
    else:
        names = {
            path.name for folder in _folders(place)[:1] for path in notebook_paths.walk(folder)[0]
        }
    notices = [f"`{n}` was also submitted; it is not used" for n in sorted(names & IGNORED_TRICKS)]
    for folder in _folders(place):
        notices += [f"`{name}` {why}; it is not used" for name, why in handed_in.refused(folder)]
    id = place.assignment or "a1"
    if not place.file.lower().endswith(notebook_paths.NOTEBOOK):
        notices.append(f"`{place.name}` was read as a notebook; its name should end in .ipynb")
    if not place.usual:
        notices.append(
            f"the notebook was found in `{place.name}` and is graded from there; "
            f"it belongs in {id}/{id}.ipynb"
        )
    return notices

"""The lectures as a release holds them: the built site, to be opened from the disk."""

from collections.abc import Collection
from importlib.util import find_spec
from pathlib import Path

from grader.course.course import Course
from grader.course.problem import Problem
from grader.library import student_tree

FOLDER = Path(".course/site")  # below the course's root: what need not be made again
NOT_NEEDED = ("jupyter_execute", "_sources", ".doctrees", "objects.inv", "locales")  # to read pages
ALL_OUT = 52  # a week in which every answer is out
PACKAGES = ("sphinx", "myst_nb", "sphinx_book_theme", "sphinx_design", "sphinx_revealjs")


class NoSiteError(Problem):
    """The packages that build the site are not installed."""

    exit_code = 2


def check_packages() -> None:
    """Raise NoSiteError, with what to do, if a package is missing."""
    if missing := [name for name in PACKAGES if find_spec(name) is None]:
        raise NoSiteError(
            f"the site needs {', '.join(missing)}, which is not installed here: run "
            "`pip install -e .[site]` (Python 3.11 or newer)"
        )


def files(course: Course, week: int | None, answers: Collection[str]) -> dict[str, bytes]:
    """The site of a week: what it has lectured on by then, and no answer but those of `answers`.

    Without a week it is all of it. Instructors' pages are in neither. Raises NoSiteError and
    SiteError.
    """
    check_packages()
    from . import parts_shown, site_build

    place = course.root / FOLDER
    shown = ALL_OUT if week is None else site_week(course, week, answers)
    parts = () if week is None else parts_shown.by_week(course, week)
    site = place / f"released-{week or 'all'}-{shown}"  # a folder holds nothing of another week
    site_build.build(site, place, shown, lambda _: None, parts)
    return read(site)


def site_week(course: Course, week: int, answers: Collection[str]) -> int:
    """The last week up to this one whose site shows none but these answers."""
    fits = [
        number
        for number in range(1, week + 1)
        if set(student_tree.released_in_week(course, number)) <= set(answers)
    ]
    return max(fits, default=1)


def read(site: Path) -> dict[str, bytes]:
    """The files of a built site that its pages use."""
    return {
        path.relative_to(site).as_posix(): path.read_bytes()
        for path in sorted(site.rglob("*"))
        if path.is_file()
        and path.suffix != ".map"  # for who debugs a script
        and not set(path.relative_to(site).parts) & set(NOT_NEEDED)
    }

"""A site of some parts alone, as a release of a week has it: no page of it leads to a later one."""

import re
from collections.abc import Collection
from pathlib import Path
from typing import Any

from docutils import nodes
from sphinx.addnodes import pending_xref
from sphinx.application import Sphinx
from sphinx.config import Config
from sphinx.environment import BuildEnvironment

from book import DECKS
from grader.course.course import Course

from .notebooks.lecture_notebook import FOLDER as NOTEBOOKS
from .weeks import lectures

PARTS = "course_parts"  # of the site's configuration: numbers, "1,2,4"; "": all


def by_week(course: Course, week: int) -> list[int]:
    """The parts of which something is taught up to a week: each is shown whole."""
    return sorted({n for one in course.weeks if one.number <= week for n in one.parts})


def setting(parts: Collection[int]) -> str:
    """The value of `PARTS` for these parts; none means all."""
    return ",".join(map(str, sorted(parts)))


def shown(folder: Path, parts: Collection[int]) -> list[Path]:
    """Those of the lectures in a folder that are of these parts; none means all."""
    return [path for path in lectures(folder) if not parts or _number(path) in parts]


def _number(lecture: Path) -> int:
    return int(lecture.stem[4:].partition("_")[0])


def _later(app: Sphinx, config: Config) -> list[Path]:
    """The lectures that this site does not show."""
    folder = Path(app.srcdir)
    parts = [int(number) for number in config[PARTS].split(",") if number]
    return [path for path in lectures(folder) if path not in shown(folder, parts)]


def _leave_out(app: Sphinx, config: Config) -> None:
    """The pages of later parts, and their quizzes, are not read."""
    if later := _later(app, config):
        config.exclude_patterns = [
            *config.exclude_patterns,
            *(f"{page}.*" for page in _pages(later)),
        ]
        config.suppress_warnings = [*config.suppress_warnings, "toc.excluded"]


def _pages(later: list[Path]) -> list[str]:
    """Their pages, by name: each part's own and its quiz's."""
    return [page for path in later for page in (path.stem, f"quiz_part{_number(path)}")]


def _as_text(
    app: Sphinx, environment: BuildEnvironment, node: pending_xref, content: nodes.Element
) -> nodes.Element | None:
    """A reference to a page that is not shown is its text."""
    is_page = node.get("reftype") == "doc"
    target = str(node.get("reftarget", "")).strip("/")
    return content if is_page and target in _pages(_later(app, app.config)) else None


def _unlinked(
    app: Sphinx, page: str, template: str, context: dict[str, Any], tree: nodes.document | None
) -> None:
    """Replaces links to it in HTML by their text."""
    pages = "|".join(_pages(_later(app, app.config)))
    if pages and "body" in context:
        file = rf"(?:{DECKS}/)?(?:{pages})\.html|{NOTEBOOKS}/(?:{pages})\.ipynb"
        address = rf'(?:\.\./)*(?:{file})(?:[?#][^"]*)?'
        link = re.compile(rf'<a\b[^>]*\bhref="{address}"[^>]*>(.*?)</a>', re.S)
        context["body"] = link.sub(r"\1", context["body"])


def setup(app: Sphinx) -> None:
    """Register what a site of some parts needs."""
    app.add_config_value(PARTS, "", "env", types=[str])
    app.connect("config-inited", _leave_out)
    app.connect("missing-reference", _as_text)
    app.connect("html-page-context", _unlinked)

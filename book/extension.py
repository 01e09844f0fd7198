"""The Sphinx extension that `lectures/conf.py` loads."""

from typing import Any

from sphinx.application import Sphinx

from . import (
    activities,
    cross_references,
    parts_shown,
    quiz,
    quotations,
    steps,
    timetable,
    week_map,
)
from .audit import audit_page
from .code_explorer import page as code_explorer
from .decks import first_slide, slides
from .live import live_page
from .movable import directive as movable
from .notebooks import other_forms
from .quizzes import code_questions_page
from .screen import (
    cells,
    descriptions,
    equations,
    inline_code,
    page_files,
    pictures,
    symbols,
)

PARTS = (
    quotations,
    parts_shown,
    cross_references,
    audit_page,
    activities,
    timetable,
    live_page,
    slides,
    first_slide,
    quiz,
    code_questions_page,
    steps,
    week_map,
    other_forms,
    cells,
    descriptions,
    equations,
    inline_code,
    pictures,
    symbols,
    code_explorer,
    movable,
)


def setup(app: Sphinx) -> dict[str, Any]:
    """Register all directives of the lectures."""
    for part in (*PARTS, page_files):
        part.setup(app)
    return {"parallel_read_safe": True, "parallel_write_safe": True}

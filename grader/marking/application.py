"""The web application of one marker: which address leads to which page or act."""

from __future__ import annotations

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.routing import Route

from ..gradebook.database.errors import GradebookError
from .acts import Acts, posted
from .desk import Desk
from .marker import Marker
from .pages import Pages, asset

QUESTION = "/{assignment}/{item}"
CARD = f"{QUESTION}/{{key}}"


def application(desk: Desk, marker: Marker) -> Starlette:
    pages = Pages(desk, marker)
    acts = Acts(desk, marker, pages)
    return Starlette(
        routes=[
            Route("/", pages.overview),
            Route("/undo", posted(acts.undo), methods=["POST"]),
            Route("/asset/{name}", asset),
            Route("/figure/{assignment}/{item}/{key}/{name:path}", pages.figure),
            Route(QUESTION, pages.question),
            Route(CARD, pages.card, methods=["GET"]),
            Route(CARD, posted(acts.mark), methods=["POST"]),
            Route(f"{CARD}/ask", posted(acts.ask), methods=["POST"]),
            Route(f"{CARD}/here", pages.here),
        ],
        exception_handlers={HTTPException: pages.problem, GradebookError: pages.problem},
    )

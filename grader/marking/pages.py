"""The pages of `course mark`: what each shows.

Every page has an address of its own and every mark is a form, so that the browser's back button,
a second window and a screen reader work as anywhere; the script only adds keys.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, Response

from . import entries, views
from .addresses import Addresses, query
from .desk import Desk, Part
from .entries import Card, ChangedAnswer, Marker
from .figures import notebook_of
from .mark_form import MarkForm

TEMPLATES = Path(__file__).parent / "templates"
ASSETS = {"style.css": "text/css", "keys.js": "text/javascript", "icon.svg": "image/svg+xml"}


class Pages:
    """The pages of one marker."""

    def __init__(self, desk: Desk, marker: Marker):
        self._desk, self._marker, self._at = desk, marker, Addresses(desk, marker)
        self._templates = Environment(
            loader=FileSystemLoader(TEMPLATES),
            autoescape=True,
            undefined=StrictUndefined,
            trim_blocks=True,
            lstrip_blocks=True,
        )

    def overview(self, request: Request) -> Response:
        return self._page(request, "overview.html", views.overview(self._desk, self._marker))

    def question(self, request: Request) -> Response:
        """Leads to the first card that the filters show."""
        part = self._at.part(request)
        found = self._desk.cards(part.assignment, part.item)
        first = next(filter(self._at.wanted(request, part), found), None)
        if first is None:
            last = views.last(self._desk, self._marker)
            content = {"part": part, "wanted": self._at.kept(request), "last": last}
            content["following"] = self._following(request, part)
            content["questioned"] = views.questioned(self._desk, self._marker, part)
            return self._page(request, "nothing.html", content)
        return self._at.to(request, part, first)

    def _following(self, request: Request, part: Part) -> Part | None:
        """The next question, around at the end, with a card that the filters show."""
        parts = self._desk.parts()
        at = parts.index(part)
        for other in [*parts[at + 1 :], *parts[:at]]:
            cards = self._desk.cards(other.assignment, other.item)
            if any(map(self._at.wanted(request, other), cards)):
                return other
        return None

    def card(self, request: Request) -> Response:
        return self.shown(request, *self._at.chosen(request))

    def shown(
        self, request: Request, part: Part, card: Card, problem: str = "", status: int = 200
    ) -> Response:
        """A card, with what could not be done, if anything."""
        found, wanted = self._desk.cards(part.assignment, part.item), self._at.wanted(request, part)
        around = {
            name: self._at.of(request, part, entries.neighbor(found, wanted, card, step))
            for name, step in (("next", 1), ("previous", -1))
        }
        content = views.card(self._desk, self._marker, part, card, self._at.kept(request))
        others = self._desk.open(card.place, self._marker.name)
        content |= {"around": around, "others": others, "problem": problem}
        content |= {"last": views.last(self._desk, self._marker)}
        return self._page(request, "card.html", content, status)

    def conflict(
        self, request: Request, part: Part, given: MarkForm, meanwhile: Sequence[ChangedAnswer]
    ) -> Response:
        """Both marks where something has changed, and a way to choose."""
        content = views.conflict(self._desk, self._marker, given.mark, meanwhile)
        kept = [entry for entry, *_ in given.seen]
        content |= {"part": part, "seen": [views.seen(e) for e in kept], "key": kept[0].key}
        return self._page(request, "conflict.html", content, 409)

    def here(self, request: Request) -> Response:
        """The answer to a page's regular poll: who else is here, and whether anything changed."""
        _, card = self._at.chosen(request)
        mark = card.first.answer.mark
        by = f"{mark.marker or 'somebody'}: {views.points(mark.points)}" if mark else "no mark"
        others = self._desk.open(card.place, self._marker.name)
        return JSONResponse({"others": others, "version": card.first.answer.version, "mark": by})

    def figure(self, request: Request) -> Response:
        part, card = self._at.chosen(request)
        result = self._desk.result(part.assignment, card.first.answer.students[0])
        notebook = result and notebook_of(result, self._desk.course.assignment(part.assignment))
        found = notebook and notebook.figure(part.item, request.path_params["name"])
        if not found:
            raise HTTPException(404, "This figure is not where the notebook was graded.")
        kind, data = found
        return Response(data, media_type=kind, headers={"Content-Security-Policy": "sandbox"})

    def problem(self, request: Request, error: Exception) -> Response:
        """A page that says why something cannot be shown or stored; earlier marks are safe."""
        text, status = str(error), 503
        if isinstance(error, HTTPException):
            text, status = error.detail, error.status_code
        return self._page(request, "problem.html", {"problem": text}, status)

    def _page(
        self, request: Request, template: str, content: Mapping[str, Any], status: int = 200
    ) -> Response:
        marker, base = self._marker, request.scope["root_path"]
        facts = {"base": base, "marker": marker, "course": self._desk.course}
        facts |= {"query": query(self._at.kept(request))}
        page = self._templates.get_template(template)
        return HTMLResponse(page.render(**facts, **content), status)


def asset(request: Request) -> Response:
    """Our style sheet, script and icon."""
    name = request.path_params["name"]
    if name not in ASSETS:
        raise HTTPException(404, "There is no such file.")
    return Response((TEMPLATES / name).read_bytes(), media_type=ASSETS[name])

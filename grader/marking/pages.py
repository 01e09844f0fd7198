"""The pages of `course mark`: addresses, and what each shows or does.

Every page has an address of its own and every mark is a form, so that the browser's back button,
a second window and a screen reader work as anywhere; the script only adds keys.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlencode

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, RedirectResponse, Response
from starlette.routing import Route

from ..gradebook.database.errors import GradebookError
from ..gradebook.marking import NotMarked
from . import entries, views
from .desk import Desk, Part
from .entries import FILTERS, Card
from .figures import figure
from .given import MAX_FORM, Form, Given, Refused
from .marker import Marker

TEMPLATES = Path(__file__).parent / "templates"
ASSETS = {"style.css": "text/css", "keys.js": "text/javascript", "icon.svg": "image/svg+xml"}


class Pages:
    """The pages of one marker."""

    def __init__(self, desk: Desk, marker: Marker):
        self.desk, self.marker = desk, marker
        self._templates = Environment(
            loader=FileSystemLoader(TEMPLATES),
            autoescape=True,
            undefined=StrictUndefined,
            trim_blocks=True,
            lstrip_blocks=True,
        )

    def app(self) -> Starlette:
        question = "/{assignment}/{item}"
        return Starlette(
            routes=[
                Route("/", self.overview),
                Route("/undo", self._posted(self.undo), methods=["POST"]),
                Route("/asset/{name}", self.asset),
                Route("/figure/{assignment}/{item}/{key}/{name:path}", self.figure),
                Route(question, self.question),
                Route(f"{question}/{{key}}", self.card, methods=["GET"]),
                Route(f"{question}/{{key}}", self._posted(self.mark), methods=["POST"]),
                Route(f"{question}/{{key}}/ask", self._posted(self.ask), methods=["POST"]),
                Route(f"{question}/{{key}}/here", self.here),
            ],
            exception_handlers={HTTPException: self.problem, GradebookError: self.problem},
        )

    def overview(self, request: Request) -> Response:
        return self._page(request, "overview.html", views.overview(self.desk, self.marker))

    def question(self, request: Request) -> Response:
        """Leads to the first card that the filters show."""
        part = self._part(request)
        wanted = self._wanted(request, part)
        found = self.desk.cards(part.assignment, part.item)
        first = next(filter(wanted, found), None)
        if first is None:
            return self._page(
                request, "nothing.html", {"part": part, "wanted": self._kept(request)}
            )
        return self._to(request, part, first)

    def card(self, request: Request) -> Response:
        part, shown = self._chosen(request)
        return self._card(request, part, shown)

    def mark(self, request: Request, form: Form) -> Response:
        """Store a mark and lead to the next card; if something has changed, show both."""
        part, shown = self._chosen(request)
        try:
            given = Given.of(form, part, self.desk, self.marker)
            if meanwhile := given.meanwhile:
                return self._conflict(request, part, given, meanwhile)
            given.store(self.desk, self.marker)
        except Refused as problem:
            return self._card(request, part, shown, str(problem), 422)
        except NotMarked:  # between the check above and the store
            again = Given.of(form, part, self.desk, self.marker)
            return self._conflict(request, part, again, again.meanwhile)
        found = self.desk.cards(part.assignment, part.item)
        current = entries.card_of(found, given.seen[0][0].key) or found[0]
        after = entries.neighbor(found, self._wanted(request, part), current, rest_first=True)
        return self._to(request, part, after)

    def undo(self, request: Request, form: Form) -> Response:
        """Take back the last mark given here, and lead to its card."""
        if not self.marker.done:
            return RedirectResponse(f"{request.scope['root_path']}/", 303)
        last = self.marker.done.pop()
        part = self._named(last.assignment, last.item)
        problem = ""
        for entry, version in last.entries:
            try:
                self.desk.take_back(entry, self.marker.name, version)
            except NotMarked:
                problem = "not taken back where somebody else has marked since"
        shown = self._card_of(part, last.entries[0][0].key)
        if problem:
            return self._card(request, part, shown, problem, 409)
        return self._to(request, part, shown)

    def ask(self, request: Request, form: Form) -> Response:
        """Put a card in question, or settle it."""
        part, shown = self._chosen(request)
        self.desk.ask(shown, self.marker.name)
        return self._to(request, part, self._card_of(part, shown.first.key))

    def here(self, request: Request) -> Response:
        """What the page asks every few seconds: who else is here, and whether anything changed."""
        part, shown = self._chosen(request)
        others = self.desk.open(shown.place, self.marker.name)
        mark = shown.first.answer.mark
        by = f"{mark.marker or 'somebody'}: {views.points(mark.points)}" if mark else "no mark"
        return JSONResponse({"others": others, "version": shown.first.answer.version, "mark": by})

    def figure(self, request: Request) -> Response:
        part, shown = self._chosen(request)
        result = self.desk.result(part.assignment, shown.first.answer.students[0])
        found = result and figure(result, part.item, request.path_params["name"])
        if not found:
            raise HTTPException(404, "This figure is not where the notebook was graded.")
        return Response(found[1], media_type=found[0])

    def problem(self, request: Request, error: Exception) -> Response:
        """What cannot be shown or stored, in a sentence; what was stored before is safe."""
        text, status = str(error), 503
        if isinstance(error, HTTPException):
            text, status = error.detail, error.status_code
        return self._page(request, "problem.html", {"problem": text}, status)

    def asset(self, request: Request) -> Response:
        name = request.path_params["name"]
        if name not in ASSETS:
            raise HTTPException(404)
        return Response((TEMPLATES / name).read_bytes(), media_type=ASSETS[name])

    def _card(
        self, request: Request, part: Part, shown: Card, problem: str = "", status: int = 200
    ) -> Response:
        found, wanted = self.desk.cards(part.assignment, part.item), self._wanted(request, part)
        around = {
            name: self._address(request, part, entries.neighbor(found, wanted, shown, step))
            for name, step in (("next", 1), ("previous", -1))
        }
        content = views.card(self.desk, self.marker, part, shown, self._kept(request))
        others = self.desk.open(shown.place, self.marker.name)
        content |= {"around": around, "others": others, "problem": problem}
        return self._page(request, "card.html", content, status)

    def _conflict(
        self, request: Request, part: Part, given: Given, meanwhile: list[Any]
    ) -> Response:
        content = views.conflict(self.desk, self.marker, given.mark, meanwhile)
        kept = [entry for entry, *_ in given.seen]
        content |= {"part": part, "seen": [views.seen(e) for e in kept], "key": kept[0].key}
        return self._page(request, "conflict.html", content, 409)

    def _page(
        self, request: Request, template: str, content: Mapping[str, Any], status: int = 200
    ) -> Response:
        marker, base = self.marker, request.scope["root_path"]
        last = marker.done[-1].sentence if marker.done else ""
        facts = {"base": base, "marker": marker, "last": last, "course": self.desk.course}
        facts |= {"query": _query(self._kept(request))}
        page = self._templates.get_template(template)
        return HTMLResponse(page.render(**facts, **content), status)

    def _posted(self, act: Callable[[Request, Form], Response]) -> Callable[..., Any]:
        """A handler that reads a form and acts where waiting for the store stops nobody else."""

        async def handled(request: Request) -> Response:
            body = b""
            async for chunk in request.stream():
                body += chunk
                if len(body) > MAX_FORM:
                    raise HTTPException(413, "The form is too large.")
            form = parse_qs(body.decode("utf-8", "replace"), keep_blank_values=True)
            return await run_in_threadpool(act, request, form)

        return handled

    def _part(self, request: Request) -> Part:
        return self._named(request.path_params["assignment"], request.path_params["item"])

    def _named(self, assignment: str, item: str) -> Part:
        for part in self.desk.parts():
            if (part.assignment, part.item) == (assignment, item):
                return part
        raise HTTPException(404, "There is no such question.")

    def _chosen(self, request: Request) -> tuple[Part, Card]:
        part = self._part(request)
        return part, self._card_of(part, request.path_params["key"])

    def _card_of(self, part: Part, key: str) -> Card:
        found = entries.card_of(self.desk.cards(part.assignment, part.item), key)
        if found is None:
            raise HTTPException(404, "There is no such answer.")
        return found

    def _kept(self, request: Request) -> dict[str, str]:
        """The filters in the address: what to show, and of whom."""
        show, of = request.query_params.get("show", ""), request.query_params.get("of", "")
        return {
            "show": show if show in FILTERS else "unmarked",
            "of": of if of == "all" and self.marker.shares else "",
        }

    def _wanted(self, request: Request, part: Part) -> Callable[[Card], bool]:
        kept, number = self._kept(request), self.desk.parts().index(part)
        who = self.marker
        return lambda card: (
            card.shows(kept["show"], who.name) and (kept["of"] == "all" or who.has(number, card))
        )

    def _address(self, request: Request, part: Part, card: Card | None) -> str:
        place = f"{request.scope['root_path']}/{part.assignment}/{part.item}"
        return f"{place}{f'/{card.first.key}' if card else ''}{_query(self._kept(request))}"

    def _to(self, request: Request, part: Part, card: Card | None) -> Response:
        return RedirectResponse(self._address(request, part, card), 303)


def _query(kept: Mapping[str, str]) -> str:
    given = {name: value for name, value in kept.items() if value and value != "unmarked"}
    return f"?{urlencode(given)}" if given else ""

"""The actions of a marker: give marks, take them back, put answers in question. Each is a form."""

from collections.abc import Callable
from typing import Any
from urllib.parse import parse_qs

from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from ..gradebook.marking import NotMarked
from . import entries
from .addresses import Addresses
from .desk import Desk
from .entries import Marker
from .mark_form import MAX_FORM, Form, MarkForm, Refused
from .pages import Pages


class Actions:
    """The actions of one marker; each leads to a page."""

    def __init__(self, desk: Desk, marker: Marker, pages: Pages):
        self._desk, self._marker, self._pages = desk, marker, pages
        self._at = Addresses(desk, marker)

    def mark(self, request: Request, form: Form) -> Response:
        """Store a mark and lead to the next card; if something has changed, show both."""
        part, card = self._at.chosen(request)
        try:
            given = MarkForm.of(form, part, self._desk, self._marker)
            if meanwhile := given.meanwhile:
                return self._pages.conflict(request, part, given, meanwhile)
            given.store(self._desk)
        except Refused as problem:
            return self._pages.shown(request, part, card, str(problem), 422)
        except NotMarked:  # between the look above and the store
            again = MarkForm.of(form, part, self._desk, self._marker)
            return self._pages.conflict(request, part, again, again.meanwhile)
        found = self._desk.cards(part.assignment, part.item)
        current = self._at.card_of(part, given.seen[0][0].key)
        after = entries.neighbor(found, self._at.wanted(request, part), current, rest_first=True)
        return self._at.to(request, part, after)

    def undo(self, request: Request, form: Form) -> Response:
        """Take back the step that the page named, whichever run it is of, and lead to its card."""
        act = form.get("act", [""])[0]
        given = self._desk.given(self._marker.name, act) if act else []
        if not given:
            return RedirectResponse(f"{request.scope['root_path']}/", 303)
        student, *question = given[0].item
        part = self._at.named(*question)
        whole = self._desk.take_back(act, self._marker.name)
        card = self._desk.card_with(part, student)
        if card and not whole:
            problem = "answers marked since, or taken back already, stay unchanged"
            return self._pages.shown(request, part, card, problem, 409)
        return self._at.to(request, part, card)

    def ask(self, request: Request, _form: Form) -> Response:
        """Put a card in question, or settle it."""
        part, card = self._at.chosen(request)
        self._desk.ask(card, self._marker.name)
        return self._at.to(request, part, self._at.card_of(part, card.first.key))


def posted(act: Callable[[Request, Form], Response]) -> Callable[..., Any]:
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

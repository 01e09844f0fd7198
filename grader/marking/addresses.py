"""The addresses of the pages: which question, which card and which filters a request names."""

from collections.abc import Callable, Mapping
from urllib.parse import urlencode

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from . import entries
from .desk import Desk, Part
from .entries import FILTERS, Card, Marker


class Addresses:
    """Those of one marker; every method that looks for something raises HTTPException."""

    def __init__(self, desk: Desk, marker: Marker):
        self._desk, self._marker = desk, marker

    def part(self, request: Request) -> Part:
        return self.named(request.path_params["assignment"], request.path_params["item"])

    def named(self, assignment: str, item: str) -> Part:
        for part in self._desk.parts():
            if (part.assignment, part.item) == (assignment, item):
                return part
        raise HTTPException(404, "There is no such question.")

    def chosen(self, request: Request) -> tuple[Part, Card]:
        part = self.part(request)
        return part, self.card_of(part, request.path_params["key"])

    def card_of(self, part: Part, key: str) -> Card:
        found = entries.card_of(self._desk.cards(part.assignment, part.item), key)
        if found is None:
            raise HTTPException(404, "There is no such answer.")
        return found

    def kept(self, request: Request) -> dict[str, str]:
        """The filters in the address: what to show, and of whom."""
        show, of = request.query_params.get("show", ""), request.query_params.get("of", "")
        return {
            "show": show if show in FILTERS else "unmarked",
            "of": of if of == "all" and self._marker.shares else "",
        }

    def wanted(self, request: Request, part: Part) -> Callable[[Card], bool]:
        """Whether the filters show a card."""
        kept, number = self.kept(request), self._desk.parts().index(part)
        who = self._marker
        return lambda card: (
            card.shows(kept["show"], who.name) and (kept["of"] == "all" or who.has(number, card))
        )

    def of(self, request: Request, part: Part, card: Card | None) -> str:
        """The address of a card; without one, that of its question."""
        place = f"{request.scope['root_path']}/{part.assignment}/{part.item}"
        return f"{place}{f'/{card.first.key}' if card else ''}{query(self.kept(request))}"

    def to(self, request: Request, part: Part, card: Card | None) -> Response:
        """Leads the browser there."""
        return RedirectResponse(self.of(request, part, card), 303)


def query(kept: Mapping[str, str]) -> str:
    """The filters as the end of an address; default values are left out."""
    given = {name: value for name, value in kept.items() if value and value != "unmarked"}
    return f"?{urlencode(given)}" if given else ""

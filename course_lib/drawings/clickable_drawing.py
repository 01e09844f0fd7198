"""A drawing inside a page whose places are links; an `<img>` could hold none."""

from collections.abc import Callable
from html import escape

from .drawing import Drawing, Place
from .palette import DARK

PAGE_IS_DARK = 'html[data-theme="dark"]'  # the reader's choice on the page, not the system's


def linked(drawing: Drawing, address: Callable[[str], str]) -> str:
    """SVG for use inside HTML. `address` makes the link of a component ("module:name").

    Keyboards reach the links in the order in which the places were drawn, and readers of the screen
    hear what each opens. The page's style sheet says how a place under the pointer looks.
    """
    links = "\n".join(_link(place, address(place.component)) for place in drawing.places)
    start, end, rest = drawing.svg.rpartition("</svg>")
    shown = start.replace('role="img"', 'role="group"', 1).replace(DARK, PAGE_IS_DARK, 1)
    return f"{shown}{links}\n{end}{rest}"


def _link(place: Place, address: str) -> str:
    said = escape(f"{place.label}: code of {place.component.partition(':')[2]}", quote=True)
    return (
        f'<a href="{escape(address, quote=True)}" aria-label="{said}"><title>{said}</title>'
        f'<rect x="{place.x:g}" y="{place.y:g}" width="{place.width:g}" '
        f'height="{place.height:g}" rx="5" fill="#fff" fill-opacity="0"/></a>'
    )

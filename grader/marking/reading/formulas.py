"""Formulas of a student as MathML, which browsers draw and screen readers read without a script.

Only elements and attributes that are named here come through: the library would pass on addresses
(`\\href`), styles and, in `\\text`, the very tags that a student writes.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from markupsafe import escape

from ...course.visible import visible

if TYPE_CHECKING:
    from xml.etree.ElementTree import Element

MAX_SOURCE = 2_000  # characters; what is longer is shown as it was written
ELEMENTS = frozenset(
    "math mrow mi mn mo mtext mspace ms mfrac msqrt mroot mstyle mpadded mphantom msub msup "
    "msubsup munder mover munderover mmultiscripts mprescripts mtable mtr mtd menclose none".split()
)
INVISIBLE = dict.fromkeys(range(0x2061, 0x2065))  # signs that only tell what is applied to what
ATTRIBUTES = frozenset(
    "display mathvariant stretchy fence form separator symmetric largeop movablelimits accent "
    "accentunder linethickness columnalign rowalign displaystyle scriptlevel notation "
    "minsize maxsize".split()
)


def mathml(source: str, display: bool) -> str:
    """MathML, or the source as code if it is too long or cannot be read."""
    from latex2mathml.converter import convert_to_element

    try:
        if len(source) > MAX_SOURCE:
            raise ValueError("too long")
        return _written(convert_to_element(source, display="block" if display else "inline"))
    except (Exception, RecursionError):  # whatever the library raises on what a stranger wrote
        return f"<code>{escape(source)}</code>"


def _written(element: Element) -> str:
    """The element with what is allowed of it; what stands in any other element is kept as it is."""
    inside = _text(element.text) + "".join(_written(child) for child in element)
    if element.tag not in ELEMENTS:
        return inside + _text(element.tail)
    given = "".join(
        f' {name}="{escape(value)}"' for name, value in element.items() if name in ATTRIBUTES
    )
    return f"<{element.tag}{given}>{inside}</{element.tag}>{_text(element.tail)}"


def _text(text: str | None) -> str:
    """The library writes characters as `&#x02212;`: these become such, all else is escaped."""
    plain = re.sub(r"&#x([0-9A-Fa-f]{1,6});", lambda m: chr(int(m[1], 16)), text or "")
    return str(escape(visible(plain.translate(INVISIBLE))))

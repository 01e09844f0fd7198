"""A student's text as HTML: Markdown, tables, formulas and figures, and nothing that acts.

Tags that a student writes are text. An address is followed only if it is one of the web, in a new
window that learns nothing of this page; pictures are those of the notebook, see `figures`. Formulas
are MathML, which browsers draw and screen readers read without a script.
Characters that would hide or turn other text are shown by their numbers.
"""

import difflib
import re
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any
from urllib.parse import unquote
from xml.etree.ElementTree import Element

from latex2mathml.converter import convert_to_element
from markdown_it import MarkdownIt
from markupsafe import Markup, escape
from mdit_py_plugins.dollarmath import dollarmath_plugin

from ..course.visible import visible

MAX_PRODUCT = 250_000  # of the numbers of words that are compared
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


def html(text: str, figure: Callable[[str], str] = lambda name: "") -> Markup:
    """The text as HTML; `figure` gives the address of a picture by its name there, or ""."""
    return Markup(_parser().render(visible(text), {"figure": figure}))


def inline(text: str) -> Markup:
    """One line of the course's own, as HTML that fits in a label."""
    return Markup(_parser().renderInline(visible(text), {"figure": lambda name: ""}))


def compared(before: str, now: str) -> Markup:
    """The words of `now`, with what was left out of `before` and what is new in it marked.

    If both differ in very many words, all between the first and the last is marked as exchanged.
    """
    old, new = _words(before), _words(now)
    parts = []
    for kind, a, b, c, d in _changes(old, new):
        gone, come = "".join(old[a:b]), "".join(new[c:d])
        if kind == "equal":
            parts.append(escape(come))
            continue
        parts += [Markup("<del>{}</del>").format(gone)] if gone else []
        parts += [Markup("<ins>{}</ins>").format(come)] if come else []
    return Markup("").join(parts)


def _changes(old: list[str], new: list[str]) -> list[tuple[str, int, int, int, int]]:
    """As `difflib` tells them, but never in more than a second, whatever a stranger wrote."""
    shorter = min(len(old), len(new))
    start = next((n for n in range(shorter) if old[n] != new[n]), shorter)
    same = range(shorter - start)
    end = next((n for n in same if old[-1 - n] != new[-1 - n]), shorter - start)
    a, b, c, d = start, len(old) - end, start, len(new) - end
    if (b - a) * (d - c) > MAX_PRODUCT:
        inside = [("replace", a, b, c, d)]
    else:
        matcher = difflib.SequenceMatcher(None, old[a:b], new[c:d], autojunk=False)
        moved = matcher.get_opcodes()
        inside = [(kind, a + i, a + j, c + k, c + m) for kind, i, j, k, m in moved]
    tail = ("equal", b, len(old), d, len(new))
    return [("equal", 0, start, 0, start), *inside, tail]


def _words(text: str) -> list[str]:
    return re.findall(r"\s+|\w+|[^\w\s]", visible(text))


@lru_cache(maxsize=1)
def _parser() -> MarkdownIt:
    parser = MarkdownIt("commonmark", {"html": False}).enable(["table", "strikethrough"])
    parser.use(dollarmath_plugin, allow_blank_lines=False)
    rules: dict[str, Callable[..., str]] = {
        "image": _image,
        "link_open": _link,
        "heading_open": lambda *_: '<p class="heading">',  # the page has headings of its own
        "heading_close": lambda *_: "</p>\n",
        "math_inline": lambda tokens, at, *_: mathml(tokens[at].content, display=False),
        "math_inline_double": lambda tokens, at, *_: mathml(tokens[at].content, display=True),
        "math_block": lambda tokens, at, *_: mathml(tokens[at].content, display=True),
        "table_open": lambda *_: (
            '<div class="scroll" tabindex="0" role="region" aria-label="Table"><table>\n'
        ),
        "table_close": lambda *_: "</table></div>\n",
    }
    for name, rule in rules.items():
        parser.add_render_rule(name, _method(rule))
    return parser


def _method(rule: Callable[..., str]) -> Callable[..., str]:
    return lambda _self, tokens, index, _options, env: rule(tokens, index, env)


def _image(tokens: Sequence[Any], index: int, env: Any) -> str:
    token = tokens[index]
    source, name = str(token.attrs.get("src", "")), str(escape(token.content))
    if address := env["figure"](unquote(source)):
        return f'<img src="{escape(address)}" alt="{name}">'
    return f'<span class="absent">figure “{name}” ({escape(source[:200])}) is not shown here</span>'


def _link(tokens: Sequence[Any], index: int, _env: Any) -> str:
    address = str(tokens[index].attrs.get("href", ""))
    if not address.startswith(("http://", "https://")):
        return f'<a title="{escape(address[:200])}">'  # leads nowhere
    return f'<a href="{escape(address)}" target="_blank" rel="noopener noreferrer">'


def mathml(source: str, display: bool) -> str:
    """MathML, or the source as code if it is too long or cannot be read.

    Only ELEMENTS and ATTRIBUTES come through: the library would pass on addresses (`\\href`),
    styles and, in `\\text`, the very tags that a student writes.
    """
    try:
        if len(source) > MAX_SOURCE:
            raise ValueError("too long")
        return _element(convert_to_element(source, display="block" if display else "inline"))
    except (Exception, RecursionError):  # whatever the library raises on what a stranger wrote
        return f"<code>{escape(source)}</code>"


def _element(element: Element) -> str:
    """The element with its allowed parts; the content of any other element is kept."""
    inside = _text(element.text) + "".join(_element(child) for child in element)
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

r"""Display equations: what `\qquad` sets apart is one line only where it fits.

A long chain of equalities gets a line for each. So a narrow screen cuts nothing off and needs no
smaller type; what is too wide in one piece is set smaller by `_static/formulas.js`. In a text, no
line begins with the full stop, comma or bracket that follows a formula or code.
"""

import re
from collections.abc import Iterator

from docutils import nodes
from sphinx.application import Sphinx

ROW = "equation-row"
LONG = 100  # characters of TeX from which a chain is too long for one line on a phone
JOINED = "joined"  # the class of a formula, or code, with the marks that no line may part from it
_OPENING, _CLOSING = "([“", "-.,;:!?)]”"
_STEP = re.compile(
    r"\\(?P<turn>qquad|begin|end|left|right)(?![a-zA-Z])|\\.|(?P<brace>[{}])|(?P<equal>=)", re.S
)


def _marks(tex: str) -> Iterator[tuple[str, re.Match[str]]]:
    r"""The `\qquad` and `=` outside every group, environment or pair of brackets."""
    depth = 0
    for step in _STEP.finditer(tex):
        if step["turn"] in ("begin", "left") or step["brace"] == "{":
            depth += 1
        elif step["turn"] in ("end", "right") or step["brace"] == "}":
            depth -= 1
        elif depth == 0 and (step["turn"] or step["equal"]):
            yield step[0], step


def pieces(tex: str) -> list[str]:
    r"""The statements that `\qquad` sets apart."""
    found, start = [], 0
    for mark, step in _marks(tex):
        if mark == r"\qquad":
            found.append(tex[start : step.start()])
            start = step.end()
    return [piece for piece in (one.strip() for one in [*found, tex[start:]]) if piece]


def chain(tex: str) -> str:
    """A long `a = b = c` with a line for each equality; any other as it is."""
    equals = [step.start() for mark, step in _marks(tex) if mark == "="]
    if len(equals) < 2 or len(tex) < LONG or r"\\" in tex:
        return tex
    ends = [*equals[1:], len(tex)]
    lines = [tex[a:b].strip() for a, b in zip(equals, ends, strict=True)]
    rows = r" \\ &".join(lines)
    return rf"\begin{{aligned}} {tex[: equals[0]].strip()} &{rows} \end{{aligned}}"


def _apart(app: Sphinx, doctree: nodes.document, docname: str) -> None:
    for block in list(doctree.findall(nodes.math_block)):
        apart = [chain(piece) for piece in pieces(block.astext())]
        if block.get("label") or apart == [block.astext()]:
            continue
        row = nodes.container(classes=[ROW])
        for piece in apart:
            one = block.copy()
            one += nodes.Text(piece)
            row += one
        block.replace_self(row)


def join(doctree: nodes.document) -> None:
    """A browser would end a line behind a formula or code, and before it, whatever is there."""
    for formula in [*doctree.findall(nodes.math), *doctree.findall(nodes.literal)]:
        around, place = formula.parent, formula.parent.index(formula)
        before, after = _text(around, place - 1), _text(around, place + 1)
        opening = before[len(before.rstrip(_OPENING)) :]
        closing = after[: len(after) - len(after.lstrip(_CLOSING))]
        if not opening + closing:
            continue
        if closing:
            around[place + 1] = nodes.Text(after[len(closing) :])
        if opening:
            around[place - 1] = nodes.Text(before[: -len(opening)])
        joined = nodes.inline("", nodes.Text(opening), classes=[JOINED])
        formula.replace_self(joined)
        joined += [formula, nodes.Text(closing)]


def _text(around: nodes.Element, place: int) -> str:
    """The text at this place, or none."""
    found = around[place] if 0 <= place < len(around) else None
    return str(found) if isinstance(found, nodes.Text) else ""


def setup(app: Sphinx) -> None:
    """Take equations apart, and join formulas with their marks, once pages are resolved."""
    app.connect("doctree-resolved", _apart)
    app.connect("doctree-resolved", lambda app, doctree, docname: join(doctree))

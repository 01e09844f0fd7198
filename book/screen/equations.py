r"""Display equations: what `\qquad` sets apart stands in one line only where it fits.

So a narrow screen cuts nothing off and needs no smaller type. What is too wide in one piece is set
smaller by `_static/formulas.js`.
"""

from __future__ import annotations

import re

from docutils import nodes
from sphinx.application import Sphinx

ROW = "equation-row"
_STEP = re.compile(r"\\(?P<turn>qquad|begin|end|left|right)(?![a-zA-Z])|\\.|(?P<brace>[{}])", re.S)


def pieces(tex: str) -> list[str]:
    r"""The pieces between those `\qquad` that stand in no group, environment or brackets."""
    found, depth, start = [], 0, 0
    for step in _STEP.finditer(tex):
        if step["turn"] in ("begin", "left") or step["brace"] == "{":
            depth += 1
        elif step["turn"] in ("end", "right") or step["brace"] == "}":
            depth -= 1
        elif step["turn"] == "qquad" and depth == 0:
            found.append(tex[start : step.start()])
            start = step.end()
    return [piece for piece in (one.strip() for one in [*found, tex[start:]]) if piece]


def _apart(app: Sphinx, doctree: nodes.document, docname: str) -> None:
    for block in list(doctree.findall(nodes.math_block)):
        apart = pieces(block.astext())
        if len(apart) > 1 and not block.get("label"):
            row = nodes.container(classes=[ROW])
            for piece in apart:
                one = block.copy()
                one += nodes.Text(piece)
                row += one
            block.replace_self(row)


def setup(app: Sphinx) -> None:
    """Take equations apart once pages are resolved."""
    app.connect("doctree-resolved", _apart)

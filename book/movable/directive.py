"""The directive `{movable} NAME`: a figure with all its frames, of which one is shown.

Without JavaScript the first one stays; `_static/movable.js` adds the controls.
"""

import json
from html import escape
from pathlib import Path

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

from .figures import FIGURES
from .frames import WIDTH, Movable


class MovableDirective(SphinxDirective):
    """`{movable} temperature`: one of `FIGURES`."""

    required_arguments = 1

    def run(self) -> list[nodes.Node]:
        name = self.arguments[0]
        if name not in FIGURES:
            raise self.error(f"no movable figure {name!r}: there are {', '.join(FIGURES)}")
        self.env.note_dependency(str(Path(__file__).with_name("figures.py")))
        return [nodes.raw("", html(name, FIGURES[name]()), format="html")]


def html(name: str, movable: Movable) -> str:
    """The figure; `data-controls` has what the script needs for its sliders and lists."""
    controls = [
        {"label": c.label, "values": c.values, "start": c.start, "ordered": c.ordered}
        for c in movable.controls
    ]
    frames = "".join(
        f'<svg viewBox="0 0 {WIDTH} {frame.height}" role="img" '
        f'aria-label="{escape(frame.said, quote=True)}"{"" if shown else " hidden"}>'
        f"{frame.elements}</svg>"
        for number, frame in enumerate(movable.frames)
        for shown in [number == movable.start]
    )
    set_to = ", ".join(f"{c.label} {c.values[c.start]}" for c in movable.controls)
    return (
        f'<figure class="movable" id="movable-{name}" '
        f'data-controls="{escape(json.dumps(controls, ensure_ascii=False), quote=True)}">'
        f"{frames}<figcaption><p>{escape(movable.title)}. "
        f'<span class="movable-set">Shown: {escape(set_to)}.</span></p></figcaption></figure>'
    )


def setup(app: Sphinx) -> None:
    """Register the directive, and its script and style."""
    app.add_directive("movable", MovableDirective)
    app.add_css_file("movable.css")
    app.add_js_file("movable.js", loading_method="defer")

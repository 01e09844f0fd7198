"""Plots and drawings for dark pages: each picture twice, and the style sheet shows one of them.

A drawing of the library knows its dark colors. A plot is recolored: every color keeps its hue and
gets the opposite lightness, paper becomes none, and what lies on a heat map stays as it is.
"""

import base64
import colorsys
import re
from pathlib import Path
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx

from course_lib.drawings import palette

DARK = "-dark.svg"  # how the file of a dark plot ends
INK = palette.ROLES["ink"].dark_fill
LIGHTEST, DARKEST = 0.91, 0.11  # what black and white become
ALWAYS, NEVER = "@media all", "@media not all"
_PLOT = re.compile(r'<img\b[^>]*?\bsrc="(?P<path>[^":]*?_images/[^"]+)\.svg"[^>]*>')
_DRAWING = re.compile(r'<img\b[^>]*?\bsrc="(?P<data>data:image/svg\+xml;base64,[^"]+)"[^>]*>')
_SIZE = re.compile(r'<svg\b[^>]*?\bviewBox="0 0 (?P<width>[\d.]+) (?P<height>[\d.]+)"')
_SIZED = re.compile(r' (?:width|height)="[\d.]+"')
_COLOR = re.compile(r"(?<=fill: )#[0-9a-f]{6}|(?<=stroke: )#[0-9a-f]{6}")
_PAPER = re.compile(r'(<path\b[^>]*style="fill: )#ffffff(?=["; ])(?![^"]*opacity)')
_ON_HEAT_MAP = re.compile(r'(<g style="fill: )#ffffff(?=")')
_KEPT = "#fffffe"  # stands for the white of letters on dark cells, while all else is recolored


def dark_plot(svg: str) -> str:
    """A plot of matplotlib for a dark page."""
    svg = _PAPER.sub(r"\1none", svg)
    svg = _ON_HEAT_MAP.sub(rf"\1{_KEPT}", svg)
    svg = _COLOR.sub(lambda found: _opposite(found[0]), svg)
    return svg.replace("<svg ", f'<svg fill="{INK}" ', 1)  # of letters: black has no attribute


def _opposite(color: str) -> str:
    """The same hue at the opposite lightness."""
    if color == _KEPT:
        return "#ffffff"
    parts = (int(color[place : place + 2], 16) / 255 for place in (1, 3, 5))
    hue, light, saturation = colorsys.rgb_to_hls(*parts)
    light = LIGHTEST - (LIGHTEST - DARKEST) * light
    turned = colorsys.hls_to_rgb(hue, light, saturation)
    return "#" + "".join(f"{round(255 * part):02x}" for part in turned)


def both(body: str) -> str:
    """The HTML with every plot and drawing in its light and its dark form."""
    body = _PLOT.sub(_two_plots, body)
    return _DRAWING.sub(_two_drawings, body)


def _two_plots(found: re.Match[str]) -> str:
    light = found[0]
    dark = light.replace(f'{found["path"]}.svg"', f'{found["path"]}{DARK}"')
    return _two(light, dark)


def _two_drawings(found: re.Match[str]) -> str:
    head, _, code = found["data"].partition(",")
    svg = base64.b64decode(code).decode()
    forms = []
    for when in (NEVER, ALWAYS):
        data = base64.b64encode(svg.replace(palette.DARK, when).encode()).decode()
        forms.append(_sized(found[0].replace(found["data"], f"{head},{data}"), svg))
    return _two(*forms)


def _sized(image: str, svg: str) -> str:
    """The image with its size, so that its place is kept until it is decoded."""
    size = _SIZE.match(svg)
    if size is None:
        return image
    image = _SIZED.sub("", image)
    return image.replace("<img", f'<img width="{size["width"]}" height="{size["height"]}"', 1)


def _two(light: str, dark: str) -> str:
    return _classed(light, "for-light") + _classed(dark, "for-dark").replace(
        "<img ", '<img loading="lazy" ', 1
    )


def _classed(image: str, name: str) -> str:
    """The image with two classes more; the theme darkens no image that has `dark-light`."""
    if 'class="' in image:
        return image.replace('class="', f'class="{name} dark-light ', 1)
    return image.replace("<img ", f'<img class="{name} dark-light" ', 1)


def _page(
    app: Sphinx, page: str, template: str, context: dict[str, Any], tree: nodes.document | None
) -> None:
    if "body" in context:
        context["body"] = both(context["body"])


def _files(app: Sphinx, failed: Exception | None) -> None:
    """Write the dark form of every plot of the site."""
    if failed or app.builder.format != "html":
        return
    for path in sorted((Path(app.outdir) / "_images").glob("*.svg")):
        if not path.name.endswith(DARK):
            svg = path.read_text(encoding="utf-8")
            path.with_name(f"{path.stem}{DARK}").write_text(dark_plot(svg), encoding="utf-8")


def setup(app: Sphinx) -> None:
    """Change pages when they are whole, and write the files when all are there."""
    app.connect("html-page-context", _page, priority=800)
    app.connect("build-finished", _files)

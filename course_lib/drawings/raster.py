"""A drawing as a PNG picture, for viewers that refuse SVG inside a text cell, such as Colab.

It is drawn from the SVG by matplotlib with its own font, so it looks the same on every machine. The
colors are the light ones, on light paper.
"""

import hashlib
import io
from typing import Any
from xml.etree import ElementTree

import numpy as np

SVG = "{http://www.w3.org/2000/svg}"
SCALE = 2  # pixels of the picture for each of the drawing, for sharp screens
INCH = 100  # pixels of the drawing
POINT = 72 / INCH
COLORS = 64
SOURCE = "Source"  # the PNG's text that says of which SVG it is
FONT = "DejaVu Sans"

Attributes = dict[str, str]


def digest(svg: str) -> str:
    """The value of `SOURCE` in a picture of this drawing."""
    return hashlib.sha256(svg.encode()).hexdigest()


def is_of(picture: bytes, svg: str) -> bool:
    """Whether a PNG was made from this drawing as it is now."""
    from PIL import Image, UnidentifiedImageError

    try:
        with Image.open(io.BytesIO(picture)) as image:
            return bool(image.info.get(SOURCE) == digest(svg))
    except UnidentifiedImageError:
        return False


def png(svg: str) -> bytes:
    """The picture of a drawing of ours, twice as wide and high as it, in few colors."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure
    from PIL import Image
    from PIL.PngImagePlugin import PngInfo

    root = ElementTree.fromstring(svg)
    width, height = float(root.attrib["width"]), float(root.attrib["height"])
    figure = Figure((width / INCH, height / INCH), dpi=INCH * SCALE)
    axes = figure.add_axes((0, 0, 1, 1), xlim=(0, width), ylim=(height, 0))
    axes.axis("off")
    _draw(axes, root, {"stroke": "none", **root.attrib})
    canvas = FigureCanvasAgg(figure)
    canvas.draw()
    image = Image.fromarray(np.asarray(canvas.buffer_rgba())).convert("RGB")
    said = PngInfo()
    said.add_text(SOURCE, digest(svg))
    made = io.BytesIO()
    few = image.quantize(COLORS, dither=Image.Dither.NONE)
    few.save(made, "PNG", optimize=True, pnginfo=said)
    return made.getvalue()


def _draw(axes: Any, element: ElementTree.Element, inherited: Attributes) -> None:
    """Draw what an element holds, in its order."""
    for part in element:
        here = inherited | part.attrib
        if part.tag == f"{SVG}g":
            _draw(axes, part, here)
        elif part.tag == f"{SVG}text":
            _write(axes, part, here)
        elif shape := _shape(part.tag.removeprefix(SVG), here):
            shape.set(facecolor=here["fill"], edgecolor=here["stroke"], capstyle="butt")
            shape.set_linewidth(float(here["stroke-width"]) * POINT)
            if dashes := here.get("stroke-dasharray"):
                shape.set_linestyle((0, [float(length) for length in dashes.split()]))
            axes.add_patch(shape)


def _shape(tag: str, here: Attributes) -> Any:
    """The patch of a shape, without its colors; None for what is no shape, such as a title."""
    from matplotlib import patches
    from matplotlib.path import Path

    if tag == "rect":
        x, y, width, height, r = (float(here[key]) for key in ("x", "y", "width", "height", "rx"))
        return patches.FancyBboxPatch(
            (x, y), width, height, boxstyle=f"round,pad=0,rounding_size={r}"
        )
    if tag == "circle":
        return patches.Circle((float(here["cx"]), float(here["cy"])), float(here["r"]))
    if tag in ("polyline", "polygon"):
        points = [tuple(map(float, point.split(","))) for point in here["points"].split()]
        return patches.Polygon(points, closed=tag == "polygon")
    if tag == "path":  # squares: M x,y h width v height h -width z
        corners = []
        for square in here["d"].split("M")[1:]:
            place, across, down = square.replace("v", "h").split("h")[:3]
            (x, y), (w, h) = map(float, place.split(",")), (float(across), float(down))
            corners += [(x, y), (x + w, y), (x + w, y + h), (x, y + h), (x, y)]
        codes = [Path.MOVETO, *[Path.LINETO] * 3, Path.CLOSEPOLY]
        return patches.PathPatch(Path(corners, codes * (len(corners) // 5)))
    return None


def _write(axes: Any, element: ElementTree.Element, here: Attributes) -> None:
    """A line of text with its lowered parts, from its anchor on."""
    from matplotlib.patches import PathPatch
    from matplotlib.textpath import TextPath
    from matplotlib.transforms import Affine2D

    size, weight = float(here["font-size"]), here.get("font-weight", "normal")
    runs = [(element.text or "", size, 0.0)]
    lowered = 0.0
    for part in element:
        lowered += float(part.attrib["dy"])
        runs.append((part.text or "", float(part.get("font-size", size)), lowered))
    widths = [_advance(text, height, weight) for text, height, _ in runs]
    share = {"start": 0.0, "middle": 0.5, "end": 1.0}[here.get("text-anchor", "start")]
    x, y = float(here["x"]) - share * sum(widths), float(here["y"])
    for (text, height, down), width in zip(runs, widths, strict=True):
        if text.strip():
            path = TextPath((0, 0), text, size=height, prop=_font(weight))
            flipped = Affine2D().scale(1, -1).translate(x, y + down)
            axes.add_patch(
                PathPatch(path.transformed(flipped), facecolor=here["fill"], linewidth=0)
            )
        x += width


def _advance(text: str, size: float, weight: str) -> float:
    """How far a text moves the pen, spaces at its ends included."""
    from matplotlib.textpath import TextPath

    def wide(between: str) -> float:
        path = TextPath((0, 0), f"|{between}|", size=size, prop=_font(weight))
        return float(path.get_extents().width)

    return wide(text) - wide("")


def _font(weight: str) -> Any:
    from matplotlib.font_manager import FontProperties

    return FontProperties(FONT, weight=weight)

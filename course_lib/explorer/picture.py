"""All maps side by side as an SVG picture, for viewers that run no scripts."""

from collections.abc import Sequence
from html import escape

from ..drawings.palette import ROLES
from .maps import SCALE, AttentionMaps

MARGIN, TITLE, GAP = 12, 22, 14  # pixels
LARGEST, SMALLEST = 14, 3  # side of a cell
READABLE = 9  # side of a cell from which on words are written
LEVELS = 10  # shades
LETTER = 5.6  # width of a letter, about
LONGEST = 12  # letters


def picture(kinds: Sequence[AttentionMaps]) -> str:
    """An SVG: below one another the kinds, each with one row per layer and one column per head."""
    top, width, parts = float(MARGIN), 0.0, list[str]()
    for maps in kinds:
        drawn, right, bottom = _kind(maps, top)
        parts += drawn
        width, top = max(width, right), bottom + GAP
    ink, paper, shade = ROLES["ink"], ROLES["paper"], ROLES["open"]
    dark = (
        f".p{{fill:{paper.dark_fill}}}.i{{fill:{ink.dark_fill}}}.w{{fill:{shade.dark_fill}}}"
        f".f{{stroke:{paper.dark_stroke}}}"
    )
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width + MARGIN:g}" height="{top:g}" '
        f'viewBox="0 0 {width + MARGIN:g} {top:g}" font-family="Helvetica, Arial, sans-serif" '
        f'font-size="10"><style>@media(prefers-color-scheme:dark){{{dark}}}</style>'
        f'<rect class="p" width="100%" height="100%" fill="{paper.fill}"/>{"".join(parts)}</svg>'
    )


def described(kinds: Sequence[AttentionMaps]) -> str:
    """The picture in words: for each head, the word that each word attends to most."""
    lines = []
    for maps in kinds:
        for layer in range(maps.n_layers):
            for head in range(maps.n_heads):
                links = ", ".join(
                    f"{word} → {key} {weight:.2f}"
                    for word, key, weight in maps.strongest(layer, head)
                )
                lines.append(f"{maps.name}, {_place(maps, layer, head)}: {links}")
    return "\n".join(lines)


def _place(maps: AttentionMaps, layer: int, head: int) -> str:
    return f"layer {layer}, head {head}" if maps.n_layers > 1 else f"head {head}"


def _kind(maps: AttentionMaps, top: float) -> tuple[list[str], float, float]:
    """The elements of one kind from `top` on, and its right and lower end."""
    n_q, n_k = len(maps.queries), len(maps.keys)
    side = max(SMALLEST, min(LARGEST, 12 * LARGEST // max(n_q, n_k)))
    words = side >= READABLE
    margins = [words * LETTER * max(len(_short(w)) for w in of) for of in (maps.queries, maps.keys)]
    left, below = MARGIN + margins[0] + 6, margins[1] + 6
    parts = [_text(MARGIN, top + 10, maps.name, "start", bold=True)]
    y = top + TITLE
    for layer in range(maps.n_layers):
        for head in range(maps.n_heads):
            x = left + head * (n_k * side + GAP)
            parts.append(_text(x, y + 10, _place(maps, layer, head), "start"))
            parts += _map(maps.weights[layer, head], x, y + TITLE - 6, side)
            for j, word in enumerate(maps.keys * words):
                place = x + (j + 0.7) * side, y + TITLE + n_q * side
                parts.append(_text(*place, _short(word), "end", turned=True))
        for i, word in enumerate(maps.queries * words):
            place = left - 4, y + TITLE - 6 + (i + 0.75) * side
            parts.append(_text(*place, _short(word), "end"))
        y += TITLE + n_q * side + below
    right = left + maps.n_heads * (n_k * side + GAP)
    return parts, max(right, left + LETTER * 14), y


def _map(weights: Sequence[Sequence[int]], x: float, y: float, side: float) -> list[str]:
    """One head: a frame, and the cells of each shade as one path."""
    shades: dict[int, list[str]] = {}
    for i, row in enumerate(weights):
        for j, weight in enumerate(row):
            if level := round(weight * LEVELS / SCALE):
                corner = f"M{x + j * side:g} {y + i * side:g}"
                shades.setdefault(level, []).append(f"{corner}h{side:g}v{side:g}h-{side:g}z")
    size = f'width="{len(weights[0]) * side:g}" height="{len(weights) * side:g}"'
    frame = ROLES["paper"].stroke
    return [f'<rect class="f" x="{x:g}" y="{y:g}" {size} fill="none" stroke="{frame}"/>'] + [
        f'<path class="w" fill="{ROLES["open"].fill}" fill-opacity="{level / LEVELS:g}" '
        f'd="{"".join(cells)}"/>'
        for level, cells in sorted(shades.items())
    ]


def _text(
    x: float, y: float, text: str, anchor: str, bold: bool = False, turned: bool = False
) -> str:
    turn = f' transform="rotate(-90 {x:g} {y:g})"' if turned else ""
    weight = ' font-weight="bold"' if bold else ""
    return (
        f'<text class="i" x="{x:g}" y="{y:g}" fill="{ROLES["ink"].fill}" '
        f'text-anchor="{anchor}"{weight}{turn}>{escape(text)}</text>'
    )


def _short(word: str) -> str:
    return word if len(word) <= LONGEST else word[: LONGEST - 1] + "…"

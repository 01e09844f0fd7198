"""The page in the explorer's frame: one HTML document that needs nothing else."""

import json
from collections.abc import Sequence
from functools import cache
from pathlib import Path

from ..drawings.palette import ROLES
from .maps import AttentionMaps

ROLE_NAMES = ("paper", "plain", "blue", "orange", "open", "ink", "quiet", "line", "way")
ROW, MAP = 30, 82  # heights in pixels: of a word, and of a layer's small maps
REST = 154  # of all else
TALLEST = 760  # then the page scrolls

TEMPLATE = """\
<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Attention explorer</title>
<style>
{colors}
{style}</style>
</head>
<body>
<main>
<h1>Attention explorer</h1>
<noscript><p>This page needs scripts. Below it are all maps as a picture.</p></noscript>
<fieldset id="kinds"><legend>Attention</legend></fieldset>
<fieldset id="heads"><legend>Head</legend></fieldset>
<fieldset id="words"><legend>Word</legend></fieldset>
<p id="said" role="status"></p>
<p id="keys">Hover over a word, or move with Tab and the arrow keys.</p>
</main>
<script type="application/json" id="data">{data}</script>
<script>
{script}</script>
</body>
</html>
"""


def page(kinds: Sequence[AttentionMaps]) -> str:
    """The document; equal maps give equal text."""
    data = [
        {"name": m.name, "queries": m.queries, "keys": m.keys, "weights": m.weights.tolist()}
        for m in kinds
    ]
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":")).replace("<", "\\u003c")
    return TEMPLATE.format(
        colors=_colors(), style=_file("explorer.css"), script=_file("explorer.js"), data=text
    )


def height(kinds: Sequence[AttentionMaps]) -> int:
    """How tall the frame is on a wide page, in pixels."""
    rows = max(max(len(maps.queries), len(maps.keys)) for maps in kinds)
    layers = max(maps.n_layers for maps in kinds)
    many = any(maps.n_layers * maps.n_heads > 1 for maps in kinds)
    return min(TALLEST, REST + rows * ROW + many * layers * MAP + (len(kinds) > 1) * 62)


def _colors() -> str:
    """The drawings' colors as variables, for light and dark pages."""
    light = "".join(f"--{n}:{ROLES[n].fill};--{n}-line:{ROLES[n].stroke};" for n in ROLE_NAMES)
    dark = "".join(
        f"--{n}:{ROLES[n].dark_fill};--{n}-line:{ROLES[n].dark_stroke};" for n in ROLE_NAMES
    )
    return (
        f":root{{color-scheme:light dark;{light}}}\n"
        f"@media(prefers-color-scheme:dark){{:root{{{dark}}}}}"
    )


@cache
def _file(name: str) -> str:
    return Path(__file__).with_name(name).read_text(encoding="utf-8")

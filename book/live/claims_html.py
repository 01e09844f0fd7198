"""The claims of the live page as HTML: every sentence and number comes from `claims.json`."""

from __future__ import annotations

from difflib import SequenceMatcher
from html import escape
from typing import Any

from .switches import BEAM, POSITIONS, SCALE, SWITCHES, WIDTH

NAMES = {
    "encoder": "encoder, layer {0}, head {1}",
    "self": "decoder, layer {0}, self-attention, head {1}",
    "cross": "decoder, layer {0}, cross-attention, head {1}",
}


def html(claims: dict[str, Any], name: str) -> str:
    """Of a switch or of "heads". Raises ValueError for another name."""
    if name in SWITCHES:
        inside = _switch(claims, name)
    elif name == "heads":
        inside = _heads(claims)
    else:
        raise ValueError(f"no claim {name!r}: use one of {', '.join(SWITCHES)}, heads")
    return f'<div class="live-claims">{inside}</div>'


def _switch(claims: dict[str, Any], name: str) -> str:
    claim, of = claims["switches"][name], claims["sentences"]
    measured = (
        f"Measured: {claim['changed']} of {of} translations change, and BLEU goes from "
        f"{claims['bleu']} to {claim['bleu']}."
    )
    if name == POSITIONS and claim["only_order"]:
        measured += f" In {claim['only_order']} of them only the order of the words changes."
    if name == SCALE:
        spread = claims["spread"]
        measured += (
            f" A head spreads its weight over {spread['with']} words on average, and over "
            f"{spread['without']} without √dₖ."
        )
    rows = "".join(_row(row, name) for row in claim["shown"])
    titles = (f"Width {WIDTH}", "Width 1") if name == BEAM else ("On", "Off")
    return f"<p>{measured}</p>{_table(rows, titles)}"


def _heads(claims: dict[str, Any]) -> str:
    of = claims["sentences"]
    rows = []
    for place, claim in claims["heads"].items():
        stack, layer, *kind, head = place.split()
        name = NAMES[kind[0] if kind else stack].format(layer, head)
        shown = "".join(_row(row, place) for row in claim["shown"])
        rows.append(f"<dt>{name.capitalize()}</dt><dd>{escape(claim['said'])}{_table(shown)}</dd>")
    return (
        f"<p>Measured on {of} sentences, one head off at a time:</p>"
        f"<details><summary>All {len(rows)} heads</summary><dl>{''.join(rows)}</dl></details>"
    )


def _table(rows: str, titles: tuple[str, str] = ("On", "Off")) -> str:
    if not rows:
        return ""
    head = "".join(f'<th scope="col">{title}</th>' for title in ("English", *titles, "See it"))
    return (
        '<div class="live-scroll" tabindex="0" role="group" aria-label="Sentences that change">'
        f'<table class="table"><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table></div>'
    )


def _row(row: dict[str, str], off: str) -> str:
    english = escape(row["en"], quote=True)
    return (
        f'<tr><td lang="en">{english}</td><td lang="fr">{escape(row["fr"])}</td>'
        f'<td lang="fr">{_marked(row["fr"], row["without"])}</td>'
        f'<td><button type="button" class="live-try" disabled data-sentence="{english}" '
        f'data-off="{off}" aria-label="See it: {english}">▶</button></td></tr>'
    )


def _marked(before: str, after: str) -> str:
    """The second text with the words in bold that the first does not have there."""
    left, right = before.split(), after.split()
    found = []
    for kind, _, _, start, end in SequenceMatcher(None, left, right, False).get_opcodes():
        text = escape(" ".join(right[start:end]))
        if text:
            found.append(text if kind == "equal" else f"<strong>{text}</strong>")
    return " ".join(found)

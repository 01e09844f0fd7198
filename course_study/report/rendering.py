"""Renders the templates of a report: a section calls its parts (`paragraph`, `table`, `figure` …).

One file of macros writes the parts as Markdown, another as HTML; they escape what they are given.
"""

import re
from functools import lru_cache
from html import escape
from inspect import isfunction
from math import prod
from pathlib import Path
from shlex import quote
from statistics import stdev
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from ..findings import ALPHA, COST, MEMORY
from ..intervals import mean_interval
from ..space import DEFAULT, FACTORS
from ..tasks.rates import PAPER_STEPS, scaled_warmup
from . import wording
from .drawings import COSTS, costs_in_words, inlined, mean_curves
from .tables import failures, shared, statuses

HTML, MARKDOWN = "html", "markdown"  # the files of macros
CONSTANTS = {
    "ALPHA": ALPHA,
    "DEFAULT": DEFAULT,
    "FACTORS": FACTORS,
    "MEMORY": MEMORY,
    "PAPER_STEPS": PAPER_STEPS,
    "n_combinations": prod(len(levels) for levels in FACTORS.values()),
    # Heads of tables; a column whose head begins with "#" holds numbers, set to the right.
    "COLUMNS": {COST: "#train s", MEMORY: "#MiB", "inferences_per_second": "#inferences / s"},
    "HEADS": {cost: f"#{label}" for cost, label in COSTS.items()},
}


def rendered(template: str, content: dict[str, Any], form: str) -> str:
    """The template's text, with parts in the `form` HTML or MARKDOWN."""
    text = _environment().get_template(template).render(content, form=f"{form}.jinja")
    return re.sub(r"\n{3,}", "\n\n", text).strip() + "\n"


@lru_cache(maxsize=1)
def _environment() -> Environment:
    made = Environment(
        loader=FileSystemLoader(Path(__file__).with_name("templates")),
        autoescape=False,  # Markdown is made, too
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    words = {name: word for name, word in vars(wording).items() if isfunction(word)}
    functions = (costs_in_words, failures, mean_curves, mean_interval, shared, statuses)
    filters = (cell, head, inline, inlined, no_html, quote, scaled_warmup, sentences, stdev)
    made.globals |= CONSTANTS | words | {function.__name__: function for function in functions}
    made.filters |= words | {function.__name__: function for function in filters}
    made.filters["extract"] = lambda key, of: of[key]
    return made


def sentences(text: str) -> str:
    """On one line: a template breaks lines where its reader needs it."""
    return " ".join(text.split())


def head(name: str) -> str:
    return name.lstrip("#")


def inline(text: str) -> str:
    """HTML with `code` and **bold**; a number stays on the line of its unit."""
    text = re.sub(r"(\d) (%|s\b|points?\b)", "\\1\u00a0\\2", text)
    shown = re.sub(r"`([^`\n]+)`", r"<code>\1</code>", escape(text))
    return re.sub(r"\*\*([^*\n]+)\*\*", r"<b>\1</b>", shown)


def cell(text: str) -> str:
    """As a cell of a Markdown table."""
    return no_html(text).replace("|", "\\|").replace("\n", " ")


def no_html(text: str) -> str:
    """Markdown with no HTML of anyone's; names such as n_layers stay as they are."""
    return text.replace("<", "&lt;")

"""`{paper-audit}`: what the paper states and what the library makes of it."""

from __future__ import annotations

from collections import Counter
from html import escape

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

from book import CHECKOUT

from . import statements
from .code_explorer import catalog
from .quoted import WEEK
from .statements import Statement

KINDS = {  # what the table calls a statement, and what the sentence above it says of them
    "here": "carried out",
    "equal": "values, equal to the library's defaults",
    "open": "left open by the paper",
    "differs": "done differently",
    "absent": "not done",
}


class PaperAuditDirective(SphinxDirective):
    """All statements, in the paper's order. The page is not built if one of them is not so."""

    def run(self) -> list[nodes.Node]:
        found = statements.load()
        if wrong := statements.problems(found):
            raise self.error("the audit of the paper does not hold: " + "; ".join(wrong))
        read = {statements.FILE, *(CHECKOUT / anchor.path for anchor in statements.anchors())}
        for path in read:
            self.env.note_dependency(str(path))
        week = self.config[WEEK]
        ids = {f"{e.component.module}:{e.component.name}": e.id for e in catalog.entries(week)}
        counts = Counter(map(kind, found))
        said = ", ".join(f"{counts[name]} {text}" for name, text in KINDS.items())
        made: list[nodes.Node] = [nodes.paragraph("", f"{len(found)} statements: {said}.")]
        for number, name in statements.OUTLINE.items():
            entries = [_entry(one, ids, not week) for one in found if one.section == number]
            if entries:
                made.append(_section(number, name, "".join(entries)))
        return made


def kind(one: Statement) -> str:
    """The key of `KINDS` that this statement belongs to."""
    given = {"open": one.open, "differs": one.differs, "absent": one.absent, "equal": one.value}
    return next((name for name, text in given.items() if text), "here")


def _section(number: str, name: str, entries: str) -> nodes.section:
    """A section of the page about one of the paper."""
    made = nodes.section(ids=[f"section-{number.replace('.', '-')}"])
    made += nodes.title("", f"§{number} {name}")
    made += nodes.raw("", f'<dl class="audit">{entries}</dl>', format="html")
    return made


def _entry(one: Statement, ids: dict[str, str], show_proof: bool) -> str:
    cells = [escape(one.open or one.differs or one.absent)]
    cells += [_value(one)] if one.value else [_code(one, ids)]
    if show_proof:
        cells.append(_proof(one))
    here = "<br>".join(cell for cell in cells if cell)
    return (
        f'<dt>{escape(one.says)} <span class="kind kind-{kind(one)}">{kind(one)}</span></dt>'
        f"<dd>{here}</dd>"
    )


def _code(one: Statement, ids: dict[str, str]) -> str:
    """The lines that carry it out, each with its component's place in the code explorer."""
    lines = dict[tuple[str, str], list[str]]()
    for anchor in statements.where(one):
        lines.setdefault((anchor.path, anchor.place), []).append(str(anchor.line))
    said = []
    for (path, place), found in lines.items():
        name = f"<code>{place.partition(':')[2]}</code>"
        name = f'<a href="code.html#{ids[place]}">{name}</a> in ' if place in ids else ""
        said.append(f"{name}<code>{path}</code>, line{'s' * (len(found) > 1)} {', '.join(found)}")
    return "<br>".join(said)


def _value(one: Statement) -> str:
    return f"<code>{escape(one.value.partition(':')[2])}</code> is {one.now()}."


def _proof(one: Statement) -> str:
    """The mistake that breaks it, and the exercise whose hidden test then fails."""
    if one.tested_by:
        return f"Tested by <code>{escape(one.tested_by)}</code>"
    if not one.broken_by:
        return ""
    bug = one.bug
    return f"Broken (“{escape(bug.sentence)}”), it fails a hidden test of exercise {bug.exercise}."


def setup(app: Sphinx) -> None:
    """Register the directive."""
    app.add_directive("paper-audit", PaperAuditDirective)

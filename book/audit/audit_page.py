"""`{paper-audit}`: what the paper states and what the library makes of it."""

import re
from collections import Counter
from contextlib import suppress
from html import escape

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

from book import CHECKOUT
from grader.library.components import BuildError

from ..code_explorer import catalog
from ..outline import OUTLINE
from ..quotations import WEEK
from ..references import exercise_of
from ..screen import symbols
from . import audit_checks, statements
from .citations import anchors
from .statements import Statement

_CODE = re.compile(rf"`([^`]+)`|(?!{symbols.SYMBOL.pattern})\b([a-z]+(?:_[a-z]+)+)\b")
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
        if wrong := audit_checks.problems(found):
            raise self.error("the audit of the paper does not hold: " + "; ".join(wrong))
        read = {statements.FILE, *(CHECKOUT / anchor.path for anchor in anchors())}
        for path in read:
            self.env.note_dependency(str(path))
        week = self.config[WEEK]
        ids = {f"{e.component.module}:{e.component.name}": e.id for e in catalog.entries(week)}
        counts = Counter(map(kind, found))
        said = ", ".join(f"{counts[name]} {text}" for name, text in KINDS.items())
        given = Counter(one.given for one in found)
        specified = ", ".join(f"{given[name]} are {name}" for name in statements.GIVEN)
        made: list[nodes.Node] = [
            nodes.paragraph("", f"{len(found)} statements: {said}. In the paper, {specified}.")
        ]
        for number, name in OUTLINE.items():
            entries = [_entry(one, ids, not week) for one in found if one.section == number]
            if entries:
                made.append(_section(number, name, "".join(entries)))
        return made


def kind(one: Statement) -> str:
    """The key of `KINDS` that this statement belongs to."""
    given = {"open": one.open, "differs": one.differs, "absent": one.absent, "equal": one.claims}
    return next((name for name, text in given.items() if text), "here")


def _section(number: str, name: str, entries: str) -> nodes.section:
    """A section of the page about one of the paper."""
    made = nodes.section(ids=[f"section-{number.replace('.', '-')}"])
    made += nodes.title("", f"§{number} {name}")
    made += nodes.raw("", f'<dl class="audit">{entries}</dl>', format="html")
    return made


def _entry(one: Statement, ids: dict[str, str], show_proof: bool) -> str:
    said = one.open or one.differs or one.absent
    cells = [_prose(one, said), _claims(one), _code(one, ids), _exercises(one)]
    if show_proof:
        cells.append(_proof(one))
    other, effect = (_prose(one, text) for text in (one.alternatives, one.changes))
    cells.append(f"<em>Instead</em>: {other}. <em>What changes</em>: {effect}.")
    here = "<br>".join(cell for cell in cells if cell)
    return (
        f'<dt id="{one.number}"><a href="#{one.number}">{one.number}</a> {marked(one.says)} '
        f'<span class="kind kind-{kind(one)}">{kind(one)}</span> '
        f'<span class="given">{one.given}</span></dt><dd>{here}</dd>'
    )


def _prose(one: Statement, text: str) -> str:
    """One of its texts, with the numbers of exercises, and code between backquotes."""
    return marked(one.filled(text))


def marked(text: str) -> str:
    """Code is any text in backticks and every name of the code, as in “n_heads features”."""
    return _CODE.sub(lambda found: f"<code>{found[found.lastindex or 0]}</code>", escape(text))


def _claims(one: Statement) -> str:
    """The row's statements about the code: values, what is called, what is not there."""
    said = [f"{_named(reference)} is {_shown(value)}" for reference, value in one.claims.items()]
    said += [f"{_named(place)} calls <code>{name}</code>" for place, name in one.calls.items()]
    for reference in one.lacks:
        function, _, parameter = reference.rstrip(")").partition("(")
        said.append(f"{_named(function)} has no <code>{parameter}</code>")
    return f"{'; '.join(said)}." if said else ""


def _shown(value: object) -> str:
    return f"{value:,}" if type(value) is int else str(value)


def _named(reference: str) -> str:
    """Where a value comes from, short: a name of the library, or a file and what is in it."""
    file, _, name = reference.partition(":")
    if reference.startswith("book.audit.claims:"):
        return f"“{name.partition('[')[2].partition(']')[0]}”"
    shown = f"{name} in {file}" if "/" in file else name
    return f"<code>{escape(shown)}</code>"


def _code(one: Statement, ids: dict[str, str]) -> str:
    """The lines that carry it out, each with its component's place in the code explorer."""
    lines = dict[tuple[str, str], list[str]]()
    for anchor in statements.where(one):
        lines.setdefault((anchor.path, anchor.place), []).append(str(anchor.line))
    said = []
    for (path, place), found in lines.items():
        name = f"<code>{place.partition(':')[2]}</code>"
        name = f'<a href="code.html#{ids[place]}">{name}</a> in ' if place in ids else ""
        said.append(
            f"{name}<code>{_breaking(path)}</code>, line{'s' * (len(found) > 1)} {', '.join(found)}"
        )
    return "<br>".join(said)


def _breaking(path: str) -> str:
    """A long name, which a narrow page breaks between its words."""
    return re.sub(r"([/_]|::)", r"\1<wbr>", escape(path))


def _exercises(one: Statement) -> str:
    """The exercises that ask for its components, as the syllabus has them."""
    found = {}
    for component in one.components:
        with suppress(BuildError):
            found[exercise_of(component).id] = exercise_of(component).title
    listed = ", ".join(f"{id} {escape(title)}" for id, title in found.items())
    return f"Exercise{'s' * (len(found) > 1)}: {listed}" if found else ""


def _proof(one: Statement) -> str:
    """The mistake that breaks it, and the exercise whose hidden test then fails."""
    if one.tested_by:
        return f"Tested by <code>{_breaking(one.tested_by)}</code>"
    if not one.broken_by:
        return ""
    bug = one.bug
    return f"Broken (“{marked(bug.sentence)}”), it fails a hidden test of exercise {bug.exercise}."


def setup(app: Sphinx) -> None:
    """Register the directive."""
    app.add_directive("paper-audit", PaperAuditDirective)

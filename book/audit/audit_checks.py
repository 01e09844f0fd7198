"""Finds the faults in the rows of the paper page: everything that they state and that is not so."""

import re
from collections.abc import Iterator

from book import CHECKOUT
from grader.course import mistakes
from grader.library.components import BuildError, Component

from .. import references
from ..outline import OUTLINE, WITHOUT
from . import claims
from .citations import anchors, citations
from .statements import GIVEN, Statement, where


def problems(statements: list[Statement]) -> list[str]:
    """A sentence for everything that the audit states and that is not so."""
    found = [f"{one.says!r} (§{one.section}): {said}" for one in statements for said in _of(one)]
    found += _of_numbers(statements)
    stated = {one.section for one in statements}
    found += [
        f"§{section} has no statement" for section in OUTLINE if section not in (*stated, *WITHOUT)
    ]
    for anchor in anchors():
        for section in (section for section in anchor.sections if section not in WITHOUT):
            about = (one.places for one in statements if one.section == section)
            if not any(anchor.is_in(places) for places in about):
                found.append(
                    f"{anchor.path}, line {anchor.line}: no statement is about this anchor of "
                    f"§{section}"
                )
    return found


def _of_numbers(statements: list[Statement]) -> Iterator[str]:
    """The faults in the numbers: given twice, cited and not there, there and not cited."""
    by_number = {one.number: one for one in statements}
    if len(by_number) < len(statements):
        yield "a number is given twice"
    for cited in citations():
        place = f"{cited.path}, line {cited.line}"
        if cited.number not in by_number:
            yield f"{place}: the paper page has no {cited.number}"
        elif not cited.is_in(by_number[cited.number].places):
            yield f"{place}: {cited.number} is about another place of the library"
    told = {(cited.place.partition(":")[0], cited.number) for cited in citations()}
    for one in statements:
        modules = dict.fromkeys(place.partition(":")[0] for place in one.places)
        for module in (module for module in modules if (module, one.number) not in told):
            yield f"{module.replace('.', '/')}.py does not cite {one.number}, {one.says!r}"


def _of(one: Statement) -> Iterator[str]:
    """The faults in one statement."""
    if one.section not in OUTLINE:
        yield "the paper has no such section"
    said = [bool(text) for text in (one.open, one.differs, one.absent)]
    if sum(said) > 1:
        yield "give one of open, differs and absent"
    if one.claims and not any(said) and one.paper is None:
        yield "claims need `paper`, what the paper says that the first is"
    proof = one.broken_by or one.tested_by
    if not any(said) and not one.claims and not (one.components and proof):
        yield "give components and broken_by or tested_by, or say that it differs"
    yield from _of_text(one)
    yield from _of_components(one)
    yield from _of_proof(one)
    yield from _of_claims(one)


def _of_text(one: Statement) -> Iterator[str]:
    if one.given not in GIVEN:
        yield f"`given` is one of {', '.join(GIVEN)}"
    if one.open and one.given == "SPECIFIED":
        yield "what is open is not SPECIFIED"
    if one.given == "UNSPECIFIED" and not one.open:
        yield "what is UNSPECIFIED is open"
    if not (one.alternatives and one.changes):
        yield "give `alternatives`, and what `changes` with them"
    for text in (one.says, one.open, one.differs, one.absent, one.alternatives, one.changes):
        if named := references.by_hand(text):
            yield f"{named!r} is written by hand: write {{exercise}} or {{assignment}}"
        try:
            one.filled(text)
        except BuildError as error:
            yield str(error)


def _of_components(one: Statement) -> Iterator[str]:
    for reference in one.components:
        try:
            if ":" in reference:
                Component.parse(reference).source  # noqa: B018 - it raises if there is none
        except (BuildError, ImportError) as error:
            yield str(error)
    said = one.open or one.differs or one.absent or one.tested_by
    if one.components and not said and not where(one):
        yield f"no anchor of §{one.section} is in {', '.join(one.components)}"


def _of_proof(one: Statement) -> Iterator[str]:
    if one.broken_by:
        try:
            bug = one.bug
            if bug.component not in one.components:
                yield f"{one.broken_by} breaks {bug.component}, which is none of its components"
            else:
                bug.apply(Component.parse(bug.component).source)
        except (mistakes.BugError, BuildError) as error:
            yield str(error.args[0])
    if one.tested_by:
        path, _, name = one.tested_by.partition("::")
        if not re.search(rf"^def {name}\(", _text(path), re.M):
            yield f"there is no test {one.tested_by}"


def _of_claims(one: Statement) -> Iterator[str]:
    """Statements about the code that the code contradicts."""
    try:
        for reference, said in one.claims.items():
            if (now := claims.value(reference)) != said:
                yield f"{reference} is {now!r}, the page says {said!r}"
        if (
            one.paper is not None
            and not one.differs
            and (first := next(iter(one.claims.values()), None)) != one.paper
        ):
            yield f"{first!r} is not what the paper says, {one.paper!r}"
        if one.paper is not None and one.differs and one.paper in one.claims.values():
            yield f"it differs, and is the paper's {one.paper!r}"
        for component, name in one.calls.items():
            if not claims.calls(component, name):
                yield f"{component} does not call {name}"
        for reference in one.lacks:
            if not claims.lacks(reference):
                yield f"{reference} is there"
    except (ValueError, BuildError) as error:
        yield str(error)


def _text(path: str) -> str:
    file = CHECKOUT / path
    return file.read_text(encoding="utf-8") if file.is_file() else ""

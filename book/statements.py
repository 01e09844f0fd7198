"""What the paper states, where this course carries it out, and what shows that it does.

A statement of `lectures/paper_audit.toml` has a section, what the paper `says`, and one of

- `components` with `broken_by`, a named mistake (or `tested_by`, a test): carried out there;
- `value` with `paper`: a default of the library, and what it must be equal to;
- `open`: the paper leaves it open; the text says what is done here, `value` what it is now;
- `differs`, `absent`: the text says what is done instead, or why nothing is.
"""

from __future__ import annotations

import ast
import importlib
import inspect
import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass, fields
from functools import cache
from operator import attrgetter
from pathlib import Path
from typing import Any

from book import CHECKOUT
from grader.course import mistakes
from grader.course.course import Course
from grader.library.components import BuildError, Component

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

FILE = CHECKOUT / "lectures" / "paper_audit.toml"
OUTLINE = {
    "1": "Introduction",
    "2": "Background",
    "3": "Model Architecture",
    "3.1": "Encoder and Decoder Stacks",
    "3.2": "Attention",
    "3.2.1": "Scaled Dot-Product Attention",
    "3.2.2": "Multi-Head Attention",
    "3.2.3": "Applications of Attention in our Model",
    "3.3": "Position-wise Feed-Forward Networks",
    "3.4": "Embeddings and Softmax",
    "3.5": "Positional Encoding",
    "4": "Why Self-Attention",
    "5": "Training",
    "5.1": "Training Data and Batching",
    "5.2": "Hardware and Schedule",
    "5.3": "Optimizer",
    "5.4": "Regularization",
    "6": "Results",
    "6.1": "Machine Translation",
    "6.2": "Model Variations",
    "6.3": "English Constituency Parsing",
    "7": "Conclusion",
}
WITHOUT = ("1", "2", "3.2", "5", "6", "7")  # they state nothing that their parts do not
_ANCHOR = re.compile(r"#\s*(§.+)")
_SECTION = re.compile(r"§(\d+(?:\.\d+)*)")
_VALUE = re.compile(r"([\w.]+):([\w.]+)(?:\((\w+)\)|\[(\w+)\]\.(\w+))?")


@dataclass(frozen=True)
class Statement:
    """One statement of the paper, or one thing that it leaves open."""

    section: str
    says: str
    components: tuple[str, ...] = ()
    broken_by: str = ""  # "a2/attention_not_scaled"
    tested_by: str = ""  # "tests/training/test_metrics.py::test_a_score_carries_its_signature"
    value: str = ""  # "module:function(parameter)" or "module:MAPPING[key].attribute"
    paper: Any = None
    open: str = ""
    differs: str = ""
    absent: str = ""

    @property
    def places(self) -> tuple[str, ...]:
        """The components and whatever has the value, as "module:name"."""
        held = re.sub(r"[(\[].*", "", self.value)
        return (*self.components, *((held,) if held else ()))

    @property
    def bug(self) -> mistakes.Bug:
        """The named mistake that breaks it. Raises BugError if there is none."""
        return mistakes.named(Course.here(), self.broken_by)

    def now(self) -> Any:
        """The value in the library today. Raises ValueError if there is no such value."""
        if not (parts := _VALUE.fullmatch(self.value)):
            raise ValueError(f"{self.value!r} is not module:name(parameter) or module:NAME[key].x")
        module, name, parameter, key, attribute = parts.groups()
        try:
            held = attrgetter(name)(importlib.import_module(module))
            if parameter:
                return inspect.signature(held).parameters[parameter].default
            return attrgetter(attribute)(held[key]) if key else held
        except (ImportError, AttributeError, KeyError) as error:
            raise ValueError(f"{self.value} is not there: {error}") from None


@dataclass(frozen=True)
class Anchor:
    """A comment of the library that names a section of the paper."""

    path: str
    line: int
    place: str  # the definition around it, as "module:name"; at a module's top, the module
    sections: tuple[str, ...]

    def is_in(self, places: tuple[str, ...]) -> bool:
        """Whether it is in one of the definitions; at a module's top, in one of their modules."""
        return self.place in places or self.place in (place.partition(":")[0] for place in places)


def load(path: Path = FILE) -> list[Statement]:
    """All statements, in the file's order. Raises TypeError for a key that is not one."""
    rows = tomllib.loads(path.read_text(encoding="utf-8"))["statements"]
    known = {field.name for field in fields(Statement)}
    for row in rows:
        if unknown := sorted(row.keys() - known):
            raise TypeError(f"{path.name}: unknown key {unknown[0]!r} of {row.get('says')!r}")
    return [Statement(**row | {"components": tuple(row.get("components", ()))}) for row in rows]


@cache
def anchors() -> tuple[Anchor, ...]:
    """The anchors of `course_lib`, by file and line."""
    return tuple(_anchors())


def _anchors() -> Iterator[Anchor]:
    for path in sorted((CHECKOUT / "course_lib").rglob("*.py")):
        text = path.read_text(encoding="utf-8")
        shown = path.relative_to(CHECKOUT).as_posix()
        module = shown.removesuffix(".py").replace("/", ".")
        definitions = [
            one for one in ast.parse(text).body if isinstance(one, (ast.FunctionDef, ast.ClassDef))
        ]
        for line, written in enumerate(text.splitlines(), 1):
            if found := _ANCHOR.search(written):
                around = [d.name for d in definitions if d.lineno <= line <= (d.end_lineno or 0)]
                place = ":".join([module, *around])
                yield Anchor(shown, line, place, tuple(_SECTION.findall(found[1])))


def where(statement: Statement) -> list[Anchor]:
    """The anchors of this statement's section in its components."""
    return [
        anchor
        for anchor in anchors()
        if anchor.is_in(statement.places) and statement.section in anchor.sections
    ]


def problems(statements: list[Statement]) -> list[str]:
    """A sentence for everything that the audit states and that is not so."""
    found = [f"{one.says!r} (§{one.section}): {said}" for one in statements for said in _of(one)]
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


def _of(one: Statement) -> Iterator[str]:
    """What is wrong with one statement."""
    if one.section not in OUTLINE:
        yield "the paper has no such section"
    said = [bool(text) for text in (one.open, one.differs, one.absent)]
    if sum(said) > 1:
        yield "give one of open, differs and absent"
    if one.value and not any(said) and one.paper is None:
        yield "a value needs `paper`, what the paper says that it is"
    proof = one.broken_by or one.tested_by
    if not any(said) and not one.value and not (one.components and proof):
        yield "give components and broken_by or tested_by, or say that it differs"
    yield from _of_code(one)


def _of_code(one: Statement) -> Iterator[str]:
    sources = dict[str, str]()
    for reference in one.components:
        try:
            if ":" in reference:
                sources[reference] = Component.parse(reference).source
        except (BuildError, ImportError, AttributeError) as error:
            yield str(error)
    if one.components and not (one.open or one.tested_by) and not where(one):
        yield f"no anchor of §{one.section} is in {', '.join(one.components)}"
    if one.broken_by:
        try:
            bug = one.bug
            if bug.component not in sources:
                yield f"{one.broken_by} breaks {bug.component}, which is none of its components"
            else:
                bug.apply(sources[bug.component])
        except mistakes.BugError as error:
            yield str(error.args[0])
    if one.tested_by:
        path, _, name = one.tested_by.partition("::")
        if not re.search(rf"^def {name}\(", _text(path), re.M):
            yield f"there is no test {one.tested_by}"
    if one.value:
        try:
            if (now := one.now()) != one.paper and one.paper is not None:
                yield f"{one.value} is {now!r}, the paper says {one.paper!r}"
        except ValueError as error:
            yield str(error)


def _text(path: str) -> str:
    file = CHECKOUT / path
    return file.read_text(encoding="utf-8") if file.is_file() else ""

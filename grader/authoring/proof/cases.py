"""Submissions whose grade is known beforehand, built from the library's own source."""

from dataclasses import dataclass
from pathlib import Path

from grader.course import mistakes
from grader.course.assignment import Assignment
from grader.course.course import Course
from grader.judge import substitutes
from grader.judge.mistaken import handed_in

from ...library.components import Component
from ..views import notebooks, text_notebook


@dataclass(frozen=True)
class Variant:
    """One correct submission: other sources for some components."""

    name: str
    replace: dict[str, str]  # component → source


@dataclass(frozen=True)
class Case:
    """One such submission: the reference, the starter, a correct variant or a named bug."""

    assignment: str
    kind: str
    variant: Variant | None = None
    bug: mistakes.Bug | None = None

    @property
    def name(self) -> str:
        """Unique among the cases of its assignment."""
        thing = self.variant or self.bug
        return thing.name if thing else self.kind

    @property
    def notebook(self) -> bytes:
        """The submission's bytes. Raises BugError for a bug that does not fit its component."""
        view: notebooks.View = "starter" if self.kind == "starter" else "solution"
        replace = dict(self.variant.replace) if self.variant else {}
        if self.bug:
            source = Component.parse(self.bug.component).source
            replace[self.bug.component] = self.bug.apply(source)
        return notebook(self.assignment, view, replace)

    @property
    def files(self) -> dict[str, bytes]:
        """The files handed in with the notebook: the exercises' files, except with a starter."""
        if self.kind == "starter":
            return {}
        return handed_in(Course.here().assignment(self.assignment))

    @property
    def broken(self) -> list[str]:
        """Exercises that the starter hands out with a mistake."""
        assignment = Course.here().assignment(self.assignment)
        shown = {cell.argument for cell in text_notebook.read(assignment) if cell.bug}
        return [e.id for e in assignment.exercises if shown & set(e.components)]

    def affected(self, assignment: Assignment) -> list[str]:
        """Exercises whose code it changes, and those that depend on them."""
        changed = (
            {self.bug.component} if self.bug else set(self.variant.replace if self.variant else ())
        )
        own = [e.id for e in assignment.exercises if changed & set(e.components)]
        below = {id for exercise in own for id in (exercise, *assignment.downstream(exercise))}
        return [e.id for e in assignment.exercises if e.id in below]


def notebook(id: str, view: notebooks.View, replace: dict[str, str] | None = None) -> bytes:
    """A submission's bytes; `replace` gives some components other sources."""
    built = notebooks.build(Course.here(), Course.here().assignment(id), view, replace)
    return notebooks.dump(built).encode()


def of(assignment: Assignment) -> list[Case]:
    """All cases of an assignment. Raises BugError for a bug file with a wrong key."""
    id = assignment.id
    return [
        Case(id, "reference"),
        Case(id, "starter"),
        *(Case(id, "variant", variant=variant) for variant in variants(assignment)),
        *(Case(id, "bug", bug=bug) for bug in mistakes.load(assignment)),
    ]


def variants(assignment: Assignment) -> list[Variant]:
    """All variants of an assignment, by name; the last one is made of its right forms."""
    paths = {path.stem: path for path in sorted((assignment.hidden / "variants").glob("*.py"))}
    if (reference := substitutes.path(assignment)).exists():
        paths["right_form"] = reference
    return [_read(name, path, assignment) for name, path in paths.items()]


def _read(name: str, path: Path, assignment: Assignment) -> Variant:
    """A file's components; the first one comes with all that they share."""
    imports, definitions = substitutes.read(path)
    components = [c for exercise in assignment.exercises for c in exercise.components]
    names = {c: n for c in components if (n := c.partition(":")[2]) in definitions}
    if not names:
        raise ValueError(f"{path.name} defines none of the names of {assignment.id}")
    shared = [source for n, source in definitions.items() if n not in names.values()]
    own = {component: definitions[n] for component, n in names.items()}
    first = next(iter(own))
    return Variant(name, own | {first: "\n\n".join([*imports, *shared, own[first]])})

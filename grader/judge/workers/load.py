"""The definitions that a worker loads before its first request."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from grader.course.exercise import ModelPart
from grader.notebook.statements import Statement
from grader.seam.codec import Tree

from .time_limit import Patience


@dataclass(frozen=True)
class Load:
    """The student's code, then substitutes, which override its names."""

    statements: Sequence[Statement]
    unavailable: Mapping[str, str] = field(default_factory=dict)  # why other names are missing
    substitutes: Sequence[str] = ()  # source texts
    forbidden: Sequence[str] = ()  # names that some exercise forbids
    patience: Patience = field(default_factory=Patience)  # shared by all workers of a submission
    limits: Mapping[str, int] = field(default_factory=dict)  # only those other than the defaults
    of_course: bool = False  # the course's own code and nothing of a student

    @property
    def request(self) -> Tree:
        """The request that makes a worker load it."""
        statements = [
            {"cell": s.cell, "line": s.line, "source": s.source, "names": list(s.names)}
            for s in self.statements
        ]
        return {
            "load": {
                "statements": statements,
                "unavailable": dict(self.unavailable),
                "substitutes": list(self.substitutes),
                "forbidden": list(self.forbidden),
            }
        }


def of_course(part: ModelPart, limits: Mapping[str, int], patience: Patience) -> Load:
    """The course's own functions for a trained model, under the names that the handout gives."""
    names = tuple(part.entry_points)
    source = f"from {part.computed_by} import {', '.join(names)}"
    loaded = [Statement(1, 1, source, names)]
    return Load(loaded, patience=patience, limits=limits, of_course=True)

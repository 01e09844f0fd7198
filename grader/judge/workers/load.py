"""The definitions that a worker loads before its first request, and how long the judge waits.

CPU time counts, so a busy machine costs no points. Everything is measured from outside, in /proc;
nothing that a worker reports about itself counts.
"""

import math
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from grader.course.exercise import ModelPart
from grader.notebook.statements import Statement
from grader.seam.codec import Tree

from ...sandbox import process_tree
from ...sandbox.wire import Timeout

FIRST_LOOK = 0.05  # seconds: most answers come sooner, and looking costs more than they do
TICK = 0.1  # seconds between looks
MAX_ASLEEP = 5.0  # seconds: a call may sleep for as long as it may compute, up to this
WALL = 20.0  # times the CPU time: allowance for a busy machine
TOTAL = 600.0  # wall-clock seconds for a try of a submission with its reruns

MAX_HALVINGS = 2  # a call gets at least a quarter of the usual time
MAX_FAILED = 8


class TimeLimit:
    """The limits of one request: `seconds` of CPU time, as many asleep (at most MAX_ASLEEP), and a
    multiple of them in all.

    CPU time is that of all processes below the worker's supervisor. If it cannot be measured
    (`supervisor` is None), `seconds` are wall-clock seconds. `most`: wall-clock seconds that are
    left to the submission.
    """

    def __init__(self, seconds: float, supervisor: int | None, most: float = math.inf):
        self.seconds, self.supervisor = seconds, supervisor
        self.max_asleep = min(seconds, MAX_ASLEEP)
        self.wall = min(seconds * (WALL if supervisor else 1.0), most)
        self._began = self._looked = time.monotonic()
        self._next = self._began + (FIRST_LOOK if supervisor else 0.0)
        self._before: float | None = None  # CPU seconds at the first look
        self._asleep = 0.0

    def left(self) -> float:
        """Seconds until the next look. Raises Timeout, saying which limit was reached."""
        now = time.monotonic()
        wall_left = self._began + self.wall - now
        if wall_left <= 0:
            raise Timeout(f"no answer within {self.wall:g} s")
        if self.supervisor is None:
            return wall_left
        if now >= self._next:
            self._look(self.supervisor, now)
        return max(0.001, min(self._next - now, wall_left))

    def _look(self, supervisor: int, now: float) -> None:
        activity = process_tree.activity(supervisor)
        if self._before is None:
            self._before = activity.cpu_seconds
        elif not activity.awake:
            self._asleep += min(now - self._looked, TICK)  # a longer gap is the judge's own
        self._looked, self._next = now, now + TICK
        if activity.cpu_seconds - self._before >= self.seconds:
            raise Timeout(f"no answer within {self.seconds:g} s of CPU time")
        if self._asleep >= self.max_asleep:
            raise Timeout(f"no answer: it waited for {self.max_asleep:g} s without computing")


@dataclass
class Patience:
    """How long a submission is waited for in all, and in a call after others that were in vain.

    So a submission that hangs in every call is done in seconds. Honest calls take milliseconds.
    """

    failed: int = 0  # calls that timed out or ran out of memory
    waited: float = 0.0  # wall-clock seconds
    total: float = TOTAL

    @property
    def left(self) -> float:
        """Wall-clock seconds that all further calls may take together."""
        return max(0.0, self.total - self.waited)

    @property
    def exhausted(self) -> str:
        """Why no further call is made, or ""."""
        if not self.left:
            return f"not run: the notebook has taken {self.total / 60:g} minutes, the most it may"
        if self.failed >= MAX_FAILED:
            return f"not run: {self.failed} earlier calls took too long or too much memory"
        return ""

    def shorten(self, seconds: float) -> float:
        """The limit for a call that would normally have `seconds`."""
        return seconds / 2 ** min(self.failed, MAX_HALVINGS)


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

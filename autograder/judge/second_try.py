"""Which results are tried a second time, alone, before they become a grade.

A call that hangs, dies or runs out of memory may do so because of the machine. The second try has
the machine to itself, a fresh worker, and more time to load.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from course_lib.seam.errors import CRASHED, OOM, TIMEOUT

if TYPE_CHECKING:
    from ..gradebook.result import Result

LOAD_SECONDS = 10.0  # of CPU time, where the first try had remote.LOAD_SECONDS
_DOUBTFUL = (TIMEOUT, CRASHED, OOM)


def is_needed(result: Result) -> bool:
    """Whether something in this result may be the machine's doing."""
    problem = result.model.problem if result.model else ""
    return result.outcome in _DOUBTFUL or is_needed_by(problem)


def is_needed_by(problem: str) -> bool:
    """The same of what is said about a model."""
    return problem.startswith(_DOUBTFUL)


def better(first: Result, second: Result) -> Result:
    """The one that counts: what succeeded once was not the submission's fault the other time."""
    return max(second, first, key=lambda result: result.totals.automatic or 0)

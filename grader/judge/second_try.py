"""Which submissions are graded a second time, alone, before the result counts.

A call may time out, crash or run out of memory because the machine was busy. The second try has the
machine to itself, a fresh worker, and more time to load.
"""

from grader.seam.errors import CRASHED, OOM, TIMEOUT

from ..gradebook.result import Result

LOAD_SECONDS = 10.0  # of CPU time; the first try has remote.LOAD_SECONDS
_DOUBTFUL = (TIMEOUT, CRASHED, OOM)


def is_needed(result: Result) -> bool:
    """Whether a problem in this result may be due to the machine."""
    problem = result.model.problem if result.model else ""
    return result.outcome in _DOUBTFUL or is_needed_by(problem)


def is_needed_by(problem: str) -> bool:
    """Whether a model's `problem` may be due to the machine."""
    return problem.startswith(_DOUBTFUL)


def worth(result: Result) -> float:
    """The better try has more points: what succeeded once cannot be the submission's fault."""
    return result.totals.automatic or 0.0

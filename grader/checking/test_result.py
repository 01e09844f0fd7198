"""The result of one test, and which passes count only together with another's."""

from dataclasses import dataclass, replace

from .answer import Answer
from .exercise import ExerciseMark
from .faults import SuiteError
from .messages import WAITING, Message, counts_once

PASSED, FAILED = "PASSED", "FAILED"
BROKEN = "BROKEN"  # the test's own code is wrong


@dataclass(frozen=True)
class TestResult:
    """The result of one test.

    `outcome` is PASSED, FAILED, BROKEN, WAITING, or the seam's upper-case error kind. `raised`:
    what the test's own code raised, by a mistake of its own or over an answer that it could not
    handle. `answered`: it ran, and the student's code raised nothing, or what is wrong is a number
    beside that. `waits_for`: the ids of tests one of which must pass before it counts.
    """

    __test__ = False

    id: str
    mark: ExerciseMark
    public: bool
    outcome: str
    message: Message | None
    seconds: float
    raised: SuiteError | None = None
    answered: bool = False
    answer: Answer | None = None  # of a question, or what is wrong in another test
    waits_for: tuple[str, ...] = ()

    @property
    def title(self) -> str:
        return self.mark.title

    @property
    def file(self) -> str:
        return self.id.partition("::")[0]

    @property
    def name(self) -> str:
        """The test's function."""
        return self.id.rpartition("::")[2]


def without_lone_passes(results: list[TestResult]) -> list[TestResult]:
    """The results; tests that pass alone are WAITING where they count only with another.

    The other one is in the same file, if that has one of the name. A refusal also counts with a
    wrong value that shows a known mistake: a student with that mistake has done the rest of the
    work.
    """

    def waiting(result: TestResult) -> TestResult:
        named = [r for r in results if r.mark.exercise == result.mark.exercise]
        named = [r for r in named if r.name in result.mark.needs_one_of]
        own = {r.name for r in named if r.file == result.file}
        others = [r for r in named if r.file == result.file or r.name not in own]
        refuses = not result.answered
        if result.outcome != PASSED or not others or any(_shows_work(r, refuses) for r in others):
            return result
        message = counts_once([other.title for other in others])
        ids = tuple(other.id for other in others)
        return replace(result, outcome=WAITING, message=message, waits_for=ids)

    return [waiting(result) for result in results]


def _shows_work(other: TestResult, refuses: bool) -> bool:
    """Whether a test shows that the function does something, beside a test that it passes.

    Whether a broken test would have passed, nobody knows. No value is no value of a known mistake.
    """
    found = other.message if other.outcome == FAILED and other.answered else None
    known = bool(found and found.seen and found.got != str(None))
    return other.outcome in (PASSED, BROKEN) or (refuses and known)

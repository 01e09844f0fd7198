"""Claims about the grade of a known submission; each returns "" or a sentence on what is wrong."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from grader.checking.messages import Message
from grader.checking.session import PASSED, TestResult
from grader.course.mistakes import Bug

from ...gradebook.exercise_result import GradedTest
from ...gradebook.result import Result

LEAST, MOST = 0.25, 0.4  # of an exercise's points: what ordinary inputs show, and one corner


@dataclass(frozen=True)
class Price:
    """The cost of a bug for a student."""

    exercise: str
    share: float  # of the exercise's points
    visible: bool  # whether a visible check fails
    corner: bool  # whether only corners show it

    @property
    def unfair(self) -> str:
        """The unfairness, if any: ordinary inputs cost a quarter; a visible check shows them."""
        costs = f"it costs {self.share:.0%} of {self.exercise}"
        if self.corner:
            return f"{costs}, a corner at most {MOST:.0%}" if self.share > MOST + 1e-4 else ""
        if self.share < LEAST - 1e-4:
            return f"{costs}, at least {LEAST:.0%} unless its questions, or the bug, are a corner"
        return "" if self.visible else "no visible check fails, and it is no corner"


def price(results: Sequence[TestResult], bug: Bug) -> Price:
    """The cost of a bug by the results of its exercise's tests."""
    failed = [one for one in results if one.outcome != PASSED]
    share = sum(one.mark.weight for one in failed) / sum(one.mark.weight for one in results)
    corner = bool(bug.corner) or all(one.mark.corner for one in failed)
    return Price(bug.exercise, share, any(one.public for one in failed), corner)


def everything(result: Result) -> str:
    """A correct submission gets every automatic point and passes every test that ran."""
    if failed := failing(result):
        return "; ".join(f"{id}: {test.message}" for id, test in failed.items())
    # the demonstration and other tests cover trained models
    lost = [
        f"{entry.id} has {entry.points} of {entry.max_points}"
        for entry in result.exercises
        if entry.kind == "code" and entry.points != entry.max_points
    ]
    if lost or result.outcome != "GRADED":
        return "; ".join(lost) or f"{result.outcome}: {result.reason}"
    return ""


def nothing(result: Result, broken: Collection[str] = ()) -> str:
    """A starter gets no points and a notice that nothing is written.

    `broken` are exercises that it hands out with a mistake, to be repaired: they are written.
    """
    if result.totals.total:
        return f"it has {result.totals.total} points"
    statuses = {entry.status for entry in result.exercises if entry.id not in broken}
    if not statuses <= {"not written", "pending"}:
        return f"exercises have the statuses {', '.join(sorted(statuses))}"
    noted = bool(broken) or any("nothing is written" in notice for notice in result.notices)
    return "" if noted else "no notice says that nothing is written"


def caught(results: Sequence[TestResult], bug: Bug) -> str:
    """A named bug fails some test of its exercise, which names it and no other one.

    Mistakes that no test tells apart are named together, each with its sentence.
    """
    messages = [one.message or Message() for one in results if one.outcome != PASSED]
    return named([(message.mistake or "", message.cause) for message in messages], bug)


def named(failures: Sequence[tuple[str, str]], bug: Bug) -> str:
    """The mistake and the sentence of each failure name the bug."""
    if not failures:
        return "it passes every test of its exercise"
    found = {id: sentence for id, sentence in failures if id}
    if not any(bug.sentence in sentence for sentence in found.values()):
        return f"it is not named, but {found}" if found else "it is not named"
    others = sorted(id for id, sentence in found.items() if bug.sentence not in sentence)
    return f"another mistake is named: {others}" if others else ""


def failing(result: Result) -> dict[str, GradedTest]:
    """Failed tests by id, including those whose points were carried through."""
    return {test.id: test for test in result.tests if test.outcome != "PASSED"}

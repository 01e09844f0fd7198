"""Which named mistake an exercise's failures show: the one that answers the tests as they do.

A mistake explains a failure if it fails the test with the same answer. A likely cause explains most
of an exercise's failures and fails no test that has passed; another one may explain the rest.
Different mistakes can raise the same exception or give NaN: one that explains nothing else explains
all of these, and most failures.
Where these mistakes pass most of the tests that failed, nobody has named the cause, and none is.
Mistakes that nothing tells apart are named together.
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace

from ..answer import Answer
from ..messages import WAITING, Message
from ..session import FAILED, PASSED, TestResult


@dataclass(frozen=True)
class Told:
    """A mistake's answer to a test, and the result of comparing it."""

    outcome: str
    answer: Answer | None


@dataclass(frozen=True)
class Mistake:
    """A named mistake, and what it answers to the tests with these ids."""

    id: str
    sentence: str
    told: Callable[[Collection[str]], Mapping[str, Told]]


def named(results: Sequence[TestResult], mistakes: Sequence[Mistake]) -> list[TestResult]:
    """The results of one exercise's tests, whose messages name the mistakes that they show."""
    failed = {r.id: r for r in results if r.outcome == FAILED and r.answer is not None}
    passed = [r.id for r in results if r.outcome in (PASSED, WAITING)]
    if not failed:
        return list(results)
    suspects = [
        (mistake, fits, others)
        for mistake in mistakes
        for told in [mistake.told(failed.keys())]
        for fits, others in [_fits(told, failed)]
        if fits
        and _is_evidence(fits, _raises_too(told, failed), failed)
        and all(told.outcome == PASSED for told in mistake.told(passed).values())
    ]
    messages, shared = dict[str, Message](), set[str]()
    while suspects := [s for s in suspects if s[1] - messages.keys()]:
        most = max(_rank(s, messages) for s in suspects)
        best = [s for s in suspects if _rank(s, messages) == most]
        explained = best[0][1] - messages.keys()
        same = [one for one in best if one[1] - messages.keys() == explained]
        shared |= {id for _, fits, others in same for id in fits | others}
        cause = " — or: ".join(dict.fromkeys(mistake.sentence for mistake, _, _ in same))
        for id in explained:
            own = failed[id].message or Message()
            messages[id] = replace(own, cause=cause, seen=True, mistake=same[0][0].id)
    if 2 * len(shared) < len(failed):
        return list(results)
    return [replace(r, message=messages[r.id]) if r.id in messages else r for r in results]


def _is_evidence(fits: set[str], raises: set[str], failed: Mapping[str, TestResult]) -> bool:
    """Whether a failure with few reasons is explained, all failures, or exceptions of half of them.

    NaN in place of numbers has many reasons, and an exception may have several. Where the mistake
    `raises`, too, the text of the exception may be that of another form of what comes before.
    """
    raised = {id for id, one in failed.items() if one.answer and one.answer.raised}
    vague = {id for id, one in failed.items() if one.answer and one.answer.is_vague}
    if not fits <= vague or fits == failed.keys():
        return True
    return vague <= fits | raises and 2 * len(fits & raised) >= len(failed)


def _raises_too(told: Mapping[str, Told], failed: Mapping[str, TestResult]) -> set[str]:
    """The failures in which both the mistake and the student's code raise something."""
    both = {id: (one.answer, failed[id].answer) for id, one in told.items()}
    return {id for id, (its, own) in both.items() if its and its.raised and own and own.raised}


def _fits(told: Mapping[str, Told], failed: Mapping[str, TestResult]) -> tuple[set[str], set[str]]:
    """The failures that a mistake explains, and those that it has in another way."""
    wrong = {id for id, one in told.items() if one.outcome != PASSED}
    fits = {id for id in wrong if _same(told[id], failed[id])}
    return fits, wrong - fits


def _same(told: Told, result: TestResult) -> bool:
    if told.outcome != FAILED or told.answer is None or result.answer is None:
        return False
    asked = result.mark.question
    tolerances = (asked.atol, asked.rtol) if asked else ()
    return told.answer.like(result.answer, *tolerances)


def _rank(
    suspect: tuple[Mistake, set[str], set[str]], explained: Mapping[str, Message]
) -> tuple[int, int]:
    _, fits, others = suspect
    return len(fits - explained.keys()), -len(others)

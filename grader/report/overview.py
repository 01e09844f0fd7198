"""A class at a glance: one assignment's score distribution, difficulty, mistakes and outcomes."""

import statistics
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from grader.course.assignment import Assignment

from ..gradebook.exercise_result import Number, PartResult
from ..gradebook.result import Result
from ..gradebook.totals import WITHOUT_POINTS
from ..notebook import answer_groups
from .item_analysis import items
from .sentences import OUTCOME_MEANINGS, TIER_MEANINGS, main_cause


def overview(assignment: Assignment, results: list[Result]) -> dict[str, Any]:
    """Everything the overview shows of one assignment, ready for the template."""
    readable = [result for result in results if result.outcome not in WITHOUT_POINTS]
    totals = [r.totals.total for r in readable if r.totals.total is not None]  # not excused
    return {
        "assignment": assignment,
        "results": results,
        "readable": len(readable),
        "median": statistics.median(totals) if totals else None,
        "highest": max(totals, default=None),
        "lowest": min(totals, default=None),
        "pending": sum(result.totals.manual_pending for result in readable),
        "late": sum(result.totals.late_days > 0 for result in results),
        "histogram": histogram(totals),
        "difficulty": items(assignment, readable),
        "mistakes": mistakes(readable),
        "outcomes": _grouped([(r.student, r.outcome) for r in results], OUTCOME_MEANINGS),
        "tiers": _grouped([(r.student, r.tier) for r in results], TIER_MEANINGS),
        "causes": {result.student: main_cause(result) for result in results},
        "proofs": sorted({(r.suite_sha256, r.environment_sha256, r.seed) for r in results}),
    }


def everyone(results: Sequence[Result]) -> dict[str, dict[str, Result]]:
    """The results of each student, by assignment."""
    found: dict[str, dict[str, Result]] = {}
    for result in results:
        found.setdefault(result.student, {})[result.assignment] = result
    return found


def histogram(totals: list[float]) -> dict[str, Any]:
    """Counts of totals in bins of ten; the last bin up to 100 includes 100, bonus goes above.

    Bars are in the units of the drawing: 400 wide, 150 high.
    """
    steps = 10 + (max(totals, default=0) > 100)
    counts = [0] * steps
    for total in totals:
        index = 9 if total == 100 else int(total // 10)
        counts[max(0, min(index, steps - 1))] += 1
    width, tallest = 400 / steps, max([*counts, 1])
    bars = [
        {
            "from": 10 * index,
            "to": 10 * index + 10 if index < 10 else None,
            "count": count,
            "x": round(index * width, 2),
            "width": round(width, 2),
            "height": round(150 * count / tallest, 2),
        }
        for index, count in enumerate(counts)
    ]
    filled = [bar for bar in bars if bar["count"]]
    description = "; ".join(
        f"{bar['count']} from {bar['from']}" + (f" to {bar['to']}" if bar["to"] else " up")
        for bar in filled
    )
    return {"bars": bars, "width": width, "description": description or "no totals yet"}


def mistakes(results: list[Result]) -> list[dict[str, Any]]:
    """Named mistakes with the students who made them, the most common first."""
    found: dict[str, dict[str, Any]] = {}
    for result in results:
        for exercise in result.exercises:
            for test in exercise.tests:
                if test.bug and not test.carried_through:
                    title = test.bug_title or test.bug
                    entry = {"title": title, "exercise": exercise.id, "students": []}
                    students = found.setdefault(test.bug, entry)["students"]
                    if result.student not in students:
                        students.append(result.student)
    return sorted(found.values(), key=lambda entry: -len(entry["students"]))


def _grouped(found: list[tuple[str, str]], meanings: dict[str, str]) -> list[dict[str, Any]]:
    return [
        {"name": name, "meaning": meaning, "students": students}
        for name, meaning in meanings.items()
        if (students := [student for student, own in found if own == name])
    ]


@dataclass(frozen=True)
class Unequal:
    """Answers with the same words that have different points: who has how many, most first."""

    item: str
    text: str
    students: dict[Number, list[str]]


def unequal_marks(results: Iterable[Result]) -> list[Unequal]:
    """All of them in some results, by item; answers with other pictures are not equal."""
    found: dict[tuple[object, ...], list[tuple[str, PartResult]]] = {}
    for result in results:
        for part in result.parts:
            if part.points is not None:
                beside = part.pictures + part.printed
                key = (result.assignment, part.id, answer_groups.content(part.answer), beside)
                found.setdefault(key, []).append((result.student, part))
    listing = []
    for same in found.values():
        students: dict[Number, list[str]] = {}
        for student, part in sorted(same, key=lambda one: -(one[1].points or 0)):
            students.setdefault(part.points or 0, []).append(student)
        if len(students) > 1:
            listing.append(Unequal(same[0][1].id, same[0][1].answer, students))
    return sorted(listing, key=lambda one: one.item)

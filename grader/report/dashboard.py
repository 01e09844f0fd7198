"""The class dashboard: what to teach again, whom to talk to, what is left to mark; its figures.

It is a file of its own, as the report lists what each student got; its links lead to the students'
pages.
"""

import datetime
from collections.abc import Mapping, Sequence
from typing import Any

from grader.course.assignment import Assignment
from grader.course.course import Course

from ..classroom.roster import Roster
from ..gradebook.lateness import moment
from ..gradebook.result import Result
from ..gradebook.totals import WITHOUT_POINTS
from .early_warning import RULES, warnings
from .item_analysis import MIN_DIFFERENT, MIN_STUDENTS, Discrimination, Spread, items, spread
from .overview import histogram, unequal_marks
from .plain_text import counted, number

SHOWN_MISTAKES = 12
_LAST_HOURS = datetime.timedelta(hours=24)


def dashboard(results: Sequence[Result], course: Course, roster: Roster) -> dict[str, Any]:
    """Everything the dashboard shows, ready for the template; names must be cleaned already."""
    ids = [assignment.id for assignment in course.assignments]
    classes = [
        _class(assignment, mine)
        for assignment in course.graded
        if (mine := [r for r in results if r.assignment == assignment.id])
    ]
    spreads: dict[str, Spread] = {c["assignment"].id: c["spread"] for c in classes if c["spread"]}
    most = max((c["most"] for c in classes), default=0)
    found = warnings(results, ids, roster)
    graded = {result.student for result in results}
    return {
        "classes": classes,
        "students": len(graded | {*roster.students}),
        "graded": graded,
        "spreads": spreads,
        "box_plot": box_plot(spreads, most) if spreads else None,
        "warned": [(w, roster.student(w.student), columns(w.shares)) for w in found],
        "rules": RULES,
        "min_students": MIN_STUDENTS,
        "min_different": MIN_DIFFERENT,
    }


def failed_tests(results: Sequence[Result]) -> list[dict[str, Any]]:
    """Tests that students failed, the most often failed first, each with its commonest cause.

    A test that failed because of an earlier exercise, or of code that is not written, is left out.
    """
    found: dict[str, dict[str, Any]] = {}
    for result in results:
        for exercise in result.exercises:
            for test in exercise.tests:
                if test.points or not test.failed or test.outcome == "NOT_WRITTEN":
                    continue
                blank: dict[str, Any] = {"exercise": exercise.id, "title": test.title, "causes": {}}
                entry = found.setdefault(test.id, blank | {"students": set()})
                entry["students"].add(result.student)
                message = test.message
                seen = message.cause if message and message.seen else ""
                if cause := test.bug_title or seen:
                    entry["causes"].setdefault(cause, set()).add(result.student)
    listing = [
        {
            "exercise": entry["exercise"],
            "title": entry["title"],
            "students": len(entry["students"]),
            "causes": sorted(
                ((cause, len(who)) for cause, who in entry["causes"].items()),
                key=lambda pair: (-pair[1], pair[0]),
            ),
        }
        for entry in found.values()
    ]
    return sorted(listing, key=lambda e: (-e["students"], _places(e["exercise"]), e["title"]))


def _class(assignment: Assignment, results: list[Result]) -> dict[str, Any]:
    readable = [result for result in results if result.outcome not in WITHOUT_POINTS]
    totals = [r.totals.total for r in readable if r.totals.total is not None]
    failures = failed_tests(readable)
    return {
        "assignment": assignment,
        "handed_in": len(results),
        "readable": len(readable),
        "spread": spread(totals),
        "most": max((result.totals.max for result in readable), default=0),
        "histogram": histogram(totals),
        "pending": sum(result.totals.manual_pending for result in readable),
        "items": [
            (item, whisker(item.discrimination) if item.discrimination else None)
            for item in items(assignment, readable)
        ],
        "failures": failures[:SHOWN_MISTAKES],
        "more_failures": max(len(failures) - SHOWN_MISTAKES, 0),
        "handing_in": _handing_in(assignment, results),
        "marking": _marking(assignment, readable),
    }


def _handing_in(assignment: Assignment, results: list[Result]) -> dict[str, Any]:
    """How many were on time, how many days late, and what it cost them."""
    known = [r for r in results if r.submission.received is not None]
    allowed = assignment.late_days
    names = ["on time", *(f"{counted(day, 'day')} late" for day in range(1, allowed + 1))]
    names += [f"more than {counted(allowed, 'day')} late" if allowed else "late"]
    days = [min(r.totals.late_days, allowed + 1) for r in known]
    counts = [(name, days.count(day)) for day, name in enumerate(names)]
    counts += [("time unknown", len(results) - len(known))]
    early = [assignment.due - moment(r.submission.received or "") for r in known]
    return {
        "stack": stack(counts),
        "last_day": sum(datetime.timedelta(0) <= lead <= _LAST_HOURS for lead in early),
        "penalized": sum(r.totals.late_penalty > 0 for r in results),
        "lost": sum(r.totals.late_penalty for r in results),
    }


def _marking(assignment: Assignment, results: list[Result]) -> dict[str, Any]:
    """How much of the written work is marked, part by part."""
    parts: dict[str, dict[str, Any]] = {}
    for part in (part for result in results for part in result.parts):
        entry = parts.setdefault(part.id, {"id": part.id, "title": part.title, "of": 0, "done": 0})
        entry["of"] += 1
        entry["done"] += part.points is not None
    done, whole = (sum(entry[key] for entry in parts.values()) for key in ("done", "of"))
    complete = sum(all(part.points is not None for part in r.parts) for r in results if r.parts)
    return {
        "parts": list(parts.values()),
        "done": done,
        "of": whole,
        "complete": complete,
        "students": sum(bool(result.parts) for result in results),
        "stack": stack([("marked", done), ("to mark", whole - done)]),
        "unequal": unequal_marks(results),
    }


def _places(exercise: str) -> list[int]:
    """1.10 comes after 1.9."""
    return [int(part) for part in exercise.split(".") if part.isdecimal()]


WIDTH = 400.0  # of a drawing, in its own units
ROW = 30.0  # height of one row


def box_plot(spreads: Mapping[str, Spread], most: float) -> dict[str, Any]:
    """A row for each name: a line from lowest to highest, a box between quartiles, the median."""
    top = max([most, *(spread.highest for spread in spreads.values())])
    rows = [
        {
            "name": name,
            "y": index * ROW,
            "line": (_scaled(spread.lowest, top), _scaled(spread.highest, top)),
            "box": (_scaled(spread.lower_quartile, top), _scaled(spread.upper_quartile, top)),
            "median": _scaled(spread.median, top),
        }
        for index, (name, spread) in enumerate(spreads.items())
    ]
    ticks = [(value, _scaled(value, top)) for value in range(0, int(top) + 1, 20)]
    texts = [
        f"{name}: median {number(spread.median)}, half of the class between "
        f"{number(spread.lower_quartile)} and {number(spread.upper_quartile)}"
        for name, spread in spreads.items()
    ]
    height = ROW * len(rows)
    return {"rows": rows, "ticks": ticks, "height": height, "description": "; ".join(texts)}


def whisker(found: Discrimination) -> dict[str, float]:
    """A correlation from −1 to 1 on a line 100 long: the value and its interval."""
    ends = (("x", found.value), ("low", found.low), ("high", found.high))
    return {name: round(50 + 50 * value, 2) for name, value in ends}


def stack(counts: Sequence[tuple[str, int]]) -> dict[str, Any]:
    """One bar 100 long, divided by these counts; names without any are left out."""
    whole = sum(count for _, count in counts)
    segments, start = [], 0.0
    for index, (name, count) in enumerate(counts):
        if count:
            width = 100 * count / whole
            shown = {"x": round(start, 2), "width": round(width, 2), "step": index}
            segments.append({"name": name, "count": count, **shown})
            start += width
    description = ", ".join(f"{name}: {count}" for name, count in counts if count)
    return {"segments": segments, "description": description or "none"}


def columns(shares: Mapping[str, float]) -> list[dict[str, Any]]:
    """A small column for each share of the points: 10 wide, at most 20 high."""
    return [
        {"x": 12 * index, "y": round(20 * (1 - min(share, 1)), 2), "height": round(20 * share, 2)}
        for index, share in enumerate(shares.values())
    ]


def _scaled(value: float, top: float) -> float:
    return round(WIDTH * value / top, 2) if top else 0.0

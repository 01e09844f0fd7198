"""The history of a grade (gradings, marks, rules, totals), and the difference of two gradings."""

import datetime
from collections.abc import Iterable, Mapping
from operator import attrgetter
from typing import Any

from ..exercise_result import GradedTest
from ..manual import ManualMark
from ..result import Request, Result
from ..rules.policy import Change
from ..stored_marks import KeptMark
from ..totals import UNGRADED
from . import total_changes

ABSENT = "no such test"


def preview(
    now: Iterable[Result],
    stored: Mapping[tuple[str, str], Result],
    zone: datetime.tzinfo = total_changes.UTC,
) -> dict[str, Any]:
    """Compare new results with the `stored` ones of the same student and assignment.

    `summary` counts: up, down, same (the total), new (nothing stored), ungraded (the grader
    failed). `changes` has an entry for each result whose total or tests differ, most points first:
    student, assignment, `before` and `now` (totals, None if there is none), points, exercises
    (differences by id), tests (see `by_test`), held (the items whose marks no longer count), and
    why (the causes in words; see `total_changes.reasons`).
    """
    summary = dict.fromkeys(("up", "down", "same", "new", "ungraded"), 0)
    changes = []
    for result in now:
        before = stored.get((result.student, result.assignment))
        if result == before:
            summary["same"] += 1
            continue
        kind, change = _change(before, result, zone)
        summary[kind] += 1
        if kind != "same" or change["tests"] or change["exercises"] or change["held"]:
            changes.append(change)
    changes.sort(key=lambda c: (-abs(c["points"] or 0.0), c["student"], c["assignment"]))
    return {"summary": summary, "changes": changes}


def _change(
    before: Result | None, now: Result, zone: datetime.tzinfo
) -> tuple[str, dict[str, Any]]:
    change: dict[str, Any] = {
        "student": now.student,
        "assignment": now.assignment,
        "outcome": now.outcome,
        "before": before.totals.total if before else None,
        "now": now.totals.total,
        "points": None,
        "exercises": {},
        "tests": [],
        "held": [],
        "why": [],
    }
    if now.outcome == UNGRADED:
        return "ungraded", change
    if before is None:
        return "new", change
    points = round((now.totals.total or 0.0) - (before.totals.total or 0.0), 2)
    found = {
        "points": points,
        "exercises": by_exercise(before, now),
        "tests": by_test(before, now),
        "why": total_changes.reasons(total_changes.facts(before), total_changes.facts(now), zone),
        "held": [m.item for m in now.held if m.item not in {old.item for old in before.held}],
    }
    return "up" if points > 0 else "down" if points < 0 else "same", change | found


def by_exercise(before: Result, now: Result) -> dict[str, float]:
    """By how many points each exercise differs; those that do not are left out."""
    old = {e.id: e.points or 0.0 for e in before.exercises}
    new = {e.id: e.points or 0.0 for e in now.exercises}
    ids = list(dict.fromkeys([*new, *old]))
    differences = {id: round(new.get(id, 0.0) - old.get(id, 0.0), 2) for id in ids}
    return {id: difference for id, difference in differences.items() if difference}


def by_test(before: Result, now: Result) -> list[dict[str, Any]]:
    """Tests that moved points: exercise, id, title, `before` and `now` in words, points.

    They ended differently, or have not all their points and count more or less than before.
    """
    old, new = _tests(before), _tests(now)
    found = []
    for id in dict.fromkeys([*new, *old]):
        exercise, test = new.get(id) or old[id]
        both = [tests[id][1] for tests in (old, new) if id in tests]
        weighed = len(both) == 2 and both[0].max_points != both[1].max_points
        counts = weighed and any(test.points != test.max_points for test in both)
        was, is_now = (_ended(tests.get(id), counts) for tests in (old, new))
        if was != is_now:
            earned = [tests[id][1].points if id in tests else 0.0 for tests in (old, new)]
            found.append(
                {
                    "exercise": exercise,
                    "test": id,
                    "title": test.title,
                    "before": was,
                    "now": is_now,
                    "points": round(earned[1] - earned[0], 2),
                }
            )
    return found


def _tests(result: Result) -> dict[str, tuple[str, GradedTest]]:
    return {test.id: (e.id, test) for e in result.exercises for test in e.tests}


def _ended(found: tuple[str, GradedTest] | None, counts: bool) -> str:
    if found is None:
        return ABSENT
    kept = ", carried through" if found[1].carried_through else ""
    of = f", counts {found[1].max_points:g}" if counts else ""
    return f"{found[1].outcome}{kept}{of}"


_DEPENDS_ON = {
    "submission": attrgetter("submission.sha256"),
    "suite": attrgetter("suite_sha256"),
    "environment": attrgetter("environment_sha256"),
    "seed": attrgetter("seed"),
    "tier": attrgetter("tier"),
    "time of receipt": attrgetter("submission.received"),
}


def entries(
    results: list[Result],
    marks: list[KeptMark],
    rules: Iterable[Change] = (),
    totals: Iterable[dict[str, Any]] = (),
    requests: Iterable[Request] = (),
) -> list[dict[str, Any]]:
    """The events of one student and assignment, oldest first: one entry each.

    Every entry: `kind`, `at` (an ISO time) and `sentence`, which says all of it in words.
    `grading`: outcome, `changed` (names of what differs from the last grade), `exercises`
    (differences by id), `tests` (see `by_test`) and, if an earlier grade counts again,
    `made` (when it was graded). Its sentence has no total, as marks and lateness are not in it. If
    the grader failed there is no grade, and nothing is compared.
    `mark`: item, points and comment as stored; None and "" withdraw an earlier mark. `request`: the
    student asks for a regrade of an item, or it was answered without a mark. `rule`: what
    course.toml says differently. `total`: what counts from then on, marks and lateness included,
    points (the difference) and `why`; the last one is the total in every file.
    """
    gradings, before = list[dict[str, Any]](), None
    for now in results:
        gradings.append(_grading(before, now))
        before = before if now.outcome == UNGRADED else now
    for earlier, later in zip(gradings, gradings[1:], strict=False):
        if later["at"] < earlier["at"]:  # an earlier grade counts again, from some time after this
            later["made"], later["at"] = later["at"], earlier["at"]
    ruled = [{"kind": "rule", "at": rule.at, "sentence": rule.sentence} for rule in rules]
    events = [*gradings, *_marked(marks), *_asked(requests), *ruled, *totals]
    return sorted(events, key=lambda entry: entry["at"])  # a total follows its causes


def _grading(before: Result | None, now: Result) -> dict[str, Any]:
    entry: dict[str, Any] = {"kind": "grading", "at": now.graded_at, "outcome": now.outcome}
    entry |= {"changed": [], "exercises": {}, "tests": []}
    if now.outcome == UNGRADED:
        return {**entry, "sentence": "the grader failed: no grade"}
    if before is None:
        points = total_changes.automatic_points(now.totals.automatic, now.totals.bonus)
        return {**entry, "sentence": f"graded for the first time: automatic points {points}"}
    changed = [name for name, of in _DEPENDS_ON.items() if of(before) != of(now)]
    moved = total_changes.of_exercises(total_changes.earned(before), total_changes.earned(now))
    what = f"{_listed(changed)} changed" if changed else "graded again, with nothing changed"
    return {
        **entry,
        "changed": changed,
        "exercises": by_exercise(before, now),
        "tests": by_test(before, now),
        "sentence": f"{what}: {', '.join(moved) or 'the same points in every exercise'}",
    }


def _marked(marks: list[KeptMark]) -> list[dict[str, Any]]:
    last: dict[str, ManualMark] = {}
    found = []
    for kept in marks:
        item, mark = kept.item[2], kept.mark
        sentence = _sentence(item or "the whole assignment", last.get(item, ManualMark(None)), mark)
        last[item] = mark
        by = f" (by {mark.marker})" if mark.marker else ""
        undone = "taken back, so: " if kept.undoes else ""
        facts: dict[str, Any] = {"item": item, "points": mark.points, "comment": mark.comment}
        facts |= {"marker": mark.marker, "answer_sha256": mark.answer_sha256}
        facts |= {"rubric": [one.as_json() for one in mark.rubric]}
        said = f"{undone}{sentence}{by}"
        found.append({"kind": "mark", "at": kept.kept_at, **facts, "sentence": said})
    return found


def _asked(requests: Iterable[Request]) -> list[dict[str, Any]]:
    found = []
    for one in requests:
        about = {"kind": "request", "item": one.item}
        said = f"the student asks for a regrade of {one.item}: {one.reason}"
        found.append({**about, "at": one.asked_at, "sentence": said})
        if one.settled_by:
            said = f"the request about {one.item} answered without a new mark (by {one.settled_by})"
            found.append({**about, "at": one.answered_at, "sentence": said})
    return found


def _sentence(item: str, before: ManualMark, now: ManualMark) -> str:
    said = f": {now.comment}" if now.comment else ""
    if now.points is not None:
        was = f" (before: {before.points:g})" if before.points is not None else ""
        return f"{item} marked by hand: {now.points:g} points{was}{_rubric(now)}{said}"
    if before.points is not None:
        return f"the mark of {item} withdrawn (it was {before.points:g} points){said}"
    return f"a comment on {item}{said}" if said else f"the comment on {item} withdrawn"


def _rubric(mark: ManualMark) -> str:
    """Which items of the rubric were met, by their numbers."""
    if not mark.rubric:
        return ""
    met = [str(number) for number, one in enumerate(mark.rubric, start=1) if one.met]
    return f", rubric items met: {', '.join(met) or 'none'} of {len(mark.rubric)}"


def _listed(names: list[str]) -> str:
    return " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)

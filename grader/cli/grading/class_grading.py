"""A folder of submissions, what its trained models are scored with, and its results."""

import contextlib
import os
import sys
from collections import Counter
from collections.abc import Callable
from pathlib import Path

from grader.course.assignment import Assignment
from grader.course.course import Course

from ...classroom.roster import NOBODY, Roster
from ...gradebook.result import Result
from ...gradebook.store import Store
from ...grading import class_run
from ...grading.judge_pool import Settings
from ...intake import submissions
from ...judge.models import scorer
from ...judge.models.scorer import HiddenLabels
from ...sandbox import detection
from ..options import GRADES
from ..output import IsolationProblem, UsageProblem
from ..records import results


def received(
    folder: Path,
    course: Course,
    default: Assignment | None = None,
    roster: Roster = NOBODY,
    notice: Callable[[str], None] = lambda text: None,
    out: Path = GRADES,
) -> list[submissions.Submission]:
    """One submission per student and assignment; `notice` as for `submissions.find`.

    The folder `out`, and the folders around it, are not submissions.

    A hand-in without a notebook or an assignment's name counts for the assignment that most of the
    class handed in.
    """
    ids, is_begun = [assignment.id for assignment in course.graded], class_run.begun_in(course)
    everything = submissions.find(folder, ids, roster, notice, course.facts.zone, is_begun)
    found = [s for s in everything if s.place is None or not _holds(s.place.path, out)]
    known = [class_run.resolve(s, course, default) for s in found if s.data or s.assignment]
    counts = Counter(submission.assignment for submission in known if submission.data)
    if default is None and counts:
        default = course.assignment(max(sorted(counts), key=lambda id: counts[id]))
    rest = [class_run.resolve(s, course, default) for s in found if not (s.data or s.assignment)]
    return submissions.one_each([*known, *rest], is_begun)


def _holds(path: Path, out: Path) -> bool:
    """Whether this is `out` or a folder around it; where a link leads is not asked."""
    return path.is_dir() and Path(os.path.abspath(out)).is_relative_to(os.path.abspath(path))


def hidden_labels(course: Course, ids: set[str], sources: str) -> dict[str, HiddenLabels]:
    """The labels or references to score the trained models of these assignments with.

    Raises UsageProblem for an unknown source, or if no source works.
    """
    names = [name.strip() for name in sources.split(",")]
    models = [course.assignment(id) for id in sorted(ids)]
    if not models or names == ["none"]:
        return {}
    if "none" in names:
        raise UsageProblem(f"--labels-from {sources}: give sources or none, not both")
    try:
        with contextlib.redirect_stdout(sys.stderr):  # the plugin prints which source it used
            return {a.id: scorer.hidden_labels(course, a, names) for a in models}
    except Exception as error:
        if not hasattr(error, "exit_code"):  # what the course's own code says to a user has one
            raise
        remedy = "or grade everything except trained models with --labels-from none"
        raise UsageProblem(f"{error}; {remedy}") from None


def with_models(
    course: Course, chosen: list[submissions.Submission], exercises: tuple[str, ...] | None
) -> set[str]:
    """The assignments whose trained models this run scores."""
    found = {submission.assignment for submission in chosen}
    return {
        id
        for id in found
        if any(
            exercise.kind == "model" and (exercises is None or exercise.id in exercises)
            for exercise in course.assignment(id).exercises
        )
    }


def grade(
    chosen: list[submissions.Submission],
    course: Course,
    store: Store,
    settings: Settings,
    quiet: bool,
) -> list[Result]:
    """All results, sorted by student and assignment, with a progress bar unless quiet."""
    graded = []
    with results.progress(len(chosen), quiet) as advance:
        for result in class_run.grade_class(chosen, course, store, settings):
            graded.append(result)
            advance(f"{result.student} {result.assignment}")
    return sorted(graded, key=lambda r: (r.student, r.assignment))


def checked_tier(required: str | None, trust: bool) -> detection.Tier:
    """The machine's tier. Raises IsolationProblem if it is below `required`, or below C."""
    tier = detection.detect()
    if required is not None and required.upper() not in tuple("ABCD"):
        raise UsageProblem(f"--require-isolation {required}: give a tier, A, B, C or D")
    if required is not None and tier.name > required.upper():
        raise IsolationProblem(
            f"this machine offers {tier_text(tier)}; you asked for tier {required.upper()}"
        )
    if tier.name > "C" and not trust:
        raise IsolationProblem(
            f"this machine offers only {tier_text(tier)}: untrusted code could read and write "
            "your files. Grade on Linux (as root or with user namespaces), or add "
            "--i-trust-these-submissions"
        )
    return tier


def tier_text(tier: detection.Tier) -> str:
    """`tier A (namespaces, …)`, and what is missing for a higher one."""
    missing = "; ".join(f"no {layer}: {why}" for layer, why in tier.missing.items())
    return f"tier {tier.name} ({', '.join(tier.layers)}{'; ' if missing else ''}{missing})"

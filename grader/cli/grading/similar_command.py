"""`course similar`."""

from grader.course.assignment import Assignment
from grader.course.course import Course
from grader.notebook.notebook_file import InvalidNotebook

from ...authoring import consistency
from ...authoring.views import notebooks
from ...intake.submissions import Submission
from ...library.components import Component
from ...similarity import page
from ...similarity.compare import SOLUTION, Pair, suspicious
from ...similarity.own_work import Handout, Work
from .. import EXIT_OK, lookup
from ..output import OutputProblem, UsageProblem, say, say_json, warn
from ..records import class_list
from .class_grading import received
from .grading_options import Similar


def run(options: Similar) -> int:
    """Compare the submissions of each assignment, print the pairs and write the page."""
    folder, assignment, to = options.submissions, options.assignment, options.to
    course = Course.here()
    consistency.check_components(course)
    default = lookup.assignment(course, assignment) if assignment else None
    roster = class_list.roster(options.roster, course, options.out, options.store)
    handed_in = received(folder, course, default, roster, out=options.out)
    found, unread = list[page.Comparison](), list[str]()
    for each in course.graded:
        mine = [s for s in handed_in if s.assignment == each.id and default in (None, each)]
        if mine:
            warn(f"{each.id}: comparing {len(mine)} submissions")
            works, not_compared = _works(course, each, mine)
            unread += not_compared
            pairs = suspicious(works, _solution(course, each), options.common)
            found.append(page.Comparison(each, len(works), pairs))
    if not found:
        raise UsageProblem(f"{folder}: nobody handed in {assignment}")
    try:
        to.parent.mkdir(parents=True, exist_ok=True)
        to.write_text(page.render(found, unread, options.common), encoding="utf-8")
    except OSError as error:
        raise OutputProblem(
            f"{to}: cannot be written ({error.strerror}); give another --to"
        ) from None
    for sentence in unread:
        warn(f"not compared: {sentence}")
    rows = [(compared.assignment.id, pair) for compared in found for pair in compared.pairs]
    if options.json:
        say_json([_entry(id, pair) for id, pair in rows])
        return EXIT_OK
    for id, pair in rows:
        say(_line(id, pair))
    say(f"{len(rows)} similar {'pair' if len(rows) == 1 else 'pairs'}; side by side: {to}")
    return EXIT_OK


def _works(
    course: Course, assignment: Assignment, chosen: list[Submission]
) -> tuple[list[Work], list[str]]:
    """The code of each student or group, and a sentence for each that cannot be read."""
    handout = Handout.of(course, assignment)
    groups: dict[str, list[Submission]] = {}
    for submission in chosen:
        groups.setdefault(submission.file, []).append(submission)
    works, unread = list[Work](), list[str]()
    for submission, *others in groups.values():
        names = ", ".join([submission.student, *(other.student for other in others)])
        try:
            if submission.problem:
                raise InvalidNotebook(submission.problem)
            works.append(handout.work(names, submission.data))
        except InvalidNotebook as error:
            unread.append(f"{names} {assignment.id}: {error}")
    return works, unread


def _solution(course: Course, assignment: Assignment) -> Work:
    """The course's own solution, as text."""
    components = [c for exercise in assignment.exercises for c in exercise.components]
    sources = {component: Component.parse(component).source for component in components}
    written = notebooks.build(course, assignment, "starter", sources)
    return Handout.of(course, assignment).work(SOLUTION, notebooks.dump(written).encode())


def _entry(id: str, pair: Pair) -> dict[str, object]:
    return {
        "assignment": id,
        "students": [pair.first.student, pair.second.student],
        "identical": pair.identical,
        "share": round(pair.whole.share, 4),
        "fingerprints": pair.whole.shared,
        "copied": pair.copied,
    }


def _line(id: str, pair: Pair) -> str:
    how = "the same code" if pair.identical else f"{pair.whole.share:.0%} in common"
    copied = f", copied: {', '.join(pair.copied)}" if pair.copied else ""
    return f"{id}  {pair.first.student} and {pair.second.student}: {how}{copied}"

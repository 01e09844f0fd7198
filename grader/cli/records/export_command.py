"""`course export`: grades in the formats of other systems."""

from collections.abc import Callable
from pathlib import Path

from grader.course.assignment import Assignment
from grader.course.course import Course

from ...classroom.roster import Roster
from ...exchange import canvas, github, gradescope, junit, moodle, results_files
from ...exchange.matching import FilledTable
from ...gradebook.result import Result
from ...report.plain_text import counted
from .. import EXIT_OK, lookup
from ..output import UsageProblem, say, warn
from . import results
from .gradebook_options import FORMATS, Export


def run(options: Export) -> int:
    """Write the file or folder and say what was left out."""
    course = Course.here()
    if options.format not in FORMATS:
        raise UsageProblem(f"there is no format {options.format!r}; there are {', '.join(FORMATS)}")
    if options.assignment is not None:
        _assignment(course, options)
    EXPORTS[options.format](course, options)
    return EXIT_OK


def _canvas(course: Course, options: Export) -> None:
    source = _source(options, "the gradebook that Canvas exported")
    roster, found = _grades(course, options)
    _fill(canvas.filled(source, found, course, roster), options)


def _moodle(course: Course, options: Export) -> None:
    source = _source(options, "Moodle's grading worksheet")
    assignment, (roster, found) = _assignment(course, options), _grades(course, options)
    _fill(moodle.filled(source, found, assignment, roster), options)


def _junit(course: Course, options: Export) -> None:
    _write(junit.to_xml(_grades(course, options)[1]), options)


def _csv(course: Course, options: Export) -> None:
    roster, found = _grades(course, options)
    _write(results_files.to_long_csv(found, roster), options)


def _gradescope(course: Course, options: Export) -> None:
    assignment = _assignment(course, options)
    _write(gradescope.autograder_zip(assignment, "D" if options.trust else "C"), options)
    for sentence in gradescope.what_to_enter(assignment):
        say(sentence)
    if pending := gradescope.left_to_course_grade(assignment):
        say(f"not graded on Gradescope: {', '.join(pending)}; use `course grade`, or by hand")


def _github(course: Course, options: Export) -> None:
    for path in github.write(course, _assignment(course, options), options.to):
        say(path)


# each by the function of its name
EXPORTS: dict[str, Callable[[Course, Export], None]] = {
    name: globals()[f"_{name}"] for name in FORMATS
}


def _fill(filled: FilledTable, options: Export) -> None:
    """Write the table and what it lacks. Raises UsageProblem if it has nothing of ours."""
    if not filled.changed:
        why = "\n".join(filled.sentences[:2])
        raise UsageProblem(f"{options.source}: no grade to fill in, so nothing was written\n{why}")
    _write(filled.text, options)
    say(f"grades of {counted(filled.changed, 'student')} are in it")
    for sentence in filled.sentences:
        warn(sentence)


def _write(data: str | bytes, options: Export) -> None:
    if options.to.is_dir():
        raise UsageProblem(f"{options.to}: is a folder; give the name of a file with --to")
    options.to.parent.mkdir(parents=True, exist_ok=True)
    results_files.replace_file(options.to, data)
    say(options.to)


def _grades(course: Course, options: Export) -> tuple[Roster, list[Result]]:
    """The class, and the results of the assignment that the options name, or of all."""
    roster, found, _ = results.stored(options.roster, course, options.out, options.store)
    wanted = [result for result in found if options.assignment in (None, result.assignment)]
    if not wanted:
        raise UsageProblem(f"{options.out}: no result of {options.assignment} here")
    return roster, wanted


def _source(options: Export, what: str) -> Path:
    if options.source is None:
        raise UsageProblem(f"give {what} with --from; it is filled in and written to --to")
    return options.source


def _assignment(course: Course, options: Export) -> Assignment:
    if options.assignment is None:
        raise UsageProblem(
            f"say which assignment: course export {options.format} a1 --to {options.to}"
        )
    return lookup.assignment(course, options.assignment)

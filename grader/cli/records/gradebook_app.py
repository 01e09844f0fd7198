"""The commands for stored grades: accounts of them, reports, totals, exports, feedback."""

from __future__ import annotations

import typer

from ..options import command
from . import gradebook_options as given

gradebook_app = typer.Typer()


@command(gradebook_app, given.History)
def history(options: given.History) -> int:
    """List every grading and manual mark of one student: when, how much, and by which tests."""
    from . import history_command

    return history_command.run(options)


@command(gradebook_app, given.Why)
def why(options: given.Why) -> int:
    """Account for one grade: how the total is added up, and what each test gave or took."""
    from . import why_command

    return why_command.run(options)


@command(gradebook_app, given.Report)
def report(options: given.Report) -> int:
    """Write the report, CSV and JSON again, for example with new manual marks or terms."""
    from . import report_command

    return report_command.run(options)


@command(gradebook_app, given.Grades)
def grades(options: given.Grades) -> int:
    """The course total of everybody, by the weights and rules of course.toml."""
    from . import grades_command

    return grades_command.run(options)


@command(gradebook_app, given.Export)
def export(options: given.Export) -> int:
    """Grades for a learning platform or a data tool; an autograder; a workflow for CI."""
    from . import export_command

    return export_command.run(options)


@command(gradebook_app, given.Feedback)
def feedback(options: given.Feedback) -> int:
    """Write a page for each student to give back: STUDENT/a2.html."""
    from . import feedback_command

    return feedback_command.run(options)

"""The commands and their options; each is implemented in the module that it imports."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from typing import Annotated

import typer

from ..course.course import Course, imported
from . import EXIT_CODES
from .authoring.authoring_app import authoring_app
from .options import Json, Out, Roster, StoreUrl
from .records.gradebook_app import gradebook_app

Received = Annotated[
    Path | None, typer.Option(help="CSV of times of receipt: student, assignment, time")
]

app = typer.Typer(
    help="Build, check, grade and report on a course.",
    epilog=EXIT_CODES,
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode="rich",
)
app.add_typer(gradebook_app)
app.add_typer(authoring_app)


@app.command()
def check(
    assignment: Annotated[str, typer.Argument(help="a1, a2, …")],
    notebook: Annotated[Path, typer.Argument(help="the saved notebook file")],
    json: Json = False,
) -> None:
    """Run the visible tests on a saved notebook, in a sandbox (students: `student check`)."""
    from . import check_command

    raise typer.Exit(check_command.run(assignment, notebook, json))


@app.command()
def grade(
    submissions: Annotated[Path, typer.Argument(help="STUDENT/a1/*.ipynb, STUDENT.ipynb or .zip")],
    out: Annotated[Path, typer.Option(help="folder for results and report")] = Path("out/grades"),
    assignment: Annotated[str | None, typer.Option(help="only this assignment")] = None,  # noqa: UP007
    only: Annotated[str | None, typer.Option(help="only this student")] = None,  # noqa: UP007
    exercise: Annotated[str | None, typer.Option(help="only this exercise, e.g. 1.4")] = None,  # noqa: UP007
    show: Annotated[bool, typer.Option("--show", help="print every failing test in full")] = False,
    manual: Annotated[Path | None, typer.Option(help="CSV of manual marks and overrides")] = None,  # noqa: UP007
    roster: Roster = None,
    received: Received = None,
    jobs: Annotated[int, typer.Option(min=1, help="submissions graded in parallel")] = 2,
    executor: Annotated[
        str, typer.Option(help="processes, dask (workers here), or tcp://SCHEDULER:PORT")
    ] = "processes",
    regrade: Annotated[bool, typer.Option("--regrade", help="ignore stored grades")] = False,
    preview: Annotated[
        bool,
        typer.Option("--preview", help="store nothing; print whose grade would change"),
    ] = False,
    store: StoreUrl = None,
    require_isolation: Annotated[
        str | None, typer.Option(help="refuse below this tier: A, B or C")  # noqa: UP007
    ] = None,
    trust: Annotated[
        bool, typer.Option("--i-trust-these-submissions", help="grade even below tier C")
    ] = False,
    labels_from: Annotated[
        str, typer.Option(help="labels to score models with: mirror, hub, package, generated, none")
    ] = "mirror,hub",
    json: Json = False,
) -> None:
    """Grade a folder of submissions against the hidden suites, in a sandbox."""
    from .grading import grade_command

    raise typer.Exit(
        grade_command.run(
            grade_command.Options(
                submissions=submissions,
                out=out,
                assignment=assignment,
                only=only,
                exercise=exercise,
                show=show,
                manual=manual,
                roster=roster,
                received=received,
                jobs=jobs,
                executor=executor,
                regrade=regrade,
                preview=preview,
                store=store,
                require_isolation=require_isolation,
                trust=trust,
                labels_from=labels_from,
                json=json,
            )
        )
    )


@app.command()
def nbgrader(
    folder: Annotated[Path, typer.Argument(help="an nbgrader course folder, with submitted/")],
    assignment: Annotated[str, typer.Option(help="a1, a2, …")],
    out: Annotated[  # noqa: UP007
        Path | None, typer.Option(help="folder for results and report; default: FOLDER/grades")
    ] = None,
    only: Annotated[str | None, typer.Option(help="only this student")] = None,  # noqa: UP007
    roster: Roster = None,
    received: Received = None,
    jobs: Annotated[int, typer.Option(min=1, help="submissions graded in parallel")] = 2,
    regrade: Annotated[bool, typer.Option("--regrade", help="ignore stored grades")] = False,
    require_isolation: Annotated[
        str | None, typer.Option(help="refuse below this tier: A, B or C")  # noqa: UP007
    ] = None,
    trust: Annotated[
        bool, typer.Option("--i-trust-these-submissions", help="grade even below tier C")
    ] = False,
    labels_from: Annotated[str, typer.Option(help="as for `grade`")] = "mirror,hub",
    json: Json = False,
) -> None:
    """Grade an nbgrader course as `grade` does, and fill nbgrader's own gradebook."""
    from .grading import grade_command, nbgrader_command

    options = grade_command.Options(
        submissions=folder,  # replaced by what nbgrader's configuration says
        out=out or folder / "grades",
        assignment=assignment,
        only=only,
        roster=roster,
        received=received,
        jobs=jobs,
        regrade=regrade,
        require_isolation=require_isolation,
        trust=trust,
        labels_from=labels_from,
        json=json,
    )
    raise typer.Exit(nbgrader_command.run(folder, assignment, options))


@app.command()
def similar(
    submissions: Annotated[Path, typer.Argument(help="the folder that `grade` is given")],
    assignment: Annotated[str | None, typer.Option(help="only this assignment")] = None,  # noqa: UP007
    to: Annotated[Path, typer.Option(help="the page to write")] = Path("out/similar.html"),
    common: Annotated[
        int, typer.Option(min=2, help="code that more students than this share is not counted")
    ] = 10,
    out: Out = Path("out/grades"),
    roster: Roster = None,
    store: StoreUrl = None,
    json: Json = False,
) -> None:
    """Find submissions too similar to be independent, side by side, for the instructor alone."""
    from .grading import similar_command

    options = similar_command.Options(submissions, assignment, to, common, out, roster, store, json)
    raise typer.Exit(similar_command.run(options))


@app.command()
def prove(
    assignment: Annotated[str | None, typer.Option(help="only this assignment")] = None,  # noqa: UP007
    exercise: Annotated[str | None, typer.Option(help="only this exercise's named bugs")] = None,  # noqa: UP007
    only_bugs: Annotated[bool, typer.Option("--only-bugs", help="only the named bugs")] = False,
    backend: Annotated[str, typer.Option(help="local, sandbox or both")] = "both",
    seeds: Annotated[
        str, typer.Option(help="seeds of other releases, for the named bugs: 0,1,2 or all (20)")
    ] = "all",
    jobs: Annotated[int, typer.Option(min=1, help="processes")] = 2,
    json: Json = False,
) -> None:
    """Prove the grader: every reference, starter, variant and named bug, in both backends."""
    from .authoring import prove_command

    raise typer.Exit(prove_command.run(assignment, exercise, only_bugs, backend, seeds, jobs, json))


@app.command()
def margins(
    assignment: Annotated[str | None, typer.Option(help="only this assignment")] = None,  # noqa: UP007
    quick: Annotated[
        bool, typer.Option("--quick", help="this machine's arithmetic, one seed")
    ] = False,
    jobs: Annotated[int, typer.Option(min=1, help="processes")] = 2,
    json: Json = False,
) -> None:
    """Measure how much of each test's tolerance a correct answer uses, on any processor."""
    from .authoring import margins_command

    raise typer.Exit(margins_command.run(assignment, quick, jobs, json))


def add_commands_of(course: Course) -> None:
    """Add the course's own commands (`[course.commands]`), but for packages that are not here.

    A repository of students, say, has no benchmarks. Raises CourseError.
    """
    for name, reference in course.facts.commands.items():
        if not _is_here(reference.partition(":")[0]):
            continue
        found = imported(f"[course.commands] {name}", reference)
        if isinstance(found, typer.Typer):
            app.add_typer(found, name=name)
        else:
            app.command(name)(found)


def _is_here(module: str) -> bool:
    try:
        return importlib.util.find_spec(module) is not None
    except ModuleNotFoundError:  # a package above it
        return False

"""`course bench …`: how fast, and how well, the grader and the site do what they are for."""

from pathlib import Path
from typing import Annotated

import typer

from grader.cli import lookup
from grader.cli.options import Json
from grader.cli.output import UsageProblem
from grader.course.course import Course

from ..command_output import log, measure, numbers, show

grader_app = typer.Typer()

Assignments = Annotated[str, typer.Option(help="a1,a2,…; default: all")]


@grader_app.command("debug")
def debug(
    json: Json = False,
    only: Annotated[str, typer.Option(help="a,b,…: named mistakes; default: all")] = "",
    jobs: Annotated[int, typer.Option(min=1, help="mistakes judged at a time")] = 2,
) -> None:
    """Ask `student debug` about a model with each named mistake; ten CPU minutes."""
    from . import debug as bench

    chosen = [name for name in only.split(",") if name]
    known = {bug.name for bug in bench.of_models()}
    if unknown := [name for name in chosen if name not in known]:
        raise UsageProblem(f"--only {unknown[0]}: no model uses a mistake of this name")
    show(bench.run(log, chosen, jobs), f"results/{bench.NAME}.json", json)


@grader_app.command("grading")
def grading(
    json: Json = False,
    submissions: Annotated[int, typer.Option(min=1, help="of each assignment")] = 10,
    assignments: Assignments = "",
) -> None:
    """Our grading against `nbgrader autograde`: one submission, and a whole class."""
    course = Course.here()
    measure("grader.grading", json, course, submissions, _chosen(course, assignments))


@grader_app.command("class")
def large_class(
    json: Json = False,
    submissions: Annotated[int, typer.Option(min=2, help="synthetic, all right")] = 240,
    sample: Annotated[
        int, typer.Option(min=2, help="of them, graded with each number of workers")
    ] = 60,
    assignment: Annotated[str, typer.Option(help="a1, a2, …")] = "a2",
    workers: Annotated[str, typer.Option(help="numbers of Dask workers to compare")] = "1,2",
) -> None:
    """A large class on Dask workers: throughput by workers, and the client's memory."""
    course = Course.here()
    chosen, counts = lookup.assignment(course, assignment), numbers(workers, "--workers", least=1)
    if sample > submissions:
        raise UsageProblem(f"--sample {sample}: give at most {submissions}, the whole class")
    measure("grader.large_class", json, course, chosen, submissions, sample, counts)


@grader_app.command("trained-class")
def trained_class(
    json: Json = False,
    submissions: Annotated[int, typer.Option(min=2, help="with a trained translator each")] = 200,
    jobs: Annotated[int, typer.Option(min=1, help="as of course grade")] = 2,
    assignment: Annotated[str, typer.Option(help="one that hands in a translator")] = "a4",
) -> None:
    """A class that hands in trained translators: CPU seconds a submission, minutes in all."""
    course = Course.here()
    chosen = lookup.assignment(course, assignment)
    if chosen.model is None or chosen.model.measure != "bleu":
        raise UsageProblem(f"--assignment {assignment}: it hands in no translator; give a4")
    measure("grader.trained_class", json, course, chosen, submissions, jobs)


@grader_app.command("similar")
def similar(assignments: Assignments = "", json: Json = False) -> None:
    """How often `course similar` finds copies and accuses independent work; some minutes."""
    course = Course.here()
    measure("grader.similar", json, course, _chosen(course, assignments))


@grader_app.command("slips")
def slips(json: Json = False) -> None:
    """How often a check explains the hundred commonest slips of students; a minute."""
    measure("grader.slips", json, Course.here())


@grader_app.command("marking")
def marking(
    students: Annotated[int, typer.Option(min=5, help="generated, with written answers")] = 300,
    json: Json = False,
) -> None:
    """`course mark` by keyboard in Chromium, without reading: marks a minute; some minutes."""
    course = Course.here()
    measure("grader.marking", json, course, course.assignment("a1"), students)


@grader_app.command("report")
def report(
    students: Annotated[int, typer.Option(min=2, help="generated")] = 300,
    json: Json = False,
) -> None:
    """Size of a class's report and pages, and how fast Chromium opens them; a minute."""
    measure("grader.report", json, Course.here(), students)


@grader_app.command("site")
def site(
    folder: Annotated[Path, typer.Option(help="the built site")] = Path("out/site"),
    runs: Annotated[int, typer.Option(min=1, help="of each page and device")] = 3,
    json: Json = False,
) -> None:
    """Lighthouse's scores of the built site, which npx runs; some minutes."""
    if not (folder / "index.html").is_file():
        raise UsageProblem(f"{folder} holds no site: run `course site build` first")
    measure("grader.site", json, folder, runs)


def _chosen(course: Course, assignments: str) -> list[str]:
    """The assignments that an option names; without it, all."""
    named = [id for id in assignments.split(",") if id]
    return [lookup.assignment(course, id).id for id in named] or [a.id for a in course.assignments]

"""The parts of README that `course build` writes, each between `<!-- front: NAME -->` marks.

What another file states is taken from there: the site's first paragraph, the hours, the figures.
"""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from html import escape

from grader.authoring.views import setup_cell, texts
from grader.course import toml
from grader.course.assignment import Assignment
from grader.course.course import Course
from grader.library.components import BuildError

from ..notebooks.lecture_notebook import FOLDER as NOTEBOOKS
from ..quizzes import quiz
from ..weeks import Stage, stages, step_of
from . import generated_parts, study_plan
from .measures import Measures

_OPENING = re.compile(r"^:+\{container\} home-text\n(.+?)\n\n", re.M | re.S)
FOLDER = "pictures"
BADGE = "https://img.shields.io/badge"


@dataclass(frozen=True)
class Picture:
    """A picture of README, which `course site pictures` takes."""

    name: str
    shows: str  # to those who do not see it
    caption: str

    @property
    def paths(self) -> tuple[str, str]:
        """In light and in dark colors."""
        return f"{FOLDER}/{self.name}_light.webp", f"{FOLDER}/{self.name}_dark.webp"


PICTURES = (
    Picture(
        "attention",
        "Heat map of a small translator: a row for each French word that it wrote, a column for "
        "each English word, bright where it looked. Most bright cells are on the diagonal; those "
        "of “ne dort jamais” cross over to “never sleeps”.",
        "Your translator shows which word came from which.",
    ),
    Picture(
        "live",
        "The live page: “Two dogs play in the snow.” is translated, and an arc leads from the "
        "French word “chiens” to the English word “dogs”, at which it looked with 92%.",
        "A model that thinks in your browser: switch a part off and see what breaks.",
    ),
    Picture(
        "check",
        "A notebook cell that divides the scores by d_k, and below it what the check says: the "
        "likely cause (divided by d_k instead of √d_k), what was expected, and where to read.",
        "Every exercise has a check that says why an answer is wrong.",
    ),
    Picture(
        "report",
        "A student's page of the report: the points, the likely cause of those that were lost "
        "(masked after the softmax), where to read, and the exercises.",
        "The report of a class: causes first, down to each test.",
    ),
)


def filled(text: str, course: Course) -> str:
    """README with its built parts. Raises BuildError for a name that no part has."""

    def part(name: str) -> str:
        if name not in PARTS:
            raise BuildError(f"README.md: there is no part {name!r}: {', '.join(PARTS)}")
        around = "" if name in INLINE else "\n\n"
        return f"{around}{PARTS[name](course)}{around}"

    return generated_parts.filled(text, "front", part)


def _badges(course: Course) -> str:
    project = toml.loads((course.root / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    low, high = re.findall(r"3\.(\d+)", project["requires-python"])
    python, license = f"3.{low} to 3.{int(high) - 1}", project["license"]
    shown = [
        f"[![License: {license}]({BADGE}/license-{license}-00785a)](LICENSE)",
        f"![Python {python}]({BADGE}/Python-{python.replace(' ', '_')}-0072b2)",
    ]
    if course.facts.site:
        shown.insert(0, f"[![Read the site]({BADGE}/read-the_site-d55e00)]({course.facts.site})")
    return "\n".join(shown)


def _opening(course: Course) -> str:
    home = (course.root / "lectures" / "index.md").read_text(encoding="utf-8")
    if not (found := _OPENING.search(home)):
        raise BuildError("lectures/index.md needs its first paragraph in {container} home-text")
    return found[1]


def _pictures(course: Course) -> str:
    """Two in a row, each in the reader's light or dark theme."""
    cells = [f'<td width="50%">{_picture(one)}<br>{one.caption}</td>' for one in PICTURES]
    rows = ["".join(cells[n : n + 2]) for n in range(0, len(cells), 2)]
    return "<table>\n" + "\n".join(f"<tr>{row}</tr>" for row in rows) + "\n</table>"


def _picture(one: Picture) -> str:
    light, dark = one.paths
    return (
        f'<picture><source media="(prefers-color-scheme: dark)" srcset="{dark}">'
        f'<img src="{light}" alt="{escape(one.shows)}"></picture>'
    )


def _time(course: Course) -> str:
    hours = sum(map(study_plan.minutes, stages(course))) / 60
    labs = texts.hours(sum(lab.minutes for lab in course.labs))
    return (
        f"{len(course.weeks)} weeks, about {5 * round(hours / 5)} hours of lectures and required "
        f"exercises; {len(course.labs)} optional labs add {labs}"
    )


def _reached(course: Course) -> str:
    """The reader's results at the end, as measured."""

    def measures(name: str) -> Measures:
        return Measures.of(generated_parts.results(course.root / "results", name))

    trained, tested = measures("multi30k_cpu"), measures("multi30k_test2016")
    reviews = measures("sst2_cpu")
    return (
        f"{tested.beam5_bleu.mean:.1f} BLEU on 1,000 new captions after "
        f"{trained.cpu_minutes.mean:.0f} minutes of training on a CPU, and an encoder that judges "
        f"{reviews.test_accuracy.mean:.0f}% of new movie reviews correctly"
    )


def _chapters(course: Course) -> str:
    """Chapter → lecture → notebook → solution."""
    rows = [
        "| when | read the lecture, answer its quiz | write | compare afterwards |",
        "|---|---|---|---|",
    ]
    for stage in stages(course):
        lectures = "<br>".join(_lectures(course, stage))
        write, solved = _notebooks(course, stage.assignment) if stage.assignment else ("", "")
        rows.append(f"| {stage.title} | {lectures} | {write} | {solved} |")
    for week in sorted({lab.week for lab in course.labs}):
        both = [_notebooks(course, lab) for lab in course.labs if lab.week == week]
        write, solved = ("<br>".join(links) for links in zip(*both, strict=True))
        rows.append(f"| From week {week} | optional labs | {write} | {solved} |")
    return "\n".join(rows)


def _lectures(course: Course, stage: Stage) -> Iterator[str]:
    for number in study_plan.whole(stage):
        page = study_plan.page(number)
        path = f"lectures/{NOTEBOOKS}/{page.stem}.ipynb"
        title = next(part.title for part in course.parts if part.number == number)
        asked = step_of(number)
        quizzed = f" · [quiz](lectures/quizzes/{asked}.md)" if asked in quiz.names() else ""
        opened = _on_colab(setup_cell.opened_at(course, path))
        yield f"[{number} {title}]({path}){quizzed}{opened}"


def _notebooks(course: Course, one: Assignment) -> tuple[str, str]:
    """The notebook to write in, and the executed answers."""
    starter = one.starter.relative_to(course.root).as_posix()
    opened = _on_colab(setup_cell.opened_in(course, one))
    return f"[{one.title}]({starter}){opened}", f"[answers](solutions/{one.id}.ipynb)"


def _on_colab(opened: list[tuple[str, str]]) -> str:
    """A badge, once the course has an address from which Colab can fetch it."""
    address = dict(opened).get("Colab")
    return f" [![Colab]({setup_cell.PICTURES['Colab']})]({address})" if address else ""


INLINE = ("time", "reached")  # within a sentence of README
PARTS: dict[str, Callable[[Course], str]] = {
    "badges": _badges,
    "opening": _opening,
    "pictures": _pictures,
    "time": _time,
    "reached": _reached,
    "chapters": _chapters,
}

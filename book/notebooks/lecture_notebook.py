"""A part of the lecture as a notebook: its cells in their order, its text as Markdown.

Page-only features take a notebook's form: a slide is a box of text, a figure
appears where its cell makes it, a quoted component is a cell that prints it from the library, and
so shows the reader's own once it is written.
"""

import re
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

from book import CHECKOUT
from course_lib.drawings import gallery
from grader.authoring.views import myst_text, notebooks, setup_cell
from grader.authoring.views.myst_text import Block
from grader.course.assignment import Assignment
from grader.course.course import Course

from .. import references
from ..weeks import KINDS
from .unreleased_code import Cell, Waiting, without_idle_imports

FOLDER = "notebooks"  # of the site
PAPER = "https://arxiv.org/abs/1706.03762"
HELPERS = '''\
# What a page of the book does by itself: `glue` keeps a figure or a number and shows it here.
import importlib
import inspect

from IPython.display import display as show_output


def glue(name, value, display=True):
    """Show a figure, or print a number under its name."""
    show_output(value) if hasattr(value, "savefig") else print(f"{name} = {value}")


def print_source(reference):
    """Print a component of the library as it is here: "package.module:name"."""
    module, _, name = reference.partition(":")
    found = importlib.import_module(module)
    for part in name.split("."):
        found = getattr(found, part)
    print(inspect.getsource(found))'''
FIRST = """\
> This is the lecture's page with its cells to run: change one, and run it again. Code that uses an
> answer which is not out yet is text here, and a cell in a later release. The page itself, with its
> slides and quiz, is `{page}` in the built site."""
_LEFT_OUT = re.compile(  # what the page's kernel has and a notebook's need not
    r"^(from book\.notebooks\.glued import glue|plt\.style\.use\(\"figures\.mplstyle\"\))\n?", re.M
)
_ROLE = re.compile(r"\{(?P<role>[\w:-]+)\}`(?P<text>[^`<]*?)(?: *<(?P<target>[^`>]*)>)?`")
_FIELD = re.compile(r"^:(?P<name>[A-Z][^:\n]*): (?P<value>.*)$", re.M)
_COMMENT = re.compile(r"^(%.*|\([\w-]+\)=)\n?", re.M)
_PAGE = re.compile(r"(?<=\]\()(\w+)\.md(?=[)#])")  # a link to another page
_HEADING = re.compile(r"^(?=#{1,4} )", re.M)


def build(course: Course, lecture: Path, week: int = 0) -> notebooks.Notebook:
    """The notebook, without outputs. Raises ValueError for a directive that does not end.

    With a week, it runs in a release which has the answers that are out by then.
    """
    cells: list[notebooks.Cell] = []
    made = _cells(course, lecture)
    if week:
        made = without_idle_imports([*_that_run(made, Waiting(course, week))])
    for number, (kind, text, tags) in enumerate(made, 1):
        about: dict[str, Any] = {"tags": tags} if tags else {}
        if set(tags) & {"hide-input", "remove-cell", "remove-input"}:
            about["jupyter"] = {"source_hidden": True}
        id = f"{lecture.stem.partition('_')[0]}-{number:03}"
        cells.append(notebooks.new_cell(kind, id, text, about))
    return notebooks.of_cells(cells)


def _that_run(cells: Iterable[Cell], waiting: Waiting) -> Iterator[Cell]:
    """The cells, with code as text where it cannot run yet."""
    for kind, text, tags in cells:
        made = waiting.split(text) if kind == "code" else [(kind, text)]
        yield from ((one, part, tags if one == kind else []) for one, part in made)


def write(course: Course, lectures: Iterable[Path], to: Path, week: int) -> None:
    """Write lectures as notebooks into a folder; see `build`."""
    to.mkdir(parents=True, exist_ok=True)
    for lecture in lectures:
        text = notebooks.dump(build(course, lecture, week))
        (to / f"{lecture.stem}.ipynb").write_text(text, encoding="utf-8")


def set_up_as(course: Course, lecture: Path) -> Assignment:
    """The newest assignment in every release that shows this part."""
    number = int(lecture.stem.partition("_")[0].removeprefix("part"))
    first = min((week.number for week in course.weeks if number in week.parts), default=1)
    there = [one for one in course.assignments if one.week <= first]
    return (there or course.assignments)[-1 if there else 0]


def _cells(course: Course, lecture: Path) -> Iterator[Cell]:
    """Kind, text and tags of each cell; the set-up is below the title."""
    source = myst_text.without_front_matter(lecture.read_text(encoding="utf-8"))
    is_set_up = False
    for block in myst_text.blocks(source):
        for kind, text, tags in cells_of(block):
            if is_set_up or kind == "markdown":
                yield kind, text, tags
                title, is_title = FIRST.format(page=f"{lecture.stem}.html"), not is_set_up
                if is_title:
                    yield "markdown", title, []
                    cell = setup_cell.setup(course, set_up_as(course, lecture))
                    yield "code", cell, [notebooks.SETUP, "hide-input"]
                    yield "code", HELPERS, ["hide-input"]
                    is_set_up = True


def cells_of(block: Block) -> Iterator[Cell]:
    """The text that replaces a block in a notebook."""
    if block.name == myst_text.CODE:
        tags = [tag.strip() for tag in block.option("tags").split(",") if tag.strip()]
        if code := _LEFT_OUT.sub("", block.content).strip("\n"):
            yield "code", code, tags
    elif block.name == "component":
        yield "code", f'print_source("{block.argument}")', []
    elif block.name:
        for text in _SHOWN.get(block.name, _note)(block):
            yield "markdown", text, []
    else:
        for section in filter(str.strip, _HEADING.split(block.content)):
            yield "markdown", plain(section), []


def plain(text: str) -> str:
    """MyST's roles, fields and links as Markdown that every notebook shows, beside the pages."""
    text = _PAGE.sub(r"../\1.html", _ROLE.sub(_said, _COMMENT.sub("", text)))
    return _FIELD.sub(r"- **\1:** \2", text)


def _said(found: re.Match[str]) -> str:
    if found["role"] == "paper":
        return f"[paper {found['text']}]({PAPER})"
    if found["role"] == "exercise":
        return "exercise {} (*{}*)".format(*references.exercise_called(found["text"]))
    if found["role"] == "assignment":
        return references.assignment_with(*found["text"].split(" ", 1)).label.lower()
    if found["role"] in ("glue:text", "glue"):
        return f"`{found['text'].partition(':')[0]}`"
    if found["role"] == "math":
        return f"${found['text']}$"
    return found["text"].strip() or (found["target"] or "")


def _box(title: str, text: str) -> str:
    lines = [f"**{title}**", "", *text.splitlines()]
    return "\n".join(f"> {line}".rstrip() for line in lines)


def _slide(block: Block) -> Iterator[str]:
    """The slide as the audience sees it; figures keep their cell's place, notes are hidden."""
    if block.option("only"):
        return
    parts = [*_inside(block.content)]
    if said := "\n\n".join(part for part in parts if not part.startswith("<img")).strip():
        yield _box(f"Slide: {block.argument}", said)
    yield from (part for part in parts if part.startswith("<img"))


def _inside(content: str) -> Iterator[str]:
    for block in myst_text.blocks(content):
        if block.name == "":
            yield plain(block.content)
        elif block.name != "notes":
            yield from _SHOWN.get(block.name, _note)(block)


def _activity(block: Block) -> Iterator[str]:
    about = f"{KINDS[block.option('kind')]}, {block.option('minutes')} minutes"
    yield _box(f"{block.argument} ({about})", "\n\n".join(_inside(block.content)))


def _drawing(block: Block) -> Iterator[str]:
    made = gallery.draw(block.argument)
    pictures = CHECKOUT.glob(f"assignments/*/drawings/{made.name}.png")  # shown where no SVG is
    current = (data for path in pictures if made.is_shown_by(data := path.read_bytes()))
    yield made.image(next(current, b""))
    if block.content:
        yield f"*{plain(block.content)}*"


def _caption(block: Block) -> Iterator[str]:
    if block.content:
        yield f"*{plain(block.content)}*"


def _folded(block: Block) -> Iterator[str]:
    title = plain(block.argument) or block.name.capitalize()
    body = "\n\n".join(_inside(block.content))
    yield f"<details><summary>{title}</summary>\n\n{body}\n\n</details>"


def _note(block: Block) -> Iterator[str]:
    """Any other directive with text in it; what a page folds stays folded."""
    if "dropdown" in block.option("class"):
        yield from _folded(block)
    elif block.content:
        title = plain(block.argument) or block.name.capitalize()
        yield _box(title, "\n\n".join(_inside(block.content)))


def _nothing(block: Block) -> Iterator[str]:
    """Nothing, for links that lead on from a page."""
    return iter(())


# By directive: how a notebook shows it.
_SHOWN: dict[str, Callable[[Block], Iterator[str]]] = {
    "slide": _slide,
    "activity": _activity,
    "drawing": _drawing,
    "glue:figure": _caption,
    "figure": _caption,
    "dropdown": _folded,
    "exercises": _nothing,
}

"""Below the title of a part: its slides, its quiz, and its notebook to run."""

from html import escape
from pathlib import Path

from docutils import nodes
from sphinx.application import Sphinx

from book import DECKS, IN_RELEASE
from grader.authoring.views import setup_cell
from grader.course.course import Course

from ..decks.first_slide import FILE
from .lecture_notebook import FOLDER


def links(course: Course, lecture: str, has_quiz: bool) -> list[tuple[str, str]]:
    """The text and target of each link, from the page of a lecture."""
    number = FILE.fullmatch(lecture)
    quiz = [("Quiz", f"quiz_part{number[1]}.html")] if number and has_quiz else []
    notebook = f"{FOLDER}/{lecture}.ipynb"
    opened = setup_cell.opened_at(course, f"{IN_RELEASE}/{notebook}")
    return [
        ("Slides", f"{DECKS}/{lecture}.html"),
        *quiz,
        ("Notebook", notebook),
        *((f"Open in {name}", address) for name, address in opened),
    ]


def _saved(address: str) -> str:
    """The attribute that has a browser save a file instead of showing its text."""
    return " download" if address.startswith(f"{FOLDER}/") else ""


def _below_title(app: Sphinx, doctree: nodes.document, docname: str) -> None:
    found = FILE.fullmatch(docname)
    lecture = next(iter(doctree.findall(nodes.section)), None)
    if found is None or lecture is None or app.builder.name != "html":
        return
    has_quiz = (Path(app.srcdir) / f"quiz_part{found[1]}.md").is_file()
    shown = "".join(
        f'<a href="{escape(address, quote=True)}"{_saved(address)}>{said}</a>'
        for said, address in links(Course.here(), docname, has_quiz)
    )
    forms = f'<p class="other-forms">{shown}</p>'
    lecture.insert(1, nodes.raw("", forms, format="html"))


def setup(app: Sphinx) -> None:
    """Put the links into every part."""
    app.connect("doctree-resolved", _below_title)

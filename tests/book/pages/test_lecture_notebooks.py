"""Every part as a notebook: its cells in order, no syntax of the page left, and one that is run."""

import json
import re

import pytest

pytest.importorskip("myst_nb", reason="the extra `site` needs Python 3.11")
from matplotlib.figure import Figure  # noqa: E402

from book import parts_shown  # noqa: E402
from book.decks import first_slide  # noqa: E402
from book.notebooks import lecture_notebook, other_forms  # noqa: E402
from book.site_build import LECTURES  # noqa: E402
from grader.authoring.release import contents  # noqa: E402
from grader.authoring.views import myst_text, setup_cell  # noqa: E402

PARTS = first_slide.lectures(LECTURES)
PAGE_ONLY = ("from book.notebooks.glued import glue", 'plt.style.use("figures.mplstyle")')


def cells(notebook, kind):
    return ["".join(cell["source"]) for cell in notebook["cells"] if cell["cell_type"] == kind]


@pytest.mark.parametrize("lecture", PARTS, ids=lambda path: path.stem.partition("_")[0])
def test_a_notebook_has_every_cell_of_its_page_and_plain_text(lecture, course):
    notebook = lecture_notebook.build(course, lecture)
    source = lecture.read_text(encoding="utf-8")
    written = re.findall(r"^```\{code-cell\}[^\n]*\n(.*?)^```$", source, re.M | re.S)
    lines = [line for cell in written for line in cell.splitlines() if line not in PAGE_ONLY]
    made = [line for cell in cells(notebook, "code") for line in cell.splitlines()]
    rest = iter(made)
    for line in (one for one in lines if one and not one.startswith(("tags:", "---"))):
        assert line in rest, line  # `in` goes on from the line before: they are in order
    text = "\n".join(cells(notebook, "markdown"))
    assert not re.search(r"\{[\w:-]+\}`|^[:`]{3,}\{", text, re.M)
    assert text.startswith("# Part ")
    quoted = re.findall(r"^```\{component\} (\S+)", source, re.M)
    assert [f'print_source("{one}")' in "\n".join(made) for one in quoted] == [True] * len(quoted)


def test_its_set_up_is_that_of_an_assignment_in_every_release_that_shows_it(course):
    for week in course.weeks:
        for lecture in parts_shown.shown(LECTURES, parts_shown.by_week(course, week.number)):
            assignment = lecture_notebook.set_up_as(course, lecture)
            assert assignment in contents.in_week(course, week.number, ()), (week.number, lecture)
            made = cells(lecture_notebook.build(course, lecture), "code")[0]
            assert made == setup_cell.setup(course, assignment)


def test_its_helpers_show_figures_numbers_and_sources(capsys):
    space = {}
    exec(lecture_notebook.HELPERS, space)
    space["glue"]("fall", "10", display=False)
    space["print_source"]("course_lib.masks:padding_mask")
    space["glue"]("curve", Figure(), display=False)
    told = capsys.readouterr().out
    assert told.startswith("fall = 10\n")
    assert "def padding_mask(" in told
    assert "Figure(" in told


@pytest.mark.slow
@pytest.mark.parametrize("lecture", PARTS, ids=lambda path: path.stem.partition("_")[0])
def test_a_notebook_runs_from_its_first_cell_to_its_last(lecture, course, monkeypatch):
    nbclient = pytest.importorskip("nbclient")
    nbformat = pytest.importorskip("nbformat")
    notebook = nbformat.reads(json.dumps(lecture_notebook.build(course, lecture)), as_version=4)
    monkeypatch.setenv("PYTHONPATH", str(course.root))
    monkeypatch.setenv("PYDEVD_DISABLE_FILE_VALIDATION", "1")
    nbclient.NotebookClient(notebook, resources={"metadata": {"path": str(course.root)}}).execute()
    for cell in notebook.cells:
        if "print_source(" in cell.source and "def print_source" not in cell.source:
            assert "def " in str(cell.outputs)


def test_a_directive_without_an_end_is_told():
    with pytest.raises(ValueError, match="does not end"):
        list(myst_text.blocks("text\n:::{note}\nmore"))


def test_a_part_leads_to_its_other_forms_and_to_colab_where_there_is_a_repository(course):
    stem = PARTS[1].stem
    assert other_forms.links(course, stem, True) == [
        ("Slides", f"slides/{stem}.html"),
        ("Quiz", "quiz_part2.html"),
        ("Notebook", f"notebooks/{stem}.ipynb"),
    ]
    facts = course.facts.model_copy(update={"student_repository": "https://github.com/o/c"})
    ours = course.model_copy(update={"facts": facts})
    said = dict(other_forms.links(ours, stem, False))
    assert said["Open in Colab"].endswith(f"/github/o/c/blob/main/lectures/notebooks/{stem}.ipynb")
    assert "Quiz" not in said

"""The walkthrough quotes the library, is up to date, runs, and a change of the library shows."""

import os
import re

import jaxtyping
import matplotlib
import pytest
from checkout import ROOT

from book import documents, outline
from book.audit import statements
from book.documents import walkthrough
from grader.authoring.views import text_notebook
from grader.library.components import BuildError, Component

FEWEST_STATIONS = 12


def code(notebook):
    return [
        (cell["id"], "".join(cell["source"]))
        for cell in notebook["cells"]
        if cell["cell_type"] == "code"
    ]


def test_the_built_notebook_is_what_its_source_makes(course):
    (built,) = (one for one in documents.targets(course) if one.name == walkthrough.BUILT)
    assert built.drift() == ""


def run(notebook, monkeypatch):
    """Run all code cells in one namespace, as a kernel in its folder would."""
    matplotlib.use("Agg")
    monkeypatch.chdir(ROOT / "lectures")
    monkeypatch.setenv("COURSE_PROFILE", os.environ.get("COURSE_PROFILE", ""))
    monkeypatch.setattr(jaxtyping.config, "jaxtyping_disable", True)  # its classes are its own
    namespace = {"__name__": "__main__"}
    for id, source in code(notebook):
        exec(compile(source, id, "exec"), namespace)


def test_every_station_holds(course, monkeypatch, capsys):
    run(walkthrough.notebook(course), monkeypatch)
    said = capsys.readouterr().out
    assert said.startswith("Course library")
    assert said.count("largest difference from torch") >= 2


@pytest.mark.parametrize(
    ("component", "line", "wrong"),
    [
        ("course_lib.attention:attention", "math.sqrt(query.shape[-1])", "query.shape[-1]"),
        ("course_lib.masks:causal_mask", ".tril()", ".triu()"),
        ("course_lib.transformer:Transformer", "self.embedding.tokens.weight.T", "0"),
    ],
)
def test_a_station_fails_when_its_component_is_wrong(course, monkeypatch, component, line, wrong):
    true = Component.parse(component).source
    assert line in true
    notebook = walkthrough.notebook(course)
    for cell in notebook["cells"]:
        text = "".join(cell["source"])
        cell["source"] = [text.replace(line, wrong) if text == true.strip("\n") else text]
    with pytest.raises((AssertionError, RuntimeError, TypeError)):
        run(notebook, monkeypatch)


def test_a_station_has_a_sentence_with_its_section_a_component_and_a_test(course):
    cells = text_notebook.parse(course.root, walkthrough.SOURCE)
    headings = [at for at, cell in enumerate(cells) if cell.text.startswith("## ")]
    assert len(headings) >= FEWEST_STATIONS
    stations = [cells[a:b] for a, b in zip(headings, [*headings[1:], len(cells)], strict=True)]
    for title, *rest in stations:
        assert ("\n> " in title.text and "§" in title.text) or "does not mention" in title.text
        kinds = [cell.directive or cell.kind for cell in rest]
        assert "component" in kinds, title.text
        assert "assert " in next(c.text for c in rest if c.kind == "code" and not c.directive)
    sections = set(re.findall(r"§([\d.]+\d|\d)", "\n".join(cell.text for cell in cells)))
    assert {"3.1", "3.2.1", "3.2.2", "3.3", "3.4", "3.5", "5.3", "5.4"} <= sections
    assert sections <= set(outline.OUTLINE)


def test_rows_of_the_paper_page_that_it_names_exist():
    numbers = {one.number for one in statements.load()}
    named = re.findall(r"\bR\d+\b", (ROOT / walkthrough.SOURCE).read_text(encoding="utf-8"))
    assert named
    assert set(named) <= numbers


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("```{code-cell}\n:component: course_lib.attention:attend\n```", "defines no 'attend'"),
        ('```{code-cell}\n:check: "1.4"\n```', "has no 'check'"),
        ("§3.2.7", "the paper has no §3.2.7"),
        ("> " + "word " * 61, "61 words of the paper"),
    ],
)
def test_a_source_that_is_wrong_is_refused(course, tmp_path, text, said):
    (tmp_path / "solutions").mkdir()
    (tmp_path / walkthrough.SOURCE).write_text(text + "\n", encoding="utf-8")
    elsewhere = course.model_copy()
    elsewhere._root = tmp_path
    with pytest.raises(BuildError, match=said):
        walkthrough.notebook(elsewhere)

"""Formulas of a text are typeset, names of the code are code: no page shows d_k as it stands."""

import re

import pytest
from checkout import ROOT

pytest.importorskip("myst_nb", reason="the extra `site` needs Python 3.11")
from book.audit import audit_page  # noqa: E402
from book.screen import symbols  # noqa: E402
from grader.authoring.views import text_notebook  # noqa: E402
from grader.course import toml  # noqa: E402

LECTURES = ROOT / "lectures"
PAGES = sorted(path for path in LECTURES.glob("**/*.md") if path.name != "glossary.md")
QUIZZES = sorted(LECTURES.glob("quizzes/*.toml"))
NOTEBOOKS = ("solutions/walkthrough.md", *(f"solutions/a{n}.md" for n in range(1, 6)))
RAW = re.compile(rf"{symbols.SYMBOL.pattern}|ᵀ|√(?!dₖ)|\w\^[\w({{−]|\b[a-z]+_[a-z]+\b|\)\^")
# No prose: front matter, code, formulas, roles, HTML, options of directives, links, labels.
NO_PROSE = (
    r"\A---\n.*?\n---\n",
    r"^(`{3,})(?!\{(?:note|tip|admonition|dropdown)).*?^\1`*$",
    r"(`+)(?!`)(?:(?!\n\n).)+?(?<!`)\1(?!`)",
    r"\$\$.*?\$\$",
    r"(?<!\\)\$(?:(?!\n\n)[^$])+\$",
    r"<!--.*?-->",
    r"</?[a-z][^>\n]*>",
    r"^:[\w-]+:[^\n]*$",
    r"\]\([^)]*\)",
    r"^\([\w-]+\)=$",
)


def prose(text):
    for pattern in NO_PROSE:
        text = re.sub(pattern, "", text, flags=re.M | re.S)
    return text


def raw(text):
    return [line for line in prose(text).splitlines() if RAW.search(line)]


def strings(table):
    """All texts of a quiz but code."""
    if isinstance(table, str):
        yield table
    elif isinstance(table, list):
        for one in table:
            yield from strings(one)
    elif isinstance(table, dict):
        for key, one in table.items():
            if key not in ("code", "computed"):
                yield from strings(one)


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.stem)
def test_a_page(path):
    assert raw(path.read_text(encoding="utf-8")) == []


@pytest.mark.parametrize("path", QUIZZES, ids=lambda path: path.stem)
def test_a_quiz(path):
    quiz = toml.loads(path.read_text(encoding="utf-8"))
    assert [line for text in strings(quiz) for line in raw(text)] == []


@pytest.mark.parametrize("path", NOTEBOOKS)
def test_a_notebook(path):
    cells = text_notebook.parse(ROOT, path)
    said = [cell.text for cell in cells if cell.kind == "markdown"]
    assert said
    assert [line for text in said for line in raw(text)] == []


@pytest.mark.parametrize(
    "text",
    ["divided by √d_k", "a d_model of 512", "joined by W^O", "QKᵀ", "0.9^20", "after zero_grad"],
)
def test_what_stands_raw_is_found(text):
    assert raw(text) == [text]
    assert raw(f"${text}$ and `{text}`\n\n```python\n{text}\n```\n") == []


def test_a_page_typesets_the_symbols_of_plain_text_alone():
    made = symbols.typeset("<p>√d_k, W^O, ε_ls of d_model; n_heads and od_k</p>")
    assert re.sub("<[^>]*>", "", made) == "√dk, WO, εls of dmodel; n_heads and od_k"
    assert made.count("<sub>") == 3
    assert made.count("<sup>") == 1
    for kept in (
        '<p title="d_k"><code class="x">d_k</code></p>',
        "<pre><span>d_k</span> = d_model</pre>",
        r'<span class="math notranslate">\(d_k\)</span>',
        "<svg><text>d_k</text></svg><script>d_k</script><!-- d_k -->",
    ):
        assert symbols.typeset(kept) == kept


def test_a_page_typesets_the_apostrophes_of_plain_text_alone():
    made = symbols.typeset("<p>the model's own, torch&#x27;s too, of 'one' heads&#x27; d_k</p>")
    assert re.sub("<[^>]*>", "", made) == "the model’s own, torch’s too, of 'one' heads’ dk"
    assert symbols.typeset("<code>it's</code>") == "<code>it's</code>"


def test_the_paper_page_shows_names_of_the_code_as_code_but_no_symbol():
    said = audit_page.marked("n_heads and d_k, in `a/b_c.py`: norm_first = True, W^O")
    assert re.findall("<code>(.*?)</code>", said) == ["n_heads", "a/b_c.py", "norm_first"]

"""Which answers lie together, and how what a stranger wrote is shown."""

from html.parser import HTMLParser

import pytest

from bench.grader.marking import class_of
from grader.marking.reference import references
from grader.notebook.answer_groups import groups
from grader.report import written_text

LONG = (
    "dividing by the root keeps the variance of every score at one so that the softmax does not "
    "saturate and its gradient reaches the queries and keys even in wide heads"
)


@pytest.mark.parametrize(
    ("one", "other", "together"),
    [
        ("It is 4.", "it is  **4**", True),
        ("", " \n", True),
        ("It is 4.", "It is 5.", False),
        ("it rises", "it falls", False),  # of a short answer every word counts
        (LONG, LONG.replace("wide", "large"), True),
        (LONG, LONG.replace("wide", "large").replace("even", "also").replace("one", "1"), False),
        (f"{LONG} $d_k$", f"{LONG} $d_v$", True),  # a letter is a word: the page shows which
        (f"{LONG} at 64", f"{LONG} at 512", False),
        (f"{LONG} $-x$", f"{LONG} $x$", False),
        (LONG, " ".join(sorted(LONG.split())), False),
    ],
)
def test_answers_are_alike_if_little_differs_and_no_number(one, other, together):
    assert (len(groups([one, other])) == 1) is together


def test_small_steps_join_nobody_who_is_far_from_the_first():
    words = LONG.split()
    steps = [" ".join([f"new{'abcdefgh'[n]}" for n in range(k)] + words[k:]) for k in range(8)]
    for found in groups(steps):
        assert max(found) - min(found) <= 1


def test_differences_are_marked_word_by_word():
    assert written_text.compared("It <b> rises", "It <b> falls fast") == (
        "It &lt;b&gt; <del>rises</del><ins>falls fast</ins>"
    )
    assert written_text.compared("a b c", "a c") == "a <del>b </del>c"
    assert written_text.compared("same", "same") == "same"
    assert written_text.compared("", "a") == "<ins>a</ins>"


def test_answers_made_to_be_compared_for_hours_are_not():
    one, other = (" ".join(f"a {kind}{n}" for n in range(3_000)) for kind in "xy")
    assert written_text.compared(f"same {one}", f"same {other}").startswith("same a <del>x")
    assert len(groups([one.replace("1", "one"), other.replace("1", "one")])) == 2
    assert len(groups([f"a {'b a ' * 3_000}", f"a {'b a ' * 2_999}"])) == 2


class Tags(HTMLParser):
    """All that acts in a page: tags with their attributes."""

    def __init__(self):
        super().__init__()
        self.found, self.text = [], ""

    def handle_starttag(self, tag, attributes):
        self.found.append((tag, dict(attributes)))

    def handle_data(self, data):
        self.text += data


HOSTILE = (
    "<script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    "[x](javascript:alert(1)) [y](JaVaScRiPt:alert(1)) [z](data:text/html,<script>) ![p](data:x)",
    "[a](vbscript:x) <javascript:alert(1)> [r]\n\n[r]: javascript:alert(1)",
    '![x" onerror="alert(1)](http://evil.example/pixel.png "\\" onload=\\"x")',
    "[x](http://a.example/\"onmouseover='alert(1)')",
    "$\\href{javascript:alert(1)}{x}$ $\\style{position:fixed}{x}$ $\\class{a}{x}$",
    "$\\text{<img src=x onerror=alert(1)>}$ $</math><script>alert(1)</script>$",
    "$$\\text{&#x3c;script&#x3e;alert(1)&#xD800;&#x202e;&#x110000;}$$",
    "</div></section><form action=//evil.example><input name=seen></form>",
    '``` x" onclick="alert(1)\n<b>\n```',
    "safe \u202egnp.exe\u0000\u0007\x1b[31m",
    "$" + "{" * 5_000 + "$ $" + "\\frac{" * 300 + "$",
    "[" * 4_000,
    "> " * 2_000 + "*a **b" * 1_000,
)
HARMLESS = {
    *("p br em strong s code pre ul ol li blockquote hr a img span div table thead tbody".split()),
    *("tr th td math mrow mi mo mn mtext mfrac msqrt msub msup mstyle merror".split()),
}


@pytest.mark.parametrize("text", HOSTILE, ids=range(len(HOSTILE)))
def test_nothing_that_a_stranger_writes_acts(text):
    page = Tags()
    page.feed(written_text.html(text, lambda name: ""))
    for tag, attributes in page.found:
        assert tag in HARMLESS
        assert not {n for n in attributes if n.startswith("on") or n in ("style", "id", "src")}
        assert attributes.get("href", "http://").startswith(("http://", "https://"))
    assert not {"\u202e", "\0", "\x07", "\x1b"} & {*page.text}


def test_markdown_tables_and_formulas_are_drawn():
    text = "*one* $\\frac{a}{b}$\n\n| a |\n|---|\n| `x` |\n\n$$\\sqrt{d_k}$$\n\n# Title"
    page = Tags()
    page.feed(written_text.html(text))
    tags = [tag for tag, _ in page.found]
    assert {"em", "mfrac", "table", "code", "msqrt"} <= {*tags}
    assert "h1" not in tags  # the page has headings of its own
    assert '<math display="block">' in written_text.mathml("x", display=True)


def test_the_question_the_model_answer_and_the_rubric_stand_beside(course):
    found = references(course.assignment("a1"))["1.11.a"]
    assert "Correct this" in found.question
    assert "spread of the scores" in found.answer
    assert "One point each" in found.rubric
    assert "Correct this" not in found.answer


def test_the_generated_class_of_the_benchmark_has_answers_alike_and_of_its_own(course):
    made = class_of(course, course.assignment("a1"), 60)
    texts = [part.answer for result in made for part in result.parts if part.id == "1.11.a"]
    assert len({result.student for result in made}) == len(texts) == 60
    assert 20 < len(groups(texts)) < 55

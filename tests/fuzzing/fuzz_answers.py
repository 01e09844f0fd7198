"""Written answers for the fuzzer: pieces of Markdown, HTML and TeX in any order."""

from html.parser import HTMLParser

from fuzz_mutation import TEXTS, Rng, Target, mostly
from hypothesis import strategies as st

from grader.notebook.answer_groups import groups
from grader.report import written_text

PIECES = (
    *("$", "$$", "\\(", "\\text{", "\\href{javascript:alert(1)}{", "\\frac", "{", "}", "&#x202e;"),
    *("<script>", "</div>", "<img src=x onerror=alert(1)>", "&lt;", '"', "'", ">", "<!--"),
    *("[", "](", ")", "![", "](javascript:alert(1))", "](http://a.example)", "attachment:f.png"),
    *("*", "**", "_", "`", "```\n", "~~", "> ", "- ", "1. "),
    *("| a |\n|---|\n", "|", "# ", "\n\n", "\\"),
    *("word", " ", "4", "−", *TEXTS),
)  # fmt: skip
ACTING = frozenset("script style iframe object embed form input button meta link base svg".split())


def written(rng: Rng) -> str:
    return "".join(rng.choices(PIECES, k=rng.randint(1, 120)))


class _Reader(HTMLParser):
    """Raises AssertionError for whatever could act."""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        assert tag not in ACTING, tag
        for name, value in attrs:
            assert not name.startswith("on"), name
            assert name not in ("style", "srcdoc", "action"), name
            assert name not in ("href", "src") or (value or "").startswith(("http", "../")), value


def feed_answer(text: str) -> object:
    """The page's text of it, which can be sent, and in which nothing acts."""
    page = written_text.html(text, lambda name: "../figure")
    page.encode()
    _Reader().feed(page)
    written_text.compared(text, text[::-1]).encode()
    return groups([text, text[:-1]])


ANSWERS = mostly(written, st.text(max_size=200))
TARGETS = (Target("written answer", ANSWERS, feed_answer),)

"""The glossary's words are linked in the lectures, once in a part, where a part first uses them."""

import re

import pytest
from checkout import ROOT

LECTURES = ROOT / "lectures"
PARTS = sorted(LECTURES.glob("part*.md"))
LINK = re.compile(r"\{term\}`([^`<]+?)(?:\s*<([^>]+)>)?`")
FENCE = re.compile(r"([:`]{3,})(\S.*)?$")
LEAST = 5  # links in a part


def entries() -> list[list[str]]:
    """The words of each entry; some have two names."""
    text = (LECTURES / "glossary.md").read_text(encoding="utf-8").partition(":sorted:\n")[2]
    found = (one.splitlines() for one in text.removesuffix("```\n").split("\n\n"))
    return [[line for line in one if line and line[0] != " "] for one in found if one]


def paragraphs(path) -> list[str]:
    """A part's running text: no hook, code, formulas, headings, tables, slides or activities."""
    _, _, text = path.read_text(encoding="utf-8").partition("## In class\n")
    kept, fences, begun = [], [], False
    for line in text.splitlines():
        found = FENCE.match(line)
        if found and fences and found[1] == fences[-1] and not found[2]:
            fences.pop()
        elif found and found[2] and not any(fence[0] == "`" for fence in fences):
            fences.append(found[1])
        elif not fences:
            begun = begun or line.startswith("## ")
            kept.append(line if begun and not line.startswith(("#", "|", "%")) else "")
    running = re.sub(r"\$\$.*?\$\$|\$[^$]+\$", "", "\n".join(kept), flags=re.DOTALL)
    return [" ".join(one.split()) for one in running.split("\n\n") if one.strip()]


def linked(text: str) -> list[str]:
    return [(target or shown).strip().lower() for shown, target in LINK.findall(text)]


def first_use(term: str, texts: list[str]) -> int:
    """The number of the first paragraph with the term or its plural; -1: there is none."""
    words = re.escape(term).replace(r"\ ", "[ -]")
    said = re.compile(rf"(?<![\w-]){words}(e?s)?(?![\w-])", re.IGNORECASE)
    plain = [re.sub(r"`[^`]*`", "", LINK.sub(r"\1", text)) for text in texts]
    return next((number for number, text in enumerate(plain) if said.search(text)), -1)


@pytest.mark.parametrize("path", PARTS, ids=lambda path: path.stem)
def test_a_part_links_words_of_the_glossary_where_it_first_uses_them(path):
    texts = paragraphs(path)
    links = [term for text in texts for term in linked(text)]
    assert len(links) >= LEAST
    assert len(set(links)) == len(links), "a word is linked twice"
    late = {
        term: texts[first_use(term, texts)]
        for number, text in enumerate(texts)
        for term in linked(text)
        if 0 <= first_use(term, texts) < number
    }
    assert late == {}


def test_every_word_of_the_glossary_that_a_lecture_uses_is_linked_in_one():
    assert len(entries()) > 60
    links = {term for path in PARTS for term in linked(path.read_text(encoding="utf-8"))}
    running = [text for path in PARTS for text in paragraphs(path)]
    unlinked = {
        words[0]: running[first]
        for words in entries()
        if not links & {word.lower() for word in words}
        and (first := max(first_use(word, running) for word in words)) >= 0
    }
    assert unlinked == {}

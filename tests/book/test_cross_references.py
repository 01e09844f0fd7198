"""What the lectures say of exercises, parts, sections and words of the glossary is there."""

import re

import pytest
from checkout import ROOT

from book import outline, references
from grader.library.components import BuildError

LECTURES = sorted(p for p in (ROOT / "lectures").glob("*.md") if p.name != "README.md")
CELL = re.compile(r"^```\{code-cell\}.*?^```$", re.M | re.S)
ROLE = re.compile(r"\{(exercise|assignment|part)\}`([^`]+)`")
BEGINS = re.compile(r"(?:\n\n|[.?!][)*]*\s)\{paper\}`[^`]*`")  # not an item of a list
FIND = {
    "exercise": references.exercise_called,
    "assignment": lambda text: references.assignment_with(*text.split(" ", 1)),
    "part": references.page_of_part,
}


def words(path):
    """A lecture without its cells, headings and buttons, which cannot hold a role."""
    text = CELL.sub("", path.read_text(encoding="utf-8"))
    text = re.sub(r"^```\{button-ref\}.*?^```$", "", text, flags=re.M | re.S)
    return re.sub(r"^#.*$", "", text, flags=re.M)


@pytest.mark.parametrize("path", LECTURES, ids=lambda path: path.stem)
def test_every_reference_of_a_lecture_holds(path):
    text = words(path)
    for role, said in ROLE.findall(text):
        FIND[role](said)
    without_links = re.sub(r"\{\w+\}`[^`]*`|`[^`]*`", "", text)
    assert not references.by_hand(without_links), "write {exercise}, {assignment} or {part}"
    assert outline.missing(text) == []


PROMISED = re.compile(r"([^.;:()|]{5,160})\(\{part\}`part (\d)`")
SECTION_OF = re.compile(
    r"\{part\}`[Pp]art (\d)`[^.(]{0,60}?(?:, |under\s+)\*([^*]+)\*"
    r"|\*([^*]+)\*\s+\(\{part\}`part (\d)`"
)


def said_in(text):
    """The words of a lecture, roles as they are shown."""
    shown = re.sub(r"\{\w+\}`([^`<]*?)(?:\s*<[^>]*>)?`", r"\1", text).lower()
    return " ".join(re.sub(r"[^a-z]", " ", shown).split())


def unkept(text, part_of):
    """The words in front of "(part N)" that part N never uses, and its sections that are not."""
    found = []
    for clause, number in PROMISED.findall(text):
        last = [word.rstrip("s")[:6] for word in said_in(clause).split()[-2:] if len(word) > 4]
        found += [(word, number) for word in last if word not in said_in(part_of(number))]
    for before, section, other, after in SECTION_OF.findall(text):
        title = " ".join((section or other).split())
        heads = rf"^(?:##+|:+\{{(?:slide|activity)\}}) {re.escape(title)}$"
        if not re.search(heads, part_of(before or after), re.M):
            found.append((title, before or after))
    return found


def text_of_part(number):
    return next((ROOT / "lectures").glob(f"part{number}_*.md")).read_text(encoding="utf-8")


@pytest.mark.parametrize("path", LECTURES, ids=lambda path: path.stem)
def test_a_part_has_what_a_reference_promises_of_it(path):
    assert unkept(words(path), text_of_part) == []


@pytest.mark.parametrize(
    ("said", "wrong"),
    [
        ("fused kernels ({part}`part 6`) need not keep them", [("fused", "6")]),  # as it once was
        ("the kernels ({part}`part 6`) are slow", []),
        ("see {part}`part 6`, *Softmax in one pass*", [("Softmax in one pass", "6")]),
        ("as in *Masks* ({part}`part 6`)", []),
        ("{part}`Part 6` counts them, under *No such section*", [("No such section", "6")]),
    ],
)
def test_a_promise_that_a_part_does_not_keep_is_found(said, wrong):
    assert unkept(said, lambda number: "## Masks\n\nA GPU waits for its kernels.\n") == wrong


@pytest.mark.parametrize("path", LECTURES, ids=lambda path: path.stem)
def test_no_sentence_begins_with_a_section_of_the_paper(path):
    """It would begin with a small letter."""
    assert BEGINS.findall(words(path)) == []


def test_numbers_in_other_documents_exist():
    paths = [*ROOT.glob("*.md"), *ROOT.glob("*/README.md"), *ROOT.glob("lectures/teach/*.md")]
    numbers = {str(n) for n in range(1, 6)}
    for path in paths:
        for number in re.findall(r"\b[Aa]ssignment (\d+)", path.read_text(encoding="utf-8")):
            assert number in numbers, path


def test_sections_that_quizzes_and_exams_name_exist():
    paths = [*ROOT.glob("lectures/quizzes/*.toml"), *ROOT.glob("lectures/teach/*.md")]
    assert len(paths) > 10
    for path in paths:
        assert outline.missing(path.read_text(encoding="utf-8")) == [], path


@pytest.mark.parametrize(
    ("role", "said"),
    [
        ("exercise", "course_lib.attention:attend"),
        ("exercise", "Weights as an explanation"),
        ("exercise", "In your own words"),  # four exercises are called so
        ("assignment", "a1 course_lib.evaluation.classification:classification_scores"),
        ("assignment", "a9 course_lib.attention:attention"),
        ("part", "part 99"),
    ],
)
def test_a_wrong_reference_is_refused(role, said):
    with pytest.raises(BuildError):
        FIND[role](said)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("see §3.2.4", ["§3.2.4"]),
        ("§6.2, Table 3", []),
        ("Table 5 and Eq. 4", ["Table 5", "Eq. 4"]),
        ("§ 8", ["§ 8"]),
    ],
)
def test_sections_and_tables_that_the_paper_does_not_have_are_found(text, found):
    assert outline.missing(text) == found


def test_a_number_written_by_hand_is_found():
    assert references.by_hand("as Assignment 1 measures") == "Assignment 1"
    assert references.by_hand("(exercise 3.16)") == "exercise 3.16"
    assert references.by_hand("in the second part of 1 page") == ""


# The glossary's words are linked in the lectures, once in a part, where a part first uses them.


PARTS = sorted((ROOT / "lectures").glob("part*.md"))
LINK = re.compile(r"\{term\}`([^`<]+?)(?:\s*<([^>]+)>)?`")
FENCE = re.compile(r"([:`]{3,})(\S.*)?$")
LEAST = 5  # links in a part


def entries() -> list[list[str]]:
    """The words of each entry; some have two names."""
    text = (
        (ROOT / "lectures" / "glossary.md").read_text(encoding="utf-8").partition(":sorted:\n")[2]
    )
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


def test_the_page_of_questions_names_checks_and_sections_that_there_are():
    text = (ROOT / "lectures/questions.md").read_text(encoding="utf-8")
    checks = "".join(p.read_text("utf-8") for p in (ROOT / "course_lib/diagnosis").rglob("*.py"))
    named = set(re.findall(r"\*\*([a-z][^*]+)\*\*", text))
    assert len(named) > 10
    assert [name for name in named if f'"{name}"' not in checks] == []
    sections = re.findall(r"\{part\}`part (\d)`, section\s+\*([^*]+)\*", text)
    assert len(sections) == text.count("{part}")
    for part, title in sections:
        (lecture,) = (ROOT / "lectures").glob(f"part{part}_*.md")
        assert re.search(rf"^#+ {re.escape(title)}$", lecture.read_text("utf-8"), re.M), title


def test_messages_name_a_question_that_there_is():
    title, *questions = re.findall(
        r"^#+ (.+)$", (ROOT / "lectures/questions.md").read_text(encoding="utf-8"), re.M
    )
    for path in ("course_lib/training/fit.py", "grader/student/program.py"):
        _, _, quoted = (ROOT / path).read_text(encoding="utf-8").partition(f"“{title}”")
        assert quoted
        assert [q for q in re.findall("^.*?“([^”]+)”", quoted)[:1] if q not in questions] == []
    for path in ("solutions/a3.md", "solutions/a4.md"):
        assert f"*{title}*" in (ROOT / path).read_text(encoding="utf-8").replace("\n", " ")

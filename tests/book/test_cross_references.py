"""What the lectures say of exercises, parts and sections is there, and found by name."""

import re

import pytest
from checkout import ROOT

from book import outline, references
from grader.library.components import BuildError

LECTURES = sorted((ROOT / "lectures").glob("*.md"))
CELL = re.compile(r"^```\{code-cell\}.*?^```$", re.M | re.S)
ROLE = re.compile(r"\{(exercise|assignment|part)\}`([^`]+)`")
UP_TO = re.compile(r"this page up to \*([^*]+)\*")
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


@pytest.mark.parametrize("path", LECTURES, ids=lambda path: path.stem)
def test_a_lecture_that_is_read_up_to_a_heading_has_it(path):
    text = path.read_text(encoding="utf-8")
    headings = re.findall(r"^#+ (.+)$", text, re.M)
    assert [title for title in UP_TO.findall(text) if title not in headings] == []


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
        ("part", "part 10"),
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

"""Hints: three for every exercise with code, folded, against named bugs, with no answer in them."""

import re

import pytest

from grader.authoring.views import hints, notebooks, text_notebook
from grader.course import mistakes
from grader.course.course import Course
from grader.course.record.hints import WORDS

COURSE = Course.here()
EXERCISES = [(a, e) for a in COURSE.assignments for e in a.exercises if e.components]
IDS = [e.id for _, e in EXERCISES]
ASSIGNMENTS = [a.id for a in COURSE.assignments]


def cells(id, view):
    return notebooks.build(COURSE, COURSE.assignment(id), view)["cells"]


def are_hints(cell):
    return "hints" in cell["metadata"].get("tags", [])


@pytest.mark.parametrize("view", ["starter", "nbgrader"])
@pytest.mark.parametrize("id", ASSIGNMENTS)
def test_three_hints_follow_the_text_of_every_exercise_with_code(id, view):
    found = []
    built = cells(id, view)
    for before, cell in zip(built, built[1:], strict=False):
        if are_hints(cell):
            heading = re.match(r"## ([\d.]+) ", "".join(before["source"]))
            found.append(heading[1])
            text = "".join(cell["source"])
            assert text.startswith(f"**Stuck on {heading[1]}?**")
            assert re.findall(r"<summary>(.*?)</summary>", text) == [
                "Hint 1: a question",
                "Hint 2: a direction",
                "Hint 3: the shape of the answer",
            ]
    assert found == [e.id for a, e in EXERCISES if a.id == id]


@pytest.mark.parametrize("id", ASSIGNMENTS)
def test_hints_change_no_other_cell_and_are_not_in_the_solution(id):
    starter, solution = cells(id, "starter"), cells(id, "solution")
    assert len({cell["id"] for cell in starter}) == len(starter)
    assert all(re.fullmatch(r"[\w-]{1,64}", cell["id"]) for cell in starter)
    assignment = COURSE.assignment(id)
    bare = [exercise.model_copy(update={"hints": None}) for exercise in assignment.exercises]
    without = assignment.model_copy(update={"exercises": bare})
    for view, kept in (("starter", starter), ("solution", solution)):
        built = notebooks.build(COURSE, without, view)["cells"]
        assert built == [cell for cell in kept if not are_hints(cell)]
    assert not any(map(are_hints, solution))


def test_a_cell_of_hints_is_three_folds_beside_each_other_with_markdown_inside():
    filters = pytest.importorskip("nbconvert.filters.markdown_mistune")
    for id in ASSIGNMENTS:
        for cell in filter(are_hints, cells(id, "starter")):
            page = filters.markdown2html_mistune("".join(cell["source"]))
            marks = re.findall(r"</?details>", page)
            assert marks == ["<details>", "</details>"] * 3
            assert page.count("<summary>") == page.count("</summary>") == 3
            inside = re.findall(r"</summary>(.*?)</details>", page, re.DOTALL)
            assert all(re.match(r"\s*<p>.*</p>\s*$", part, re.DOTALL) for part in inside)
            assert "`" not in page


@pytest.mark.parametrize(("assignment", "exercise"), EXERCISES, ids=IDS)
def test_hints_are_short_prose_and_different(assignment, exercise):
    one = exercise.hints
    assert len(set(one.texts)) == 3
    assert "?" in one.question
    for text in one.texts:
        assert 10 <= len(text.split()) <= WORDS
        assert "```" not in text
        assert "<" not in text
        assert text.endswith((".", "?"))


@pytest.mark.parametrize("assignment", COURSE.assignments, ids=ASSIGNMENTS)
def test_hints_answer_mistakes_that_are_named_and_quote_no_answer_and_no_message(assignment):
    bugs = mistakes.load(assignment)
    told = " ".join(cell.text for cell in text_notebook.read(assignment)).casefold()
    long = (bug.sentence.casefold() for bug in bugs if len(bug.sentence.split()) >= 3)
    messages = [sentence for sentence in long if sentence not in told]
    for exercise in (e for e in assignment.exercises if e.components):
        one = exercise.hints
        least = min(2, len(exercise.mistakes))
        assert len({*one.answers}) == len(one.answers) >= least, exercise.id
        for text in one.texts:
            assert hints.quotations(text, exercise, assignment) == []
        said = " ".join(one.texts).casefold()
        assert not [message for message in messages if message in said]


@pytest.mark.parametrize(
    "text",
    [
        "First write `shifted = x - np.max(x, axis=axis, keepdims=True)`, then go on.",
        "Subtract np.max( x, axis = axis, keepdims = True ) from it.",
        "Divide by `np.sum(exponentials, axis=axis, keepdims=True)`.",
    ],
)
def test_a_planted_answer_is_found(text):
    assignment = COURSE.assignment("a1")
    assert hints.quotations(text, assignment.exercise("1.1"), assignment)


def test_what_the_handout_shows_is_no_quotation():
    assignment = COURSE.assignment("a4")
    for text in ("It reads `prefixes, state`.", "The schedule comes after `optimizer.step()`."):
        assert hints.quotations(text, assignment.exercise("4.7"), assignment) == []

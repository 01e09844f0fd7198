"""Hints: three for every exercise with code, folded, against named bugs, with no answer in them."""

import dataclasses
import re
import shutil

import pytest
from checkout import ROOT, elsewhere

from grader.authoring import course_build
from grader.authoring.views import hints, notebooks, text_notebook
from grader.course import mistakes
from grader.course.course import Course
from grader.library.components import BuildError

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
def test_hints_change_no_other_cell_and_are_not_in_the_solution(id, monkeypatch):
    starter, solution = cells(id, "starter"), cells(id, "solution")
    assert len({cell["id"] for cell in starter}) == len(starter)
    assert all(re.fullmatch(r"[\w-]{1,64}", cell["id"]) for cell in starter)
    monkeypatch.setattr(hints, "load", lambda assignment: {})
    assert cells(id, "starter") == [cell for cell in starter if not are_hints(cell)]
    assert cells(id, "solution") == solution


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
    one = hints.load(assignment)[exercise.id]
    assert len(set(one.texts)) == 3
    assert "?" in one.question
    for text in one.texts:
        assert 10 <= len(text.split()) <= hints.WORDS
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
        one = hints.load(assignment)[exercise.id]
        own = {bug.name for bug in bugs if bug.exercise == exercise.id}
        assert len({*one.answers}) == len(one.answers) >= min(2, len(own)), exercise.id
        assert {*one.answers} <= own
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


RIGHT = '[[hints]]\nexercise = "1.1"\nanswers = ["softmax_no_max_shift"]\n'
TEXTS = 'question = "Why?"\ndirection = "There."\nshape = "One line."\n'


@pytest.fixture
def written(tmp_path):
    """Write a file of hints for assignment 1, and return what does not fit."""

    def write(text):
        folder = tmp_path / "solutions"
        folder.mkdir(exist_ok=True)
        (folder / "a1_hints.toml").write_text(text, encoding="utf-8")
        hints._read.cache_clear()
        return list(hints.unfit(first))

    exercise = COURSE.assignment("a1").exercise("1.1")
    first = COURSE.assignment("a1").model_copy(update={"exercises": [exercise]})
    (tmp_path / "course.toml").touch()
    shutil.copytree(ROOT / "autograder/a1", tmp_path / "autograder/a1")
    (tmp_path / "solutions").mkdir()
    shutil.copy(ROOT / "solutions/a1.py", tmp_path / "solutions")
    first = elsewhere(first, tmp_path)
    yield write
    hints._read.cache_clear()


def test_a_file_that_fits_has_nothing_to_tell(written):
    assert written(RIGHT + TEXTS) == []


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("[[hints]\n", "solutions/a1_hints.toml: not valid TOML"),
        ("", "solutions/a1_hints.toml: begin each exercise's hints with [[hints]]"),
        (RIGHT, "solutions/a1_hints.toml, line 1: the key 'direction' is missing"),
        (RIGHT + TEXTS + 'code = "x"\n', "line 1: the key 'code' is unknown"),
        (RIGHT + TEXTS.replace("Why?", "why " * 61), "`question` has 61 words: give 1 to 60"),
        (2 * (RIGHT + TEXTS), "line 7: 1.1 has hints already"),
        ((RIGHT + TEXTS).replace('"1.1"', '"1.99"'), "a1 has no exercise 1.99 with code"),
        ((RIGHT + TEXTS).replace('"1.1"', '"1.2"'), "exercise 1.1 has no hints"),
        ((RIGHT + TEXTS).replace("no_max_shift", "shifted"), "names 'softmax_shifted', which is"),
        (RIGHT + TEXTS.replace("There.", "np.exp(shifted)"), "a hint of 1.1 quotes the answer"),
    ],
)
def test_what_does_not_fit_is_one_sentence(written, text, told):
    found = written(text)
    assert told in "\n".join(found)
    assert all("\n" not in sentence for sentence in found)


def test_a_build_tells_it_before_anything_is_written(monkeypatch):
    right = hints.load(COURSE.assignment("a1"))
    wrong = right | {"1.4": dataclasses.replace(right["1.4"], answers=("softmax_no_max_shift",))}
    monkeypatch.setattr(hints, "load", lambda a: wrong if a.id == "a1" else {})
    with pytest.raises(BuildError, match=r"`answers` of 1\.4 names 'softmax_no_max_shift'"):
        course_build.drifted(COURSE)

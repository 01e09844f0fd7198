"""Numbers in texts are right: in formulas, in pencil exercises, and in one count of layers."""

import re

import arithmetic
import pytest
from checkout import ROOT

from grader.course.course import Course

LECTURES = ROOT / "lectures"
PARTS = sorted(LECTURES.glob("part*_*.md"), key=lambda path: int(path.stem[4:].partition("_")[0]))
TEXTS = [*sorted(LECTURES.glob("*.md")), *sorted((LECTURES / "teach").glob("*.md"))]
ANSWER = re.compile(  # and the cell behind it, if there is one
    r"^:::\{dropdown\} Answer\n(.*?)^:::\n(?:\n```\{code-cell\} python\n(.*?)^```$)?",
    re.DOTALL | re.MULTILINE,
)
STATED = re.compile(r' == r?"([^"]+)"')


@pytest.mark.parametrize("path", TEXTS, ids=lambda path: path.stem)
def test_every_calculation_in_a_formula_is_right(path):
    found = arithmetic.calculations(path.read_text(encoding="utf-8"))
    assert [said for said, one, other, room in found if abs(one - other) > room] == []


def test_the_calculations_of_the_lectures_are_found():
    counts = {path: len(list(arithmetic.calculations(path.read_text("utf-8")))) for path in PARTS}
    assert min(counts.values()) >= 3, counts


@pytest.mark.parametrize(
    ("said", "wrong"),
    [
        (r"$10 \cdot (0.68 + 0.07) = 7.4$", True),  # once in part 2
        (r"$10 \cdot (0.677 + 0.067) = 7.44$", False),
        (r"$0.88 \cdot 8 = 7.05$", True),  # once in the solutions of the exam
        (r"$\frac{1}{\sqrt{512 \cdot 4000}} \approx 7.0 \cdot 10^{-4}$", False),
        (r"$4 \cdot 96^2 = 36865$", True),
        (r"$-0.92 \ln 0.92 - 4 \cdot 0.02 \ln 0.02 = 0.077 + 0.313 = 0.390$", False),
        (r"$e^{-2} = 0.136$", True),
    ],
)
def test_a_wrong_calculation_is_found(said, wrong):
    ((_, one, other, room),) = list(arithmetic.calculations(said))[-1:]
    assert (abs(one - other) > room) == wrong


def pencil(path) -> str:
    """The section with the pencil exercises of a part."""
    text = path.read_text(encoding="utf-8")
    return re.search(r"^## With pencil and paper$(.*?)^## ", text, re.DOTALL | re.MULTILINE)[1]


@pytest.mark.parametrize("path", PARTS, ids=lambda path: path.stem)
def test_a_part_has_pencil_exercises_with_an_answer_and_a_cell_that_computes_it(path):
    section = pencil(path)
    numbers = re.findall(r"^\*\*(\d)\. ", section, re.MULTILINE)
    answers = ANSWER.findall(section)
    assert numbers == [str(number) for number in range(1, len(answers) + 1)]
    assert len(answers) >= 5
    assert [answer for answer, cell in answers if "assert " not in cell] == []
    stated = [(one, answer) for answer, cell in answers for one in STATED.findall(cell)]
    assert len(stated) >= 5
    assert [one for one, answer in stated if one not in answer] == []


@pytest.mark.parametrize("path", PARTS, ids=lambda path: path.stem)
def test_a_derivation_has_a_folded_solution(path):
    text = path.read_text(encoding="utf-8")
    posed = re.findall(r":::\{activity\} (.+)\n:kind: derivation", text)
    solved = re.findall(
        r":::\{dropdown\} Solution: .+?\n(.+?)^:::$", text, re.DOTALL | re.MULTILINE
    )
    assert len(solved) == len(posed)
    assert [solution for solution in solved if "$$" not in solution] == []


@pytest.mark.parametrize("path", PARTS, ids=lambda path: path.stem)
def test_a_part_is_called_as_in_the_syllabus_and_names_its_sources(path):
    text = path.read_text(encoding="utf-8")
    part = Course.here().parts[PARTS.index(path)]
    assert re.search(r"^# (.+)$", text, re.MULTILINE)[1] == f"Part {part.number}: {part.title}"
    sources = text.partition("\n## Sources\n")[2]
    assert len(re.findall(r"https://(?:arxiv\.org/abs/|doi\.org/)", sources)) >= 4
    assert text.count(":::{activity}") >= 3


def test_sentences_begin_with_start_and_layers_with_0():
    """Only where BERT is meant, a text may say [CLS]; no axis counts layers from 1."""
    paths = [*PARTS, *sorted((LECTURES / "quizzes").glob("*.toml")), LECTURES / "glossary.md"]
    texts = {path.name: path.read_text(encoding="utf-8") for path in paths}
    strange = re.compile(r"\[(?:CLS|SEP|BOS|EOS)\]|<(?:s|bos|eos)>")
    assert [name for name, text in texts.items() if strange.search(text)] == []
    assert [name for name, text in texts.items() if "range(1, 13)" in text] == []
    assert "counted from 0" in texts["glossary.md"]

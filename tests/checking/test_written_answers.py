"""A written answer survives what people do to the cells of a notebook."""

import base64
import json
import time
from dataclasses import replace

import proofs
import pytest

from grader.marking.figures import Notebook
from grader.notebook import notebook_file, written_answers
from grader.notebook.answer_cells import PREDICTION, WRITTEN
from grader.notebook.attachments import attachments
from grader.notebook.notebook_file import Cell

A1 = proofs.COURSE.assignment("a1")
STARTER = written_answers.starter_cells(A1)
AT = next(n for n, cell in enumerate(STARTER) if cell.grade_id == "written-1-11-a")
BLANK_A, BLANK_B, BLANK_C = STARTER[AT : AT + 3]
ASK_A, ASK_B, ASK_C = (c.source.replace(WRITTEN, "").rstrip() for c in STARTER[AT : AT + 3])
HEADING_A, POINTS, *BODY_A = ASK_A.split("\n\n")
LAB = STARTER[AT + 3]
HINT = STARTER[AT + 4]
ONE, TWO = "The variance grows.", "So the softmax saturates."
BOTH = f"{ONE}\n\n{TWO}"
DRAWING = "plt.plot(scores)\nplt.show()"


def a(text, kind="markdown"):
    return Cell(0, kind, f"{ASK_A}\n\n{text}", "written-1-11-a")


def b(text):
    return Cell(0, "markdown", f"{ASK_B}\n\n{text}", "written-1-11-b")


def cell(text, kind="markdown", grade_id=""):
    return Cell(0, kind, text, grade_id)


def bare(one):
    """A cell whose metadata are lost."""
    return replace(one, grade_id="")


def merged(one, other):
    return replace(one, source=f"{one.source}\n\n{other.source}")


def found(*written):
    """The answers in the starter with these cells where the three questions were."""
    cells = [*STARTER[:AT], *written, *STARTER[AT + 3 :]]
    return written_answers.found(A1, [replace(c, number=n) for n, c in enumerate(cells, 1)])


IDS = "written-1-11-a", "written-1-11-b"
N = AT + 1  # the number of the first of these cells
IN_TWO = f"in 2 cells: {N} and {N + 1}"
# what was done, the cells, the answers to a and b, where a's is
EDITS = [
    ("nothing", [BLANK_A, BLANK_B], "", "", ""),
    ("as asked", [a(ONE), b(TWO)], ONE, TWO, ""),
    ("the placeholder left in", [a(f"{WRITTEN}\n\n{ONE}"), BLANK_B], ONE, "", ""),
    ("above the placeholder", [a(f"{ONE}\n\n{WRITTEN}"), BLANK_B], ONE, "", ""),
    ("behind the placeholder", [a(f"{WRITTEN} {ONE}")], ONE, "", ""),
    ("a placeholder that lost its marks", [a(f"Write your answer here\n{ONE}")], ONE, "", ""),
    ("a placeholder in a comment", [a(f"<!-- {WRITTEN} -->")], "", "", ""),
    ("in the middle of the question", [cell(f"{HEADING_A}\n\n{ONE}\n\n{ASK_A}")], ONE, "", ""),
    ("split in three, one grade_id", [
        cell(ASK_A, grade_id=IDS[0]), cell(ONE, grade_id=IDS[0]), cell(TWO, grade_id=IDS[0]),
        BLANK_B], BOTH, "", f"in 2 cells: {N + 1} and {N + 2}"),
    ("split in three, no grade_id", [cell(ASK_A), cell(ONE), cell(TWO), BLANK_B], BOTH, "",
        f"in 2 cells: {N + 1} and {N + 2}"),
    ("split within the answer", [a(ONE), cell(TWO), BLANK_B], BOTH, "", IN_TWO),
    ("split within the question", [
        cell("\n\n".join([HEADING_A, POINTS]), grade_id=IDS[0]),
        cell("\n\n".join([*BODY_A, ONE]), grade_id=IDS[0])], ONE, "", ""),
    ("the same without a grade_id", [
        cell("\n\n".join([HEADING_A, POINTS])), cell("\n\n".join([*BODY_A, ONE]))], ONE, "", ""),
    ("a new cell below", [BLANK_A, cell(ONE), b(TWO)], ONE, TWO,
        f"in cell {N + 1}, apart from its question"),
    ("a new raw cell below", [BLANK_A, cell(ONE, "raw"), BLANK_B], ONE, "",
        f"in cell {N + 1} (raw), apart from its question"),
    ("a new code cell below", [BLANK_A, cell(ONE, "code"), BLANK_B], ONE, "",
        f"in cell {N + 1} (code), apart from its question"),
    ("comments in a code cell", [BLANK_A, cell(f"# {ONE}\n# {TWO}", "code"), BLANK_B],
        f"{ONE}\n{TWO}", "", f"in cell {N + 1} (code), apart from its question"),
    ("a string in a code cell", [BLANK_A, cell(f'"""{ONE}"""', "code")], f'"""{ONE}"""', "",
        f"in cell {N + 1} (code), apart from its question"),
    ("printed by code", [BLANK_A, cell(f'print("{ONE}")', "code")], f'print("{ONE}")', "",
        f"in cell {N + 1} (code), apart from its question"),
    ("a text with a name", [BLANK_A, cell(f'answer = "{ONE}"', "code")], f'answer = "{ONE}"', "",
        f"in cell {N + 1} (code), apart from its question"),
    ("a magic for text", [BLANK_A, cell(f"%%markdown\n{ONE}", "code")], ONE, "",
        f"in cell {N + 1} (code), apart from its question"),
    ("all answers at the end", [BLANK_A, LAB, cell(f"# Answers\n\n## Ans. 1.11.a\n\n{ONE}")],
        f"## Ans. 1.11.a\n\n{ONE}", "", ""),
    ("a list in three cells", [BLANK_A, cell("- One."), cell("- Two."), BLANK_B],
        "- One.\n\n- Two.", "", f"in 2 cells: {N + 1} and {N + 2}"),
    ("the heading underlined", [cell(f"{HEADING_A[4:]}\n---\n\n{BODY_A[0]}\n\n{WRITTEN}")],
        "", "", ""),
    ("a new cell above", [cell(ONE), BLANK_A, b(TWO)], ONE, TWO,
        f"in cell {N}, apart from its question"),
    ("code between", [a(ONE), cell(DRAWING, "code"), cell("%timeit f(x)", "code"), BLANK_B],
        ONE, "", ""),
    ("empty cells between", [BLANK_A, cell(""), cell(" ", "code"), cell(ONE), cell("\n")],
        ONE, "", f"in cell {N + 3}, apart from its question"),
    ("a blank copy below", [a(ONE), BLANK_A, BLANK_B], ONE, "", ""),
    ("a blank copy above", [BLANK_A, a(ONE), BLANK_B], ONE, "", ""),
    ("a full copy", [a(ONE), a(ONE), BLANK_B], ONE, "", ""),
    ("two versions", [a(ONE), a(TWO), BLANK_B], BOTH, "", IN_TWO),
    ("a blank copy of another question", [a(ONE), BLANK_B, BLANK_A, b(TWO)], ONE, TWO, ""),
    ("changed to code", [a(ONE, "code"), BLANK_B], ONE, "", f"in cell {N} (code)"),
    ("changed to raw, no grade_id", [bare(a(ONE, "raw"))], ONE, "", f"in cell {N} (raw)"),
    ("an own question", [a(ONE), cell(f"**1.11.b** {TWO}")], ONE, f"**1.11.b** {TWO}", ""),
    ("an own heading", [a(ONE), cell(f"1.11 (b)\n{TWO}")], ONE, f"1.11 (b)\n{TWO}", ""),
    ("answers by name", [cell(f"Answer to 1.11.a:\n{ONE}"), cell(f"## 1.11b\n{TWO}")],
        f"Answer to 1.11.a:\n{ONE}", f"## 1.11b\n{TWO}", ""),
    ("an own question, its number lost", [a(ONE), cell(TWO), BLANK_C], ONE, TWO, ""),
    ("both questions deleted", [cell(ONE), BLANK_C], ONE, "",
        f"in cell {N}, apart from its question"),
    ("a deleted question, two cells", [cell(ONE), cell(TWO), BLANK_B], BOTH, "", IN_TWO),
    ("code in a fence", [a(f"```python\n# 1.12 as above\n```\n\n{ONE}")],
        f"```python\n# 1.12 as above\n```\n\n{ONE}", "", ""),
    ("a heading with a number", [a(f"{ONE}\n\n#### 1.4 shows it\n\n{TWO}")],
        f"{ONE}\n\n#### 1.4 shows it\n\n{TWO}", "", ""),
    ("another level", [bare(cell("#" + ASK_A + f"\n\n{ONE}"))], ONE, "", ""),
    ("a bold heading", [cell(f"**{HEADING_A[4:]}**\n\n{POINTS}\n\n{ONE}")], ONE, "", ""),
    ("the question deleted", [cell(ONE, grade_id=IDS[0]), BLANK_B], ONE, "", ""),
    ("the heading deleted", [cell("\n\n".join([*BODY_A, ONE]))], ONE, "", ""),
    ("the question wrapped anew", [cell(f"{HEADING_A}\n\n{' '.join(BODY_A[0].split())}\n\n{ONE}")],
        ONE, "", ""),
    ("the question quoted", [BLANK_A, cell("> " + BODY_A[0].replace("\n", "\n> ") + f"\n\n{ONE}")],
        ONE, "", ""),
    ("a reply quote", [a(f"> {ONE}")], f"> {ONE}", "", ""),
    ("questions in another order", [b(TWO), a(ONE)], ONE, TWO, ""),
    ("answers merged", [merged(a(ONE), b(TWO))], ONE, TWO, ""),
    ("merged, no grade_id", [bare(merged(a(ONE), b(TWO)))], ONE, TWO, ""),
    ("merged with the next heading", [merged(a(ONE), LAB)], ONE, "", ""),
    ("a given cell moved here", [BLANK_A, HINT], "", "", ""),
    ("a comment", [a(f"<!-- {ONE} -->")], f"<!-- {ONE} -->", "", ""),
    ("a picture", [a("![](attachment:f.png)")], "![](attachment:f.png)", "", ""),
    ("a formula", [a("$$\\sigma^2 = d_k$$")], "$$\\sigma^2 = d_k$$", "", ""),
    ("another alphabet", [BLANK_A, cell("方差随维数增长。", "code")], "方差随维数增长。", "",
        f"in cell {N + 1} (code), apart from its question"),
    ("a heading of one's own", [BLANK_A, cell(f"### My answer\n\n{ONE}"), BLANK_B],
        f"### My answer\n\n{ONE}", "", f"in cell {N + 1}, apart from its question"),
    ("numbers that are no question", [a(ONE), cell("1.5 times as much."), BLANK_B],
        f"{ONE}\n\n1.5 times as much.", "", IN_TWO),
]  # fmt: skip


@pytest.mark.parametrize(
    ("cells", "of_a", "of_b", "where"), [row[1:] for row in EDITS], ids=[row[0] for row in EDITS]
)
def test_the_answer_is_what_lies_between_a_question_and_the_next_known_cell(
    cells, of_a, of_b, where
):
    answers = found(*cells)
    assert (answers["1.11.a"].text, answers["1.11.b"].text) == (of_a, of_b)
    assert answers["1.11.a"].notice == where


def usual(cells):
    """What was read as the answers when only the cell of a question could contain one."""
    asked = {c.grade_id: {line.strip() for line in c.source.splitlines()} - {""} for c in cells[0]}
    given = {c.grade_id: c.source for c in cells[1] if c.grade_id.startswith("written-")}
    return {
        id: "\n".join(line for line in text.splitlines() if line.strip() not in asked[id])
        .replace(WRITTEN, "")
        .strip()
        for id, text in given.items()
    }


@pytest.mark.parametrize("assignment", proofs.COURSE.notebooks, ids=lambda a: a.id)
def test_answers_of_usual_notebooks_keep_every_byte(assignment):
    """Stored marks belong to the hashes of answers."""
    starter = written_answers.starter_cells(assignment)
    solved = notebook_file.read(assignment.solution.read_bytes())
    answers = {c.grade_id: c for c in solved if c.grade_id.startswith("written-")}
    typed = [answers.get(c.grade_id, c) for c in starter]
    for cells in (starter, solved, typed):
        expected = usual((starter, cells))
        found = written_answers.found(assignment, cells)
        assert [answer.text for answer in found.values()] == [*expected.values()]
        assert not any(answer.notice for answer in found.values())
        assert all(answer.cells for answer in found.values())


PREDICT = next(n for n, one in enumerate(STARTER) if PREDICTION in one.source)
ASKED = STARTER[PREDICT].source.replace(PREDICTION, "").rstrip()


@pytest.mark.parametrize(
    ("cells", "filled"),
    [
        ([cell(f"{ASKED}\n\n{PREDICTION}")], False),
        ([cell(ASKED)], False),
        ([cell(f"{ASKED}\n\nRows 1 and 3.")], True),
        ([cell(f"{ASKED}\n\n{PREDICTION}\n\nRows 1 and 3.")], True),
        ([cell(ASKED), cell("Rows 1 and 3.")], True),
        ([cell(f"{ASKED}\n\nRows 1 and 3.", "raw")], True),
        ([STARTER[PREDICT], STARTER[PREDICT + 1], cell("A note below the plot.")], False),
        ([], False),
    ],
)
def test_a_prediction_is_found_as_an_answer_is(cells, filled):
    cells = [*STARTER[:PREDICT], *cells, *STARTER[PREDICT + 1 :]]
    assert written_answers.predictions(A1, cells)[0] == filled


PNG = base64.b64encode(b"\x89PNG\r\n\x1a\n" + bytes(16)).decode()


def test_pictures_of_several_cells_may_bear_one_name():
    """Jupyter calls every pasted picture `image.png`, in each cell."""
    text = "![](attachment:image.png)"
    raw = [
        {"cell_type": "markdown", "source": source, "attachments": {"image.png": {kind: PNG}}}
        for source, kind in ((f"{ASK_A}\n\n{ONE} {text}", "image/png"), (text, "image/gif"))
    ]
    gif = base64.b64encode(b"GIF89a").decode()
    raw[1]["attachments"]["image.png"]["image/gif"] = gif
    raw.append({"cell_type": "markdown", "source": BLANK_B.source})
    cells = notebook_file.read(json.dumps({"cells": raw}).encode())
    answer = written_answers.found(A1, cells)["1.11.a"]
    assert answer.text == f"{ONE} {text}\n\n![](attachment:2.image.png)"
    notebook = Notebook(A1, cells, raw)
    kinds = [notebook.figure("1.11.a", f"attachment:{n}image.png") for n in ("", "2.", "3.")]
    assert [kind and kind[0] for kind in kinds] == ["image/png", "image/gif", None]
    assert (
        attachments(A1, cells)["1.11.a"].pictures != attachments(A1, cells[:1])["1.11.a"].pictures
    )


@pytest.mark.parametrize(
    "line",
    ["\n", " ", "-", "=", "a\n", "<!--", "```\n", "# 1.11.a\n", "# 1.4\n", ">", "%\n", "#\n"],
)
@pytest.mark.parametrize("kind", ["markdown", "code"])
def test_no_text_keeps_the_grader_busy(line, kind):
    text = line * (notebook_file.MAX_SOURCE // len(line) - 9)
    started = time.process_time()
    found(BLANK_A, cell(text + "x x", kind), BLANK_B)
    found(BLANK_A, *[cell(f"{WRITTEN} ", kind)] * 900, BLANK_C)
    assert time.process_time() - started < 5

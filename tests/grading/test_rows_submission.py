"""Rows of the threat list that concern collection and scoring, through the real sandbox."""

import json

import proofs
import pytest

from grader.grading import class_run
from grader.intake import submissions
from grader.library.components import Component

pytestmark = pytest.mark.xdist_group("a1")  # its workers are started once

SOFTMAX = "course_lib.numpy_forms.attention:softmax"


@pytest.fixture
def graded(sandbox):
    def run(data, id="a1"):
        return proofs.graded(data, id, sandbox(id))

    return run


def changed(source, component=SOFTMAX, id="a1"):
    """The solution notebook with another source of a component."""
    return proofs.notebook(id, "solution", {component: source})


def entry(result, exercise):
    return next(e for e in result.exercises if e.id == exercise)


def full(result):
    return result.totals.automatic == result.totals.automatic_max


def test_row_7_an_exit_while_loading_is_a_load_error_of_its_own_name(graded):
    code = "import sys\nclass SelfAttention:\n    sys.exit(0)"
    result = graded(changed(code, "course_lib.numpy_forms.attention:SelfAttention"))
    assert result.outcome == "LOAD_ERROR"
    assert entry(result, "1.5").points == 0
    assert entry(result, "1.4").points == entry(result, "1.4").max_points
    assert "SystemExit" in entry(result, "1.5").tests[0].message.got


@pytest.mark.long
def test_row_21_nothing_that_a_submission_makes_is_ever_unpickled(graded, tmp_path):
    mark = tmp_path / "unpickled"
    code = f"""
class Trap:
    def __reduce__(self):
        return open, ({str(mark)!r}, "w")

def softmax(x, axis=-1):
    return Trap()
"""
    result = graded(changed(code))
    assert entry(result, "1.1").points == 0
    assert "object of type Trap" in json.dumps(result.as_json())
    assert not mark.exists()


def test_row_36_hard_coded_outputs_of_the_visible_tests_earn_only_those(graded):
    code = """
import numpy as np

def scaled_scores(query, key):
    answers = {(2, 2): [[1.0, 0.0], [0.0, 1.0]]}
    shape = (query.shape[-2], key.shape[-2])
    return np.array(answers.get(shape, np.zeros(shape)))
"""
    result = graded(changed(code, "course_lib.numpy_forms.attention:scaled_scores"))
    hidden = [test for test in entry(result, "1.3").tests if not test.public]
    assert sum(test.points for test in hidden) < sum(test.max_points for test in hidden) / 2


def test_rows_37_and_38_cells_may_be_moved_doubled_renamed_and_stripped(graded):
    notebook = json.loads(proofs.notebook("a1", "solution"))
    code = [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]
    for cell in code:
        cell["metadata"], cell["id"] = {"nbgrader": {"points": 1000}}, "same"
    notebook["cells"] = code[:2] + code[2:][::-1] + code[4:8]
    assert full(graded(json.dumps(notebook).encode()))


@pytest.mark.parametrize("data", [b"{", b"\xff\xfe\x00", b"", b"[" * 200_000, b"{}"], ids=range(5))
def test_rows_39_to_42_an_unreadable_file_is_invalid_and_has_a_row(graded, data):
    result = graded(data)
    assert result.outcome == "INVALID"
    assert result.reason
    assert result.totals.total == 0
    assert len(result.exercises) == len(proofs.COURSE.assignment("a1").exercises)


def test_row_44_a_question_to_the_user_says_what_to_change(graded):
    code = "NAME = input('name? ')\ndef softmax(x, axis=-1):\n    return NAME"
    result = graded(changed(code))
    assert "input()" in json.dumps(entry(result, "1.1").as_json())


@pytest.mark.long
def test_row_45_code_for_a_gpu_only_says_what_to_change(graded):
    code = Component.parse("course_lib.attention:split_heads").source
    code = code.replace("    return ", "    x = x.cuda()\n    return ", 1)
    result = graded(changed(code, "course_lib.attention:split_heads", "a2"), "a2")
    causes = {test.message.cause for test in entry(result, "2.2").tests if test.message}
    assert any("x.device" in cause for cause in causes)


def test_row_50_an_unsaved_notebook_and_another_assignments_are_said_plainly(graded):
    unsaved = graded(proofs.notebook("a1", "starter"))
    assert any("saved" in notice for notice in unsaved.notices)
    other = graded(proofs.notebook("a2", "solution"))
    assert any("assignment a2" in notice for notice in other.notices)
    assert other.totals.automatic < 25  # `attention` is a name of both


def test_row_50_a_wrong_signature_is_said_plainly(graded):
    code = "def softmax(values):\n    return values"
    result = graded(changed(code))
    causes = [test.message.cause for test in entry(result, "1.1").tests if test.message]
    assert any("parameters differs from the handout" in cause for cause in causes)


def test_row_50_the_version_that_was_hashed_is_the_one_graded(tmp_path):
    """A resubmission while grading: the bytes were read once."""
    path = tmp_path / "s1_a1.ipynb"
    path.write_bytes(proofs.notebook("a1", "solution"))
    found = submissions.find(tmp_path, ["a1"])[0]
    path.write_bytes(b"{}")
    a1 = proofs.COURSE.assignment("a1")
    key = class_run.key(found, a1, {"": "hash"}, "A")
    assert found.data == proofs.notebook("a1", "solution")
    (again,) = submissions.find(tmp_path, ["a1"])
    assert key.submission_sha256 != class_run.key(again, a1, {"": "hash"}, "A").submission_sha256

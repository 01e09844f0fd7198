"""A notebook's check, `student check`, `course check` and the grade say the same of one file."""

import proofs
import pytest

from grader.checking import notebook
from grader.judge.grade import grade
from grader.judge.suite_run import Submitted
from grader.library.components import Component
from grader.notebook import notebook_file
from grader.notebook.collect import collect
from grader.student import running, work

A1 = proofs.COURSE.assignment("a1")
ATTENTION = "course_lib.numpy_forms.attention:attention"
SOURCE = Component.parse(ATTENTION).source
BORROWED = SOURCE.replace("softmax(", "borrowed(").replace(
    "def attention", "from scipy.special import softmax as borrowed\n\n\ndef attention"
)
UNSCALED = "def scaled_scores(query, key):\n    return query @ np.swapaxes(key, -1, -2)\n"
ANSWERS = {
    "right": {ATTENTION: SOURCE},
    "wrong": {ATTENTION: SOURCE.replace("weights @ value", "2 * weights @ value")},
    "wrong before": {"course_lib.numpy_forms.attention:scaled_scores": UNSCALED},
    "forbidden": {ATTENTION: BORROWED},
}
OUTCOMES = {"right": {"PASSED"}, "forbidden": {"POLICY"}}


def told(tests):
    """The visible tests: outcome, message, and its cause where the answer shows it."""
    found = {test.id: (test.outcome, test.message) for test in tests if test.public}
    return {
        id: (outcome, message and (message.expected, message.got, message.seen and message.cause))
        for id, (outcome, message) in found.items()
    }


def in_a_kernel(path):
    """What `check` finds for every exercise, once the cells with definitions have run."""
    names = [name for exercise in A1.exercises for name in exercise.names]
    statements = collect(notebook_file.read(path.read_bytes()), names).statements
    namespace = {"__name__": "__main__", "In": ["def attention(*_): import scipy.special"]}
    for statement in statements:
        namespace["In"].append(statement.source)
        source = "\n" * (statement.line - 1) + statement.source
        exec(compile(source, f"<cell {statement.cell}>", "exec"), namespace)
    return [
        result
        for exercise in A1.exercises
        for result in notebook.visible_results(A1, exercise, namespace)
    ]


def checked(path, open_worker):
    """As `course check` does: the visible tests alone, in a sandboxed worker."""
    submitted = Submitted(A1, path.read_bytes(), public_only=True)
    return grade(submitted, proofs.COURSE, open_worker)


@pytest.mark.parametrize("answer", ANSWERS)
def test_four_ways_say_the_same(answer, tmp_path, sandbox):
    path = tmp_path / "a1.ipynb"
    path.write_bytes(proofs.notebook("a1", "solution", ANSWERS[answer]))
    graded = told(proofs.graded(path.read_bytes(), "a1").tests)
    of_attention = {outcome for id, (outcome, _) in graded.items() if "exercise_1_4" in id}
    assert of_attention - {"PASSED"} == OUTCOMES.get(answer, {"FAILED"}) - {"PASSED"}
    assert told(in_a_kernel(path)) == graded
    assert told(running.run(work.read(A1, path)).tests) == graded
    assert told(checked(path, sandbox("a1")).tests) == graded

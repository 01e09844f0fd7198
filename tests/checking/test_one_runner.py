"""A notebook's check, `student check`, `course check` and the grade say the same of one file."""

import proofs
import pytest

from grader.checking import notebook
from grader.judge import mistaken
from grader.judge.grade import grade, once
from grader.judge.suite_run import Submitted
from grader.judge.workers.local import local_worker
from grader.library.components import Component
from grader.notebook import notebook_file
from grader.notebook.collect import collect
from grader.student import check, work

NUMPY_FORMS = "course_lib.numpy_forms.attention"
ATTENTION = f"{NUMPY_FORMS}:attention"
SOURCE = Component.parse(ATTENTION).source
BORROWED = SOURCE.replace("softmax(", "borrowed(").replace(
    "def attention", "from scipy.special import softmax as borrowed\n\n\ndef attention"
)
UNSCALED = "def scaled_scores(query, key):\n    return query @ np.swapaxes(key, -1, -2)\n"
OWN_HEADS = """
def split_heads(x, n_heads):
    return torch.nn.functional.scaled_dot_product_attention(x, x, x)
"""
ANSWERS = {  # exercise, what replaces the reference, and the outcomes besides PASSED
    "right": ("1.4", {ATTENTION: SOURCE}, set()),
    "wrong": (
        "1.4",
        {ATTENTION: SOURCE.replace("weights @", "2 * weights @")},
        {"FAILED", "WAITING"},
    ),
    "wrong before": ("1.3", {f"{NUMPY_FORMS}:scaled_scores": UNSCALED}, {"FAILED"}),
    # a refusal of wrong shapes counts only beside a value, and here none was computed as asked
    "forbidden": ("1.4", {ATTENTION: BORROWED}, {"POLICY", "WAITING"}),
    "allowed in this exercise alone": ("2.4", {}, set()),
    "forbidden in torch": ("2.2", {"course_lib.attention:split_heads": OWN_HEADS}, {"POLICY"}),
}


def told(tests):
    """The visible tests: outcome, message, and its cause where the answer shows it."""
    found = {test.id: (test.outcome, test.message) for test in tests if test.public}
    return {
        id: (outcome, message and (message.expected, message.got, message.seen and message.cause))
        for id, (outcome, message) in found.items()
    }


def without_later_causes(found, file):
    """Without the causes that a grade leaves out, as it knows that an earlier exercise is wrong."""
    return {id: one if file in id else (one[0], one[1] and one[1][:2]) for id, one in found.items()}


def in_a_kernel(assignment, path):
    """What `check` finds for every exercise, once the cells with definitions have run."""
    names = [name for exercise in assignment.exercises for name in exercise.names]
    statements = collect(notebook_file.read(path.read_bytes()), names).statements
    namespace = {"__name__": "__main__", "In": ["def attention(*_): import scipy.special"]}
    for statement in statements:
        namespace["In"].append(statement.source)
        source = "\n" * (statement.line - 1) + statement.source
        exec(compile(source, f"<cell {statement.cell}>", "exec"), namespace)
    return [
        result
        for exercise in assignment.exercises
        for result in notebook.visible_results(assignment, exercise, namespace)
    ]


def checked(assignment, path, open_worker):
    """As `course check` does: the visible tests alone, in a sandboxed worker."""
    submitted = Submitted(assignment, path.read_bytes(), public_only=True)
    return grade(submitted, proofs.COURSE, open_worker)


QUICK, LONG = ("wrong", "forbidden"), ("right", "allowed in this exercise alone")


def mark(answer):
    """The others take no other way through the code."""
    return () if answer in QUICK else pytest.mark.long if answer in LONG else pytest.mark.slow


@pytest.mark.parametrize("answer", [pytest.param(a, marks=mark(a)) for a in ANSWERS])
def test_four_ways_say_the_same(answer, tmp_path, sandbox):
    exercise, replaced, outcomes = ANSWERS[answer]
    assignment = proofs.COURSE.assignment(f"a{exercise[0]}")
    path = tmp_path / f"{assignment.id}.ipynb"
    path.write_bytes(proofs.notebook(assignment.id, "solution", replaced))
    graded = told(proofs.graded(path.read_bytes(), assignment.id).tests)
    file = f"exercise_{exercise.replace('.', '_')}.py"
    assert {one for id, (one, _) in graded.items() if file in id} - {"PASSED"} == outcomes
    in_kernel = told(in_a_kernel(assignment, path))
    assert without_later_causes(in_kernel, file) == without_later_causes(graded, file)
    assert told(check.run_tests(work.read(assignment, path)).tests) == in_kernel
    assert told(checked(assignment, path, sandbox(assignment.id)).tests) == graded


def test_an_exercise_that_an_earlier_one_explains_asks_no_mistakes(monkeypatch):
    asked, ask = set(), mistaken.ask
    monkeypatch.setattr(mistaken, "_told", {})
    monkeypatch.setattr(mistaken, "read_kept", lambda path: {})
    monkeypatch.setattr(mistaken, "write_kept", lambda path, told: None)
    monkeypatch.setattr(
        mistaken, "ask", lambda a, bug, *rest: asked.add(bug.exercise) or ask(a, bug, *rest)
    )
    data = proofs.notebook("a1", "solution", {f"{NUMPY_FORMS}:scaled_scores": UNSCALED})
    submitted = Submitted(proofs.COURSE.assignment("a1"), data)
    first = once(submitted, proofs.COURSE, local_worker)
    assert {one.id for one in first.result.exercises if one.points != one.max_points} > {"1.3"}
    assert grade(submitted, proofs.COURSE, local_worker).exercises != first.result.exercises
    assert asked == {"1.3"}

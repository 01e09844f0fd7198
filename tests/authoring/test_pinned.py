"""Every sentence of a starter that pins a behavior is proven by a named bug; see `test_proofs`."""

import ast
import json
import re
from collections import Counter
from collections.abc import Iterator

import proofs
import pytest

from grader.checking.session import PASSED
from grader.course import mistakes
from grader.course.mistakes import Bug
from grader.judge import mistaken
from grader.judge.workers.local import local_worker
from grader.library.components import Component

IDS = ("a1", "a2", "a3", "a4", "a5")


def folded(text):
    """A text with its white space folded: a sentence may run over lines."""
    return re.sub(r"[\s#]+", " ", text)


@pytest.mark.parametrize("id", IDS)
def test_pinned_sentences_stand_in_the_starter(id):
    assignment = proofs.COURSE.assignment(id)
    pinned = [bug for bug in mistakes.load(assignment) if bug.pins]
    notebook = json.loads(proofs.notebook(id, "starter"))
    text = folded("\n".join("".join(cell["source"]) for cell in notebook["cells"]))
    said = [sentence for bug in pinned for sentence in bug.pins]
    assert not [sentence for sentence in said if folded(sentence) not in text]
    code = {exercise.id for exercise in assignment.exercises if exercise.components}
    assert code == {bug.exercise for bug in pinned}, "every exercise pins something"


# The minutes that course.toml states are at least those that the work is estimated to take.


READING = 5.0  # minutes for each point of difficulty: the task, the paper, the idea
LINE = 0.3  # minutes for a line of the reference, times the difficulty and one
ATTEMPT = 0.12  # minutes for each named mistake, of which a student makes a few


def estimates(assignment):
    """Minutes for each exercise with code of an assignment, by the exercise's id."""
    known = Counter(bug.exercise for bug in mistakes.load(assignment))
    return {
        exercise.id: READING * exercise.difficulty
        + LINE * lines(exercise) * (1 + exercise.difficulty)
        + ATTEMPT * known[exercise.id]
        for exercise in assignment.exercises
        if exercise.kind == "code"
    }


def lines(exercise):
    """Lines of statements in the reference, without signatures, docstrings and comments."""
    return sum(_lines(Component.parse(reference).source) for reference in exercise.components)


def _lines(source):
    given = (ast.FunctionDef, ast.ClassDef)
    return len(
        {
            line
            for node in ast.walk(ast.parse(source))
            if isinstance(node, ast.stmt) and not isinstance(node, given)
            if not (isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant))
            for line in range(node.lineno, (node.end_lineno or node.lineno) + 1)
        }
    )


@pytest.mark.parametrize(
    "assignment", proofs.COURSE.assignments, ids=lambda assignment: assignment.id
)
def test_no_exercise_claims_less_time_than_it_takes(assignment):
    stated = {exercise.id: exercise.minutes for exercise in assignment.exercises}
    short = {
        id: f"{stated[id]} minutes stated, {estimate:.0f} estimated"
        for id, estimate in estimates(assignment).items()
        if stated[id] < estimate - 2.5  # minutes are rounded to five
    }
    assert not short


# Each default of a signature that the handout fixes: changed, it fails some test.


ASSIGNMENTS = [proofs.COURSE.assignment(id) for id in ("a1", "a2", "a3", "a4", "a5")]


class Changed(Bug):
    """The right source with another default."""

    source: str

    def apply(self, source: str) -> str:
        """The source that was made, whatever is given."""
        return self.source


def defaults(source: str) -> Iterator[tuple[str, ast.Constant]]:
    """The numbers and booleans that are defaults of functions and methods, by their names."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.FunctionDef):
            given, last = [*node.args.posonlyargs, *node.args.args], node.args.defaults
            pairs = [*zip(given[::-1], last[::-1], strict=False)]
            pairs += zip(node.args.kwonlyargs, node.args.kw_defaults, strict=True)
            for argument, value in pairs:
                if isinstance(value, ast.Constant) and isinstance(value.value, bool | int | float):
                    yield f"{node.name}({argument.arg})", value


def changed(source: str, default: ast.Constant) -> str:
    """The source with another value there: not True, 0.0 for a float, twice an integer."""
    old = default.value
    new = not old if isinstance(old, bool) else 0.0 if isinstance(old, float) else 2 * old or 1
    lines = source.splitlines(keepends=True)
    line = lines[default.lineno - 1].encode()
    line = line[: default.col_offset] + repr(new).encode() + line[default.end_col_offset :]
    lines[default.lineno - 1] = line.decode()
    return "".join(lines)


CASES = [
    pytest.param(assignment, exercise.id, name, value, id=f"{exercise.id}-{component}-{place}")
    for assignment in ASSIGNMENTS
    for exercise in assignment.exercises
    for name in exercise.components
    for component in [Component.parse(str(name)).name]
    for place, value in defaults(Component.parse(str(name)).source)
    if f"{component}-{place}" != "TransformerEmbedding-__init__(max_length)"  # the table grows
]


@pytest.mark.slow
@pytest.mark.parametrize(("assignment", "exercise", "name", "default"), CASES)
def test_another_default_fails_some_test(assignment, exercise, name, default):
    source = changed(Component.parse(str(name)).source, default)
    bug = Changed(component=str(name), sentence="another default", change=(), source=source)
    bug._name, bug._exercise = "another_default", exercise
    results = mistaken.run(assignment, bug, local_worker, exercises=[exercise])
    assert any(result.outcome != PASSED for result in results)

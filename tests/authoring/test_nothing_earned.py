"""Whoever writes nothing, or pastes what a release brings, earns nothing."""

import ast
import signal
from contextlib import contextmanager
from functools import lru_cache
from typing import NamedTuple

import proofs
import pytest

from grader.authoring.release import contents
from grader.checking.messages import WAITING
from grader.checking.suite import read_tests
from grader.library import student_tree
from grader.library.components import Component
from grader.notebook.statements import global_names

NOTHING = {
    "returns None": "def {name}(*args, **kwargs):\n    return None\n",
    "returns its argument": "def {name}(*args, **kw):\n    return [*args, *kw.values()][0]\n",
    "refuses everything": "def {name}(*args, **kwargs):\n    raise ValueError(args, kwargs)\n",
    "an empty module": """
from torch import nn

class {name}(nn.Module):
    def __init__(self, *args, **kwargs):
        super().__init__()

    def forward(self, x, *args, **kwargs):
        return x
""",
}
EXERCISES = [
    (assignment, exercise)
    for assignment in proofs.COURSE.graded
    for exercise in assignment.exercises
    if exercise.components
]
COMPARE_NORMS = "course_lib.analysis.fair_comparisons:compare_norms"


def written(component, way):
    name = component.rpartition(":")[2]
    is_class = isinstance(ast.parse(Component.parse(component).source).body[-1], ast.ClassDef)
    return NOTHING["an empty module" if is_class else way].format(name=name)


def graded(assignment, exercise, replaced):
    data = proofs.notebook(assignment.id, "solution", replaced)
    result = proofs.graded(data, assignment.id, only=[exercise.id])
    return next(entry for entry in result.exercises if entry.id == exercise.id)


@pytest.mark.slow
@pytest.mark.parametrize("way", [way for way in NOTHING if "module" not in way])
@pytest.mark.parametrize(
    ("assignment", "exercise"), EXERCISES, ids=[exercise.id for _, exercise in EXERCISES]
)
def test_an_exercise_in_which_nothing_is_computed_earns_nothing(assignment, exercise, way):
    replaced = {component: written(component, way) for component in exercise.components}
    entry = graded(assignment, exercise, replaced)
    assert {test.id: test.points for test in entry.tests if test.points} == {}


def test_a_refusal_counts_beside_a_value_and_says_so():
    assignment = proofs.COURSE.assignment("a3")
    refusing = {COMPARE_NORMS: written(COMPARE_NORMS, "refuses everything")}
    entry = graded(assignment, assignment.exercise("3.14"), refusing)
    (refusal,) = (test for test in entry.tests if "refused" in test.id)
    assert (refusal.outcome, refusal.points) == (WAITING, 0)
    titles = {test.title.rstrip(".") for test in entry.tests}
    assert any(f"counts once “{title}”" in refusal.message.got for title in titles)


@pytest.mark.parametrize(
    ("assignment", "exercise"), EXERCISES, ids=[exercise.id for _, exercise in EXERCISES]
)
def test_what_counts_beside_a_test_names_one_that_counts_alone(assignment, exercise):
    marks = {
        test.id.rpartition("::")[2]: test.mark
        for path in [*assignment.public_tests, *assignment.hidden_tests()]
        for test in read_tests(path)
        if test.mark.exercise == exercise.id
    }
    named = {name for mark in marks.values() for name in mark.needs_one_of}
    assert named <= marks.keys()
    assert not [name for name in named if marks[name].needs_one_of]


# What students are given, pasted in place of what they are asked for.
#
# A week's release is read as a student would: every function and class in its files, with what it
# needs of its own module, is given the name of a component of each exercise that is still open, if
# it takes as many arguments. The rest of the notebook is right: what is earned is the function's.


class Pasted(NamedTuple):
    """A function or class of a released file, in place of a component of an exercise."""

    exercise: str
    component: str
    path: str
    name: str
    source: str

    def __str__(self):
        return f"{self.exercise} {self.component.partition(':')[2]}: {self.name} of {self.path}"


def pasted(files, assignment):
    """All attempts at an assignment with a release's files."""
    modules = {
        path: parts(path, files[path].decode()) for path in sorted(files) if path[-3:] == ".py"
    }
    for exercise in assignment.exercises:
        for reference in exercise.components:
            wanted = ast.parse(Component.parse(reference).source).body[-1]
            for path, (definitions, imports) in modules.items():
                for name in (name for name, node in definitions.items() if fits(node, wanted)):
                    lines = [*imports, *needed(name, definitions)]
                    lines += [f"{wanted.name} = {name}"] * (name != wanted.name)
                    yield Pasted(exercise.id, reference, path, name, "\n\n".join(lines) + "\n")


def parts(path, text):
    """A module's definitions by name, and its imports with whole names."""
    package = path.removesuffix(".py").split("/")[:-1]
    definitions, imports = {}, []
    for node in ast.parse(text).body:
        if isinstance(node, ast.ImportFrom) and node.module != "__future__":
            up = package[: len(package) - node.level + 1] if node.level else []
            whole = ".".join([*up, *filter(None, [node.module])])
            imports.append(ast.unparse(ast.ImportFrom(whole, node.names, 0)))
        elif isinstance(node, ast.Import):
            imports.append(ast.unparse(node))
        elif isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            definitions[node.name] = node
        elif isinstance(node, (ast.Assign, ast.AnnAssign)):
            target = node.targets[0] if isinstance(node, ast.Assign) else node.target
            if isinstance(target, ast.Name):
                definitions[target.id] = node
    return definitions, imports


uses = lru_cache(maxsize=8192)(global_names)


def needed(name, definitions):
    """The sources of a definition and of all that it uses of its module, in the module's order."""
    found, waiting = set(), [name]
    while waiting:
        one = waiting.pop()
        if one not in found:
            found.add(one)
            waiting += [n for n in uses(ast.unparse(definitions[one])) if n in definitions]
    return [ast.unparse(node) for one, node in definitions.items() if one in found]


def fits(given, wanted):
    """Whether it can be called as the component is; a class may inherit what it lacks."""
    if not isinstance(given, type(wanted)):
        return False
    if isinstance(wanted, ast.ClassDef):
        own, asked = ({n.name for n in one.body if hasattr(n, "name")} for one in (given, wanted))
        inherits = not {ast.unparse(b) for b in given.bases} <= {"nn.Module", "torch.nn.Module"}
        return inherits or asked <= own | {"__init__"}
    least, most = arguments(given)
    return least <= arguments(wanted)[0] <= most


def arguments(node):
    """How many arguments it must have and how many it may have."""
    positional = len(node.args.posonlyargs) + len(node.args.args)
    return positional - len(node.args.defaults), 99 if node.args.vararg else positional


SECONDS = 20  # for one attempt
NO_ANSWERS = set()  # attempts that an earlier week has tried already
# the answers of an assignment come out after its late days: until then another week has begun
OPEN = [
    (later.week, open_one.id)
    for later in proofs.COURSE.assignments
    for open_one in proofs.COURSE.assignments
    if open_one.week <= later.week
    and open_one.id not in student_tree.released_before(proofs.COURSE, later.id)
]
STAND_IN = """
def split_heads(x, n_heads):
    if x.shape[-1] % n_heads:
        raise ValueError(f"{n_heads} heads do not divide {x.shape[-1]} features")
    return x.unflatten(-1, (n_heads, -1)).movedim(-2, -3)


def unrelated(x, n_heads):
    return x
"""


@contextmanager
def limited():
    """Attempts may call for a training, or never end."""

    def stop(*_):
        raise TimeoutError

    before = signal.signal(signal.SIGALRM, stop)
    signal.alarm(SECONDS)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


def gained(assignment, one, open_worker, idle):
    """The points of an attempt above those of what is not written or does nothing."""

    def points(source):
        data = proofs.notebook(assignment.id, "solution", {one.component: source})
        result = proofs.graded(data, assignment.id, open_worker, only=[one.exercise])
        return next(e.points or 0.0 for e in result.exercises if e.id == one.exercise)

    if one.component not in idle:
        name = one.component.partition(":")[2]
        nothing = f"def {name}(*given, **named):\n    return None\n"
        texts = (Component.parse(one.component).stub("not written"), nothing)
        idle[one.component] = max(map(points, texts))
    return points(one.source) - idle[one.component]


def earning(assignment, attempts, sandbox):
    """The attempts that earn a point in the sandbox, and how much.

    Most earn nothing in this process either, where the whole library is there; that is quicker.
    """
    idle, idle_there, found = {}, {}, {}
    for one in attempts:
        tried = one.exercise, one.component, one.source
        if tried in NO_ANSWERS:
            continue
        try:
            with limited():
                earns = gained(assignment, one, proofs.local_worker, idle) > 0
        except (Exception, SystemExit):
            earns = False
        if not earns:
            NO_ANSWERS.add(tried)
        elif (more := gained(assignment, one, sandbox(assignment.id), idle_there)) > 0:
            found[str(one)] = round(more, 2)
    return found


def test_a_pasted_answer_is_found_and_what_is_none_is_not(sandbox):
    a2 = proofs.COURSE.assignment("a2")
    attempts = [one for one in pasted({"x.py": STAND_IN.encode()}, a2) if one.exercise == "2.2"]
    assert {one.name for one in attempts} == {"split_heads", "unrelated"}
    assert list(earning(a2, attempts, sandbox)) == ["2.2 split_heads: split_heads of x.py"]


@pytest.mark.slow
@pytest.mark.parametrize(("week", "id"), OPEN)
def test_nothing_that_is_released_earns_a_point(week, id, tmp_path, monkeypatch, sandbox):
    monkeypatch.chdir(tmp_path)
    newest = next(a.id for a in proofs.COURSE.assignments if a.week == week)
    out = student_tree.released_before(proofs.COURSE, newest)
    assignment = proofs.COURSE.assignment(id)
    attempts = pasted(contents.of_week(proofs.COURSE, week, out), assignment)
    assert earning(assignment, attempts, sandbox) == {}

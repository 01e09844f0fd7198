"""What a week's release brings students earns nothing in the exercises that are still open."""

import signal
from contextlib import contextmanager

import pasted
import proofs
import pytest

from grader.authoring.release import contents
from grader.library import student_tree
from grader.library.components import Component

COURSE = proofs.COURSE
SECONDS = 20  # for one attempt
NO_ANSWERS = set()  # attempts that an earlier week has tried already
# the answers of an assignment come out after its late days: until then another week has begun
OPEN = [
    (later.week, open_one.id)
    for later in COURSE.assignments
    for open_one in COURSE.assignments
    if open_one.week <= later.week
    and open_one.id not in student_tree.released_before(COURSE, later.id)
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


def points(assignment, exercise, component, source, open_worker):
    data = proofs.notebook(assignment.id, "solution", {component: source})
    result = proofs.graded(data, assignment.id, open_worker, only=[exercise])
    return next(entry.points or 0.0 for entry in result.exercises if entry.id == exercise)


def gained(assignment, one, open_worker, idle):
    """The points of an attempt above those of what is not written or does nothing."""
    place = one.exercise, one.component
    if place not in idle:
        stub = Component.parse(one.component).stub("not written")
        nothing = f"def {one.component.partition(':')[2]}(*given, **named):\n    return None\n"
        texts = (stub, nothing)
        idle[place] = max(points(assignment, *place, text, open_worker) for text in texts)
    return points(assignment, *place, one.source, open_worker) - idle[place]


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
                if gained(assignment, one, proofs.local_worker, idle) <= 0:
                    NO_ANSWERS.add(tried)
                    continue
        except (Exception, SystemExit):
            NO_ANSWERS.add(tried)
            continue
        more = gained(assignment, one, sandbox(assignment.id), idle_there)
        if more > 0:
            found[str(one)] = round(more, 2)
    return found


def test_a_pasted_answer_is_found_and_what_is_none_is_not(sandbox):
    a2 = COURSE.assignment("a2")
    attempts = [one for one in pasted.of({"x.py": STAND_IN.encode()}, a2) if one.exercise == "2.2"]
    assert {one.name for one in attempts} == {"split_heads", "unrelated"}
    assert list(earning(a2, attempts, sandbox)) == ["2.2 split_heads: split_heads of x.py"]


@pytest.mark.slow
@pytest.mark.parametrize(("week", "id"), OPEN)
def test_nothing_that_is_released_earns_a_point(week, id, tmp_path, monkeypatch, sandbox):
    monkeypatch.chdir(tmp_path)
    newest = next(a.id for a in COURSE.assignments if a.week == week)
    out = student_tree.released_before(COURSE, newest)
    assignment = COURSE.assignment(id)
    attempts = pasted.of(contents.of_week(COURSE, week, out), assignment)
    assert earning(assignment, attempts, sandbox) == {}

"""The visible checks of exercise 5.3: trials that fail."""

from grader.checking import expect
from grader.checking.exercise import exercise

# Expectations are set like tables: value, causes, hint, section.
# fmt: off

READ = "exercise 5.3"


def failing(student, kind):
    return student.make(f"lambda: (_ for _ in ()).throw({kind}('what happened'))")


@exercise("5.3")
def test_complete(student):
    """A trial that works keeps its row and is complete."""
    row = student.attempt(student.make("lambda: {'quality': 90.0, 'seed': 1}"))
    expect.equal(row, {"quality": 90.0, "seed": 1, "status": "complete"}, what="the row", read=READ)


@exercise("5.3")
def test_diverged(student):
    """A FloatingPointError becomes a row with its text."""
    row = student.attempt(failing(student, "FloatingPointError"))
    expect.equal(row, {"status": "diverged", "reason": "what happened"}, what="the row", read=READ)


@exercise("5.3")
def test_timed_out(student):
    """A TimeoutError becomes a row with its text."""
    row = student.attempt(failing(student, "TimeoutError"))
    expect.equal(row, {"status": "timed out", "reason": "what happened"}, what="the row", read=READ)


@exercise("5.3", beside=["test_complete", "test_diverged", "test_timed_out"])
def test_faults(student):
    """A KeyError is a fault of the program and is raised."""
    expect.raises(lambda: student.attempt(failing(student, "KeyError")), "KeyError",
                  otherwise="catch only what the docstring names", read=READ)

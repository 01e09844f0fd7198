"""The visible checks of exercise 5.3: trials that fail."""

from grader.checking.question import question, refusal

FAILED = "{'status': …, 'reason': str(error)}"


def failing(its, kind):
    return its.make(f"lambda: (_ for _ in ()).throw({kind}('what happened'))")


@question("5.3", advice="{'status': 'complete', **trial()}", read="exercise 5.3")
def test_complete(its):
    """A trial that works keeps its row and is complete."""
    return {"the row": its.attempt(its.make("lambda: {'quality': 90.0, 'seed': 1}"))}


@question("5.3", 1.5, advice=FAILED, read="exercise 5.3")
def test_diverged(its):
    """A FloatingPointError becomes a row with its text."""
    return {"the row": its.attempt(failing(its, "FloatingPointError"))}


@question("5.3", advice=FAILED, read="exercise 5.3")
def test_out_of_memory(its):
    """An OutOfMemoryError of torch becomes a row with its text."""
    return {"the row": its.attempt(failing(its, "torch.OutOfMemoryError"))}


@question("5.3", 1.5, advice=FAILED, read="exercise 5.3")
def test_timed_out(its):
    """A TimeoutError becomes a row with its text."""
    return {"the row": its.attempt(failing(its, "TimeoutError"))}


@question(
    "5.3",
    2,
    advice="catch only what the docstring names",
    read="exercise 5.3",
    beside=["test_complete", "test_diverged", "test_timed_out"],
)
def test_faults(its):
    """Other errors are faults of the program and are raised."""
    kinds = ("KeyError", "RuntimeError", "OSError", "ZeroDivisionError", "ValueError")
    return {kind: refusal(lambda kind=kind: its.attempt(failing(its, kind))) for kind in kinds}

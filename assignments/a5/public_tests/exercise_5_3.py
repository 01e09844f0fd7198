"""The visible checks of exercise 5.3: trials that fail."""

from grader.checking.question import question, refusal


def failing(its, kind):
    return its.make(f"lambda: (_ for _ in ()).throw({kind}('what happened'))")


@question("5.3", advice="{'status': 'complete', **trial()}", read="exercise 5.3")
def test_complete(its):
    """A trial that works keeps its row and is complete."""
    return {"the row": its.attempt(its.make("lambda: {'quality': 90.0, 'seed': 1}"))}


@question("5.3", 2, advice="{'status': …, 'reason': str(error)}", read="exercise 5.3")
def test_failures(its):
    """FloatingPointError, torch's OutOfMemoryError and TimeoutError become rows with their text."""
    kinds = ("FloatingPointError", "torch.OutOfMemoryError", "TimeoutError")
    return {f"the row after a {kind}": its.attempt(failing(its, kind)) for kind in kinds}


@question(
    "5.3",
    2,
    advice="catch only what the docstring names",
    read="exercise 5.3",
    beside=["test_complete", "test_failures"],
)
def test_faults(its):
    """Other errors are faults of the program and are raised."""
    kinds = ("KeyError", "RuntimeError", "OSError", "ZeroDivisionError", "ValueError")
    return {kind: refusal(lambda kind=kind: its.attempt(failing(its, kind))) for kind in kinds}

"""The visible checks of exercise 5.3: trials that fail."""

from grader.checking.question import question, refusal

TRIAL = "lambda: calls.append(1) or {'quality': 90.0, 'seed': 1, 'calls so far': len(calls)}"


def failing(its, kind):
    return its.make(f"lambda: (_ for _ in ()).throw({kind}('what happened'))")


@question("5.3", advice="{'status': 'complete', **trial()}", read="exercise 5.3")
def test_complete(its):
    """A trial that works keeps its row and is complete; it runs once."""
    return {"the row": its.attempt(its.make(TRIAL, calls=its.make("[]")))}


@question("5.3", 2, advice="{'status': …, 'reason': str(error)}", read="exercise 5.3")
def test_failures(its):
    """What the docstring names becomes a row with its text."""
    kinds = ("FloatingPointError", "MemoryError", "torch.OutOfMemoryError", "TimeoutError")
    return {f"the row after a {kind}": its.attempt(failing(its, kind)) for kind in kinds}


@question(
    "5.3",
    2,
    advice="catch only what the docstring names",
    read="exercise 5.3",
    needs_one_of=["test_complete", "test_failures"],
)
def test_faults(its):
    """Other errors are faults of the program and are raised."""
    kinds = ("KeyError", "RuntimeError", "OSError", "ZeroDivisionError", "ValueError")
    kinds += ("OverflowError", "ConnectionError")
    return {kind: refusal(lambda kind=kind: its.attempt(failing(its, kind))) for kind in kinds}

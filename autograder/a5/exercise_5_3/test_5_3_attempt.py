"""Hidden tests of exercise 5.3: which failures become rows, and which are raised."""

from autograder.a5.student_side import made
from grader.checking.question import question

READ = "the docstring of 5.3"
OWN = "type('Special', ({},), {{}})"  # a kind of an exception


def guarded(attempt, outcome, *text):
    """The row, or the name of what `attempt` raises; and how often the trial ran."""
    calls = []

    def trial():
        calls.append(outcome)
        if isinstance(outcome, dict):
            return dict(outcome)
        raise outcome(*text)

    try:
        return [attempt(trial), len(calls)]
    except NotImplementedError:
        raise
    except BaseException as error:  # KeyboardInterrupt, too
        return [f"{type(error).__name__} raised", len(calls)]


def tried(its, *kinds, text=("a fault",)):
    """The results of `attempt` for trials that raise."""
    call = made(its, guarded)
    return {kind: call(its.attempt, its.make(kind), *text)[0] for kind in kinds}


@question("5.3", weight=4, advice="{'status': 'complete', **trial()}, called once", read=READ)
def test_a_complete_trial(its, rng):
    """A trial that works runs once, keeps its whole row, and has the status "complete"."""
    row = {"quality": int(rng.integers(300)) / 4, "steps": 45, "curve": [{"step": 45}], "note": ""}
    found, calls = made(its, guarded)(its.attempt, row)
    return {"the row": found, "calls": calls}


@question("5.3", weight=3.5, advice="{'status': …, 'reason': str(error)}", read=READ)
def test_diverged(its, rng):
    """FloatingPointError means "diverged", no memory "out of memory", TimeoutError "timed out"."""
    memory = ("MemoryError", "torch.OutOfMemoryError")
    kinds = ("FloatingPointError", OWN.format("FloatingPointError"), *memory, "TimeoutError")
    silent = tried(its, "FloatingPointError", text=())
    return tried(its, *kinds, text=[f"step {rng.integers(99)}"]) | {"without a text": silent}


@question(
    "5.3",
    weight=2.5,
    advice="catch only what the docstring names",
    read=READ,
    needs_one_of=["test_a_complete_trial", "test_diverged"],
)
def test_a_fault_of_the_program_is_raised(its, rng):
    """Every other exception of the trial is raised."""
    faults = ("TypeError", "KeyError", OWN.format("Exception"), "RuntimeError", "ZeroDivisionError")
    more = ("OverflowError", "PermissionError", "ConnectionError", "KeyboardInterrupt")
    return tried(its, *faults, *more) | tried(its, "ValueError", text=["the loss is nan"])

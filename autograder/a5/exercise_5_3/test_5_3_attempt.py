"""Hidden tests of exercise 5.3: which failures become rows, and which are raised."""

from autograder.a5.student_side import made
from grader.checking.question import question

READ = "the docstring of 5.3"
FAILED = "{'status': …, 'reason': str(error)}"
BESIDE = ["test_a_complete_trial", "test_diverged", "test_out_of_memory", "test_timed_out"]


class ScriptedTrial:
    """A trial that returns `row`, or raises the exception of the name `kind` with `text`."""

    def __init__(self, row, kind, text):
        self.row, self.kind, self.text, self.calls = row, kind, text, 0

    def __call__(self):
        self.calls += 1
        if not self.kind:
            return dict(self.row)
        text = [self.text] if self.text else []
        if self.kind == "torch.OutOfMemoryError":
            raise torch.OutOfMemoryError(*text)  # noqa: F821
        builtin = getattr(__import__("builtins"), self.kind.removeprefix("a kind of "))
        if self.kind.startswith("a kind of "):
            builtin = type("Special", (builtin,), {})
        raise builtin(*text)


def guarded(attempt, trial):
    """The row, or the kind of whatever `attempt` raises, MemoryError included."""
    try:
        return attempt(trial)
    except NotImplementedError:
        raise
    except BaseException as error:
        kind = type(error)
        return f"{kind.__base__.__name__ if kind.__name__ == 'Special' else kind.__name__} raised"


def tried(its, *kinds, row=None, text="a fault"):
    """What `attempt` makes of trials that raise."""
    call = made(its, guarded)
    trials = {kind: made(its, ScriptedTrial)(row, kind, text) for kind in kinds}
    return {kind or "a row": call(its.attempt, trial) for kind, trial in trials.items()}


@question("5.3", weight=4, advice="{'status': 'complete', **trial()}", read=READ)
def test_a_complete_trial(its, rng):
    """A trial that works keeps its whole row, and has the status "complete"."""
    row = {"quality": int(rng.integers(300)) / 4, "steps": 45, "curve": [{"step": 45}], "note": ""}
    return tried(its, "", row=row)


@question("5.3", weight=0.5, advice="call trial() once", read=READ, beside=BESIDE)
def test_a_trial_runs_once(its, rng):
    """`trial` is called exactly once."""
    found, call = {}, made(its, guarded)
    for kind in ("", "FloatingPointError", "TimeoutError"):
        trial = made(its, ScriptedTrial)({"quality": 1.0}, kind, "again")
        call(its.attempt, trial)
        found[f"calls of a trial that {f'raises {kind}' if kind else 'works'}"] = trial.get("calls")
    return found


@question("5.3", weight=2.5, advice=FAILED, read=READ)
def test_diverged(its, rng):
    """FloatingPointError means "diverged"."""
    text = f"step {rng.integers(10, 99)}"
    found = tried(its, "FloatingPointError", "a kind of FloatingPointError", text=text)
    return found | {"without a text": tried(its, "FloatingPointError", text="")}


@question("5.3", weight=2.5, advice=FAILED, read=READ)
def test_out_of_memory(its, rng):
    """Both MemoryError and torch's OutOfMemoryError mean "out of memory"."""
    return tried(its, "MemoryError", "torch.OutOfMemoryError", text=f"{rng.integers(10, 99)} GiB")


@question("5.3", weight=2.5, advice=FAILED, read=READ)
def test_timed_out(its, rng):
    """TimeoutError means "timed out"."""
    return tried(its, "TimeoutError", text=f"{rng.integers(10, 99)} s")


@question("5.3", weight=2.5, advice="catch only what the docstring names", read=READ, beside=BESIDE)
def test_a_fault_of_the_program_is_raised(its, rng):
    """Every other exception of the trial is raised."""
    faults = ("TypeError", "KeyError", "a kind of Exception", "RuntimeError", "ZeroDivisionError")
    more = ("OverflowError", "PermissionError", "ConnectionError", "KeyboardInterrupt")
    return tried(its, *faults, *more) | tried(its, "ValueError", text="the loss is nan")

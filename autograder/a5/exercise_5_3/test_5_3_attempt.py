"""Hidden tests of exercise 5.3: which failures become rows, and which are raised."""

from autograder.a5.student_side import made
from grader.checking import expect
from grader.checking.exercise import exercise
from grader.checking.known_mistakes import known_mistakes
from grader.seam import StudentError
from grader.seam.errors import NOT_WRITTEN

MISTAKE = known_mistakes(__file__)

READ = "the docstring of 5.3"
FAILURES = ("test_diverged", "test_out_of_memory", "test_timed_out")  # become rows


class ScriptedTrial:
    """A trial that returns `row`, or raises the exception of the name `kind` with `text`."""

    def __init__(self, row, kind, text):
        self.row, self.kind, self.text, self.calls = row, kind, text, 0

    def __call__(self):
        self.calls += 1
        if not self.kind:
            return dict(self.row)
        if self.kind == "torch.OutOfMemoryError":
            raise torch.OutOfMemoryError(self.text)  # noqa: F821
        builtin = getattr(__import__("builtins"), self.kind.removeprefix("a kind of "))
        if self.kind.startswith("a kind of "):
            builtin = type("Special", (builtin,), {})
        raise builtin(self.text)


def guarded(attempt, trial):
    """The row, or the kind and text of whatever `attempt` raises, MemoryError included."""
    try:
        return {"row": attempt(trial)}
    except NotImplementedError:
        raise
    except BaseException as error:
        kind = type(error)
        name = kind.__base__.__name__ if kind.__name__ == "Special" else kind.__name__
        return {"raised": name, "text": str(error)}


class Tried:
    """One call of the student's `attempt`, and what came of it."""

    def __init__(self, student, row=None, kind="", text=""):
        self.trial = made(student, ScriptedTrial)(row, kind, text)
        found = student.call(made(student, guarded), student.attempt, self.trial).value
        if not isinstance(found, dict):
            raise StudentError(NOT_WRITTEN, "")
        self.row, self.raised = found.get("row"), found.get("raised", "")
        self.text = found.get("text", "")

    @property
    def got(self):
        return f"{self.raised}: {self.text}" if self.raised else f"{self.row}"[:200]


def check_failure(student, rng, kind, status):
    """An exception of this kind becomes a row with this status and its own text."""
    text = f"step {rng.integers(10, 99)} of {rng.integers(100, 999)}"
    tried = Tried(student, kind=kind, text=text)
    expect.true(
        not tried.raised,
        expected=f"a row with the status {status!r}, because the trial raises {kind}",
        got=tried.got,
        read=READ,
    )
    row = tried.row
    expect.true(
        isinstance(row, dict) and {"status", "reason"} <= set(row),
        expected="a dictionary with `status` and `reason`",
        got=tried.got,
        otherwise="{'status': …, 'reason': str(error)}",
        read=READ,
    )
    expect.equal(
        row["status"],
        status,
        otherwise="the status depends on the exception: the docstring names three",
        what=f"status after {kind}",
        read=READ,
    )
    expect.equal(
        row["reason"],
        text,
        otherwise="`str(error)`",
        what="reason",
        read=READ,
    )


@exercise("5.3", weight=2)
def test_a_complete_trial(student, rng):
    """A trial that works keeps its whole row, and has the status "complete"."""
    row = {"quality": int(rng.integers(300)) / 4, "steps": 45, "curve": [{"step": 45}], "note": ""}
    tried = Tried(student, row)
    expect.true(
        isinstance(tried.row, dict),
        expected="the row of the trial, with its status",
        got=tried.got,
        otherwise="{'status': 'complete', **trial()}",
        read=READ,
    )
    expect.true(
        "status" in tried.row,
        expected="`status` in the row",
        got=tried.got,
        read=READ,
    )
    kept = {name: value for name, value in tried.row.items() if name != "status"}
    expect.equal(
        kept,
        row,
        otherwise="return everything that trial() returned, and the status",
        what="the rest of the row",
        read=READ,
    )
    expect.equal(tried.row["status"], "complete", what="status", read=READ)


@exercise("5.3", beside=["test_a_complete_trial", *FAILURES])
def test_a_trial_runs_once(student, rng):
    """`trial` is called exactly once."""
    for kind in ("", "FloatingPointError", "TimeoutError"):
        tried = Tried(student, {"quality": 1.0}, kind, "again")
        calls = tried.trial.get("calls")
        expect.equal(
            calls,
            1,
            otherwise="call trial() once",
            what=f"calls of a trial that {f'raises {kind}' if kind else 'works'}",
            read=READ,
        )


@exercise("5.3")
def test_diverged(student, rng):
    """FloatingPointError means "diverged"."""
    for kind in ("FloatingPointError", "a kind of FloatingPointError"):
        check_failure(student, rng, kind, "diverged")


@exercise("5.3", weight=2)
def test_out_of_memory(student, rng):
    """Both MemoryError and torch's OutOfMemoryError mean "out of memory"."""
    for kind in ("MemoryError", "torch.OutOfMemoryError"):
        check_failure(student, rng, kind, "out of memory")


@exercise("5.3")
def test_timed_out(student, rng):
    """TimeoutError means "timed out"."""
    check_failure(student, rng, "TimeoutError", "timed out")


@exercise("5.3", weight=2, beside=["test_a_complete_trial", *FAILURES])
def test_a_fault_of_the_program_is_raised(student, rng):
    """Every other exception of the trial is raised."""
    broad = MISTAKE.attempt_swallows_everything
    for kind, because in (
        ("TypeError", broad),
        ("KeyError", broad),
        ("a kind of Exception", broad),
        ("RuntimeError", MISTAKE.attempt_swallows_runtime_errors),
        ("ZeroDivisionError", MISTAKE.attempt_swallows_arithmetic),
        ("PermissionError", MISTAKE.attempt_swallows_os_errors),
        ("KeyboardInterrupt", MISTAKE.attempt_swallows_ctrl_c),
    ):
        tried = Tried(student, None, kind, "a fault")
        expect.true(
            bool(tried.raised),
            expected=f"the {kind.removeprefix('a kind of ')} of the trial, raised",
            got=tried.got,
            because=because,
            read=READ,
        )
        expect.equal(
            tried.raised,
            kind.removeprefix("a kind of "),
            what="the exception",
            read=READ,
        )

"""The message for an exception that ended a test, from its type and text alone.

A test that knows its inputs can say more: see `expect.raising`.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from fnmatch import fnmatchcase
from typing import NamedTuple

from ..course.assignment import Ban
from ..seam import StudentError
from ..seam import errors as kinds
from .faults import SuiteError
from .messages import NOT_WRITTEN, Message


class Sign(NamedTuple):
    """A type and message of exceptions and their meaning. `certain`: they mean nothing else."""

    kind: str  # a regular expression, like `words`
    words: str
    meaning: str  # may quote the groups of `words`, which are numbers: {0}, {1}
    certain: bool


NOT_YOURS = "; this is no mistake of yours"  # ends what a student reads of a test that is wrong
SIGNS = (
    Sign(
        "AttributeError",
        r"before Module\.__init__\(\) call|object has no attribute '_(modules|parameters|buffers)'",
        "`__init__` does not begin with `super().__init__()`: an nn.Module needs it first",
        True,
    ),
    Sign(
        "RuntimeError",
        r"view size is not compatible with input tensor's size and stride",
        "`view` after `transpose` or `permute`: the tensor is no longer contiguous in memory; "
        "use `reshape`, or `.contiguous()` before `view`",
        True,
    ),
    Sign(
        "RuntimeError|ValueError",
        r"mat1 and mat2 shapes cannot be multiplied \((\d+x\d+) and (\d+x\d+)\)",
        "a {0} matrix is multiplied by a {1} matrix: the inner sizes must match, so one of them "
        "has the wrong size or needs a transpose",
        False,
    ),
    Sign(
        "ValueError",
        r"matmul: .*mismatch in its core dimension.*\(size (\d+) is different from (\d+)\)",
        "a matrix product over axes of sizes {1} and {0}: a transpose is missing or superfluous, "
        "or `.T` reverses the batch axes too",
        False,
    ),
    Sign(
        "RuntimeError",
        r"Expected size for first two dimensions of batch2 tensor to be",
        "a batched matrix product whose inner sizes differ: a transpose is missing or superfluous",
        False,
    ),
    Sign(
        "ValueError",
        r"could not be broadcast together with shapes \(([\d,]*)\) \(([\d,]*)\)",
        "shapes ({0}) and ({1}) do not broadcast: from the right, sizes must be equal or 1",
        False,
    ),
    Sign(
        "RuntimeError",
        r"The size of tensor a \((\d+)\) must match the size of tensor b \((\d+)\)",
        "sizes {0} and {1} do not broadcast: print both shapes before this line; from the right, "
        "sizes must be equal or 1",
        False,
    ),
    Sign(
        "TypeError",
        r"argument",
        "the name or the order of the parameters differs from the handout",
        False,
    ),
    Sign(
        ".*",
        r"CUDA|cuda|NVIDIA driver",
        "it needs a GPU: use the input's device (`x.device`) instead of a fixed one",
        False,
    ),
    Sign(
        "EOFError|LOAD_ERROR",
        r"EOFError|EOF when reading",
        "nobody answers `input()` while grading: pass the value as an argument",
        True,
    ),
    Sign(
        "RuntimeError",
        r"one of the variables needed for gradient computation has been modified by an inplace",
        "an in-place operation (`x += …`, `x[…] = …`) overwrites what the backward pass needs",
        True,
    ),
    Sign(
        "RuntimeError",
        r"Can't call numpy\(\) on Tensor that requires grad",
        "a tensor that requires grad is passed to NumPy: call `.detach()` first",
        True,
    ),
    Sign(
        "RecursionError",
        r"maximum recursion depth",
        "infinite recursion: a function never stops calling itself",
        True,
    ),
)


def diagnosis(kind: str, message: str) -> tuple[str, bool]:
    """What an exception means, and whether that is certain; ("", False) if unknown."""
    for sign in SIGNS:
        found = re.search(sign.words, message)
        if found and re.fullmatch(sign.kind, kind):
            return sign.meaning.format(*found.groups()), sign.certain
    return "", False


def explain(
    error: BaseException, names: list[str], exercise: str = "", bans: Sequence[Ban] = ()
) -> Message:
    """The message for an exception that is no Failure; `names` are those the exercise defines."""
    if isinstance(error, StudentError) and error.kind == kinds.POLICY:
        return _not_allowed(error, exercise, bans)
    if isinstance(error, StudentError):
        return _of_student(error, names)
    if isinstance(error, SuiteError):
        return Message("a test that works", f"{error}{NOT_YOURS}")
    got = f"a value that the test could not handle ({type(error).__name__}: {error})"
    return Message("a value of the form the docstring describes", got)


def _of_student(error: StudentError, names: list[str]) -> Message:
    named = " and ".join(f"`{name}`" for name in names)
    own = not error.message or any(f" {name} " in error.message for name in names)
    by_kind = {
        kinds.NOT_WRITTEN: (
            Message(f"{named}, written by you", NOT_WRITTEN)
            if own
            else Message("a value", error.message, "it needs an exercise that is not written yet")
        ),
        kinds.MISSING: Message(
            f"{named} in the notebook",
            f"no `{error.message}`",
            "renamed, deleted, or in a cell with a syntax error: keep the name from the handout",
        ),
        kinds.TIMEOUT: Message(
            "an answer within the time limit",
            error.message or "no answer in time",
            "a loop that never ends, or work that grows much faster than its input",
        ),
        kinds.OOM: Message(
            "an answer within the memory limit",
            error.message or "out of memory",
            "an array with one axis too many, or a list that never stops growing",
        ),
        kinds.CRASHED: Message(
            "an answer",
            f"the process ended: {error.message}" if error.message else "the process ended",
            "a call to `exit`, a crash in compiled code, or infinite recursion",
        ),
        kinds.LOAD_ERROR: _raised(f"{named}, loaded from the notebook", error.message, error),
        kinds.PROTOCOL: Message("plain numbers, text, lists, arrays or tensors", error.message),
    }
    if error.kind in by_kind:
        return by_kind[error.kind]
    at = f" ({error.where})" if error.where else ""
    return _raised("a value", f"{error.kind}: {error.message}{at}", error)


def _not_allowed(error: StudentError, exercise: str, bans: Sequence[Ban]) -> Message:
    """What was used and where, and what is allowed instead."""
    name = error.message
    instead = [text for names, text in bans if any(fnmatchcase(name, one) for one in names)]
    return Message(
        f"your own code, with {instead[0]}" if instead else "your own code",
        f"a use of `{name}`" + (f" in {error.where}" if error.where else ""),
        f"exercise {exercise} does not allow it, whatever name it is called by",
        seen=True,
    )


def _raised(expected: str, got: str, error: StudentError) -> Message:
    cause, seen = diagnosis(error.kind, error.message)
    return Message(expected, got, cause, seen=seen)

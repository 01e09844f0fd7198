"""The message for an exception that ended a test.

A test that knows its inputs can say more: see `expect.raising`.
"""

import re
from collections.abc import Collection, Sequence
from fnmatch import fnmatchcase

from ..course.assignment import Ban
from ..seam import StudentError
from ..seam import errors as kinds
from ..seam.errors import LOAD_ERROR
from . import signs, torch_signs
from .faults import SuiteError
from .messages import NOT_WRITTEN, RAISED, Message

SIGNS = torch_signs.SIGNS + signs.SIGNS  # the first that fits counts
_LOADING = re.compile(r"raised (\w+)(?:: (.*))?$", re.DOTALL)  # see `seam.loading`
# A call whose arguments do not fit the function, as Python, NumPy and torch say it.
_CALL = re.compile(
    r"(?P<function>[\w.<>]+)\(\) (missing \d+ required[^:]*: (?P<missing>.*)|takes "
    r"|got multiple values for argument"
    r"|got an unexpected keyword argument '(?P<keyword>\w+)'|received an invalid combination)"
)
_QUOTES = "['\"]"
_OTHER_LIBRARY = {
    "keepdim": "NumPy calls it `keepdims`",
    "keepdims": "torch calls it `keepdim`",
    "dim": "NumPy calls it `axis`",
    "axis": "torch calls it `dim`",
}


def diagnosis(kind: str, message: str, names: Collection[str] = ()) -> tuple[str, bool]:
    """The meaning of an exception, and whether it is certain; ("", False) if unknown.

    `names`: functions and classes whose arguments follow the handout, since the test calls them.
    """
    if kind == LOAD_ERROR and (known := _LOADING.search(message)):
        kind, message = known.groups("")
    for sign in SIGNS:
        found = re.search(sign.words, message)
        if found and re.fullmatch(sign.kind, kind):
            return sign.meaning.format(*found.groups()), sign.certain
    if kind == "TypeError" and (call := _CALL.match(message)):
        return _of_call(names, **call.groupdict("")), False
    return "", False


def _of_call(names: Collection[str], function: str, missing: str, keyword: str) -> str:
    """The advice for a call whose arguments do not fit."""
    own, _, method = function.partition(".")
    if own in names:
        self = " (the first parameter of a method is `self`)" if method else ""
        return f"the name, the number or the order of the parameters differs from the handout{self}"
    public = function.removesuffix(".__init__").removesuffix(".forward").lstrip("_")
    called = f"`{public or function}`"
    if keyword:
        other = _OTHER_LIBRARY.get(keyword, "look at the names in its definition")
        return f"{called} has no argument `{keyword}`: {other}"
    if missing:
        return f"{called} is called without {re.sub(_QUOTES, '`', missing)}, which it needs"
    return f"{called} is called with other arguments than it takes: look at its definition"


# What a test's own exception says about the answer that it could not handle.
_FORMS = (
    (
        r"\bNoneType\b",
        "None is in the place of a value: is the `return` missing, or was a part of the answer "
        "never computed or asked for?",
    ),
    (
        r"values to unpack|zip\(\) argument|unpack non-iterable|too many indices"
        r"|out of bounds|out of range|not subscriptable",
        "return as many values as the docstring names, in its order: `return first, second`",
    ),
)
UNFIT = "a value that the test cannot handle"
NOT_YOURS = "; this is not your mistake"  # ends the message of a test that is wrong


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
    got = f"{UNFIT} ({type(error).__name__}: {error})"
    cause = next((text for words, text in _FORMS if re.search(words, str(error))), "")
    return Message("a value of the form the docstring describes", got, cause)


def _of_student(error: StudentError, names: list[str]) -> Message:
    named = " and ".join(f"`{name}`" for name in names)
    loaded = f"{named}, loaded from the notebook"
    own = not error.message or any(f" {name} " in error.message for name in names)
    by_kind = {
        kinds.NOT_WRITTEN: (
            Message(f"{named}, written by you", NOT_WRITTEN)
            if own
            else Message("an answer", error.message, "it needs an exercise that is not written yet")
        ),
        kinds.MISSING: Message(
            f"{named} in the notebook",
            f"no `{error.message}` yet",
            "run its cell first, and keep the name from the handout",
        ),
        kinds.TIMEOUT: Message(
            "an answer within the time limit",
            error.message or "no answer in time",
            "a loop that never ends, or work that grows much faster than its input",
        ),
        kinds.OOM: Message(
            "an answer within the memory limit",
            error.message or "out of memory",
            "an array with an axis too many, a list that always grows, or infinite recursion",
        ),
        kinds.CRASHED: Message(
            "an answer",
            f"the process ended: {error.message}" if error.message else "the process ended",
            "a call to `exit`, a crash in compiled code, or infinite recursion",
        ),
        kinds.LOAD_ERROR: _raised(loaded, error.message, error, names),
        kinds.PROTOCOL: Message("plain numbers, text, lists, arrays or tensors", error.message),
    }
    if error.kind in by_kind:
        return by_kind[error.kind]
    at = f" ({error.where})" if error.where else ""
    return _raised("", f"{RAISED}{error.kind}: {error.message}{at}", error, names)


def _not_allowed(error: StudentError, exercise: str, bans: Sequence[Ban]) -> Message:
    """The forbidden function, the line that used it, and the allowed way."""
    name = error.message
    instead = [text for names, text in bans if any(fnmatchcase(name, one) for one in names)]
    at = f" in {error.where}" if error.where else ""
    if not instead:  # `ban_routes`
        around = f"it can call what {exercise} forbids, and the grader would not see it"
        return Message("your own code", f"`{name}`{at}", around, seen=True)
    return Message(
        f"your own code, with {instead[0]}",
        f"a call of `{name}`{at}",
        f"{exercise} asks you to write this yourself: it is forbidden under any name",
        seen=True,
    )


def _raised(expected: str, got: str, error: StudentError, names: list[str]) -> Message:
    called_by_the_test = () if error.where else names
    cause, seen = diagnosis(error.kind, error.message, called_by_the_test)
    return Message(expected, got, cause, seen=seen)

"""How a failure of the student's code is reported to a test: a kind and a message."""

import dis
from typing import Any

NOT_WRITTEN = "NOT_WRITTEN"  # the stub is still there
MISSING = "MISSING"  # no such name in the notebook
POLICY = "POLICY"  # the exercise forbids what was used
LOAD_ERROR = "LOAD_ERROR"  # the definition, or something it needs, could not be loaded
TIMEOUT = "TIMEOUT"
OOM = "OOM"
CRASHED = "CRASHED"
PROTOCOL = "PROTOCOL"  # the answer cannot be sent as plain data
KINDS = frozenset({NOT_WRITTEN, MISSING, POLICY, LOAD_ERROR, TIMEOUT, OOM, CRASHED, PROTOCOL})


class StudentError(Exception):
    """The student's code raised, hung, died or broke a rule.

    `kind` is one of this module's constants, or the name of the exception class the code raised
    ("ValueError"). `message` is the exception's own text; `where` names cell and line if known.
    """

    def __init__(self, kind: str, message: str = "", where: str = ""):
        super().__init__(f"{kind}: {message}" if message else kind)
        self.kind, self.message, self.where = kind, message, where


class PolicyViolation(Exception):
    """Raised inside the student's process by a name that the current exercise forbids."""


def is_of_a_stub(error: BaseException) -> bool:
    """Whether a `raise` statement outside torch raised it; torch raises the same for an operation
    that it does not have, mostly in compiled code.
    """
    end = error.__traceback__
    while end is not None and end.tb_next is not None:
        end = end.tb_next
    if end is None:
        return True
    code, module = end.tb_frame.f_code.co_code, end.tb_frame.f_globals.get("__name__") or ""
    raises = code[end.tb_lasti] == dis.opmap["RAISE_VARARGS"]
    return raises and str(module).partition(".")[0] != "torch"


def text_of(error: BaseException) -> str:
    """Its text, which a class of the student's own may not give."""
    try:
        return str(error)
    except BaseException:
        return "(its text could not be read)"


def told_by(error: object) -> StudentError:
    """The error in an answer, which may be forged: a made-up kind must not read like a verdict."""
    parts = error if isinstance(error, dict) else {}
    texts = (parts.get(key) for key in ("kind", "message", "where"))
    kind, message, where = (text[:2000] if isinstance(text, str) else "" for text in texts)
    of_exception = kind.isidentifier() and not kind.isupper()
    return StudentError(kind if kind in KINDS or of_exception else PROTOCOL, message, where)


def shaped(kind: Any, answer: Any) -> Any:
    """An answer with named parts. Raises StudentError if they are wrong, as in a forged answer."""
    try:
        return kind(**answer)
    except TypeError:
        raise StudentError(PROTOCOL, "the answer does not have the parts it should") from None

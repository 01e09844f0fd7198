"""How a failure of the student's code is reported to a test: a kind and a message."""

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

"""What a user can mend: a command ends with its sentence and exit code, never a traceback."""


class Problem(Exception):
    """Its text is the whole message: what was given, what is wanted, what to do."""

    exit_code = 2  # bad input, unless a class says otherwise

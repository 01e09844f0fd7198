"""What a user can mend: a command ends with its sentence and exit code, never a traceback."""


class Problem(Exception):
    """Its text is the whole message: what was given, what is wanted, what to do."""

    exit_code = 2  # bad input, unless a class says otherwise


class SetupError(Problem):
    """What is missing or wrong around a notebook, and what to do about it."""

    def _render_traceback_(self) -> list[str]:
        """What IPython prints in place of a traceback."""
        return [f"Set-up: {self}"]

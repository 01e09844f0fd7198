"""Problems that a user can solve: a command prints one sentence, never a traceback."""


class Problem(Exception):
    """Its text is the whole message: what was given, what is wanted, what to do."""

    exit_code = 2  # bad input, unless a class says otherwise


class SetupError(Problem):
    """A missing or wrong part around a notebook, and its remedy."""

    def _render_traceback_(self) -> list[str]:
        """The text that IPython prints in place of a traceback."""
        return [f"Set-up: {self}"]

"""What a notebook says when its surroundings are not right: one sentence, without a traceback."""

from .problem import Problem


class SetupError(Problem):
    """What is missing or wrong around a notebook, and what to do about it."""

    def _render_traceback_(self) -> list[str]:
        """What IPython prints in place of a traceback."""
        return [f"Set-up: {self}"]

"""A named mistake: a wrong submission that proves the grader, made from the right source.

Those of an exercise are tables of its record, `[mistakes.ID]` in `exercise.toml`. One without a
`component` is in the exercise's only one.
"""

from __future__ import annotations

from pydantic import PrivateAttr

from ..problem import Problem
from ..table import Table


class BugError(Problem):
    """A named mistake that does not fit the source it is about."""


class Bug(Table):
    """One realistic mistake in one component. Which tests catch it is found by asking it."""

    component: str  # "course_lib.numpy_forms.attention:softmax"
    sentence: str  # what students read
    find: str
    replace: str
    pins: tuple[str, ...] = ()  # sentences of the starter that fix this behavior
    why: str = ""  # why no visible test checks what is pinned

    _name: str = PrivateAttr(default="")
    _exercise: str = PrivateAttr(default="")

    @property
    def name(self) -> str:
        """Its id."""
        return self._name

    @property
    def exercise(self) -> str:
        """The id of the exercise that it is of."""
        return self._exercise

    def apply(self, source: str) -> str:
        """The source with the mistake made. Raises BugError unless `find` occurs once."""
        count = source.count(self.find)
        if count != 1:
            raise BugError(
                f"{self.name}: `find` occurs {count} times in {self.component}, not once"
            )
        return source.replace(self.find, self.replace)

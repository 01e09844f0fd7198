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
    """One realistic mistake in one component.

    A test names it by the id of another mistake where nothing tells the two apart: `shown_as`.
    """

    component: str  # "course_lib.numpy_forms.attention:softmax"
    sentence: str  # what students read; {…} varies
    find: str
    replace: str
    test: str = ""  # "test_1_1_softmax.py::test_large_values", which catches it
    shown_as: str = ""
    pins: tuple[str, ...] = ()  # sentences of the starter that fix this behavior
    visible: str = ""  # the visible test of what is pinned; without it, `why`
    why: str = ""

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

    @property
    def shown_id(self) -> str:
        """The id by which a test names it."""
        return self.shown_as or self.name

    def apply(self, source: str) -> str:
        """The source with the mistake made. Raises BugError unless `find` occurs once."""
        count = source.count(self.find)
        if count != 1:
            raise BugError(
                f"{self.name}: `find` occurs {count} times in {self.component}, not once"
            )
        return source.replace(self.find, self.replace)

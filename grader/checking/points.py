"""The value of a check cell: how many visible tests pass, with a note that it is not the grade."""

from __future__ import annotations


class VisiblePoints(float):
    """The points that the visible tests give: a number to nbgrader, a sentence to a reader.

    A notebook shows HTML where it can; nbgrader reads the plain text, which must be a number.
    """

    sentence: str

    def __new__(cls, points: float, passed: int, tests: int) -> VisiblePoints:
        """`points`: of the whole exercise."""
        made = super().__new__(cls, round(points * passed / max(tests, 1), 2))
        made.sentence = f"visible {passed} of {tests}; hidden tests decide {points:g} points"
        return made

    def _repr_html_(self) -> str:
        return self.sentence

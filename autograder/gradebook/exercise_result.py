"""The result of one exercise: its points and what they rest on, by the kind of the exercise."""

from __future__ import annotations

from .record import Number, Record


class Explanation(Record):
    """What a failed test says; see `course_lib.checking.messages`."""

    expected: str = ""
    got: str = ""
    cause: str = ""
    read: str = ""
    seen: bool = False


class GradedTest(Record):
    """One test of an exercise that is code. `caused_by` are the exercises that spoilt it."""

    id: str
    title: str
    public: bool
    max_points: Number
    points: Number
    outcome: str
    message: Explanation | None
    bug: str | None = None
    bug_title: str | None = ""
    caused_by: list[str] = []
    carried_through: bool = False


class PartResult(Record):
    """One written part, with the answer to it; without points until somebody has marked it."""

    id: str
    title: str
    max_points: Number
    points: Number | None
    comment: str
    answer: str
    words: int
    word_limit: int


class ModelResult(Record):
    """What is known of a trained model: how good it is, in percent right or BLEU, or why not.

    `recomputed` of `examples` answers were made again. With the points of an exercise come what
    no points and all points need.
    """

    measure: str = "accuracy"
    accuracy: Number | None = None
    bleu: Number | None = None
    low: Number | None = None
    high: Number | None = None
    signature: str | None = None
    agreement: Number | None = None
    measured: dict[str, Number] = {}
    problem: str
    notes: list[str]
    source: str
    examples: int
    recomputed: int
    seconds: Number
    sentences_per_second: Number | None
    handed_in: bool
    drawn: int = 0
    zero_at: Number | None = None
    full_at: Number | None = None

    @property
    def reached(self) -> Number | None:
        """Percent right, or BLEU; None when the model could not be scored."""
        return self.bleu if self.measure == "bleu" else self.accuracy


class ExerciseResult(Record):
    """Points that are None are pending. `tests` are of code, `parts` of a written exercise."""

    id: str
    title: str
    kind: str
    bonus: bool
    section: str
    max_points: Number
    points: Number | None
    status: str
    written: bool = True
    caused_by: list[str] = []
    carried_through: bool = False
    tests: list[GradedTest] = []
    parts: list[PartResult] = []
    model: ModelResult | None = None
    comment: str = ""

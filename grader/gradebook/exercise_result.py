"""The result of one exercise: its points, and the tests, written parts or model behind them."""

from __future__ import annotations

from .record import Number, Record


class Explanation(Record):
    """The message of a failed test; see `grader.checking.messages`."""

    expected: str = ""
    got: str = ""
    cause: str = ""
    read: str = ""
    seen: bool = False


class GradedTest(Record):
    """One test of a code exercise.

    `caused_by`: the earlier exercises, or names of the same exercise, that made it fail.
    """

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

    @property
    def known_as(self) -> str:
        """The title of its mistake, unless the message says the same; older grades have another."""
        said = self.message.cause if self.message else ""
        return "" if self.bug_title == said else self.bug_title or ""


class PartResult(Record):
    """One written part and its answer; `points` is None until it is marked."""

    id: str
    title: str
    max_points: Number
    points: Number | None
    comment: str
    answer: str
    words: int
    word_limit: int


class ModelResult(Record):
    """The score of a trained model, in percent right or BLEU, or the problem that prevented one.

    `recomputed` of `examples` answers were computed again. `zero_at` and `full_at` are the scores
    for no points and for full points.
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
        """Percent right, or BLEU; None if the model could not be scored."""
        return self.bleu if self.measure == "bleu" else self.accuracy


class ExerciseResult(Record):
    """`points` is None while pending. A code exercise has `tests`, a written one `parts`."""

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

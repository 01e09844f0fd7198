"""The result of one exercise: its points, and the tests, written parts or model behind them."""

from typing import Any

from pydantic import BaseModel, ConfigDict, field_serializer, field_validator, model_validator

from grader.checking.messages import WAITING, Failures, Message, by_cause

Number = int | float  # not converted: an empty sum is 0, a sum of points 10.0


class Record(BaseModel):
    """Fields are named as in JSON; unknown keys, as from another version, are kept."""

    model_config = ConfigDict(extra="allow", frozen=True)

    def as_json(self) -> dict[str, Any]:
        """The fields that are stored and exported; a field that was never set has no key."""
        return self.model_dump(exclude_unset=True)


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
    message: Message | None
    bug: str | None = None
    bug_title: str | None = ""
    caused_by: list[str] = []
    carried_through: bool = False

    @property
    def failed(self) -> bool:
        """Whether it fails, and not because of something before it."""
        return self.outcome not in ("PASSED", WAITING) and not self.carried_through

    @property
    def known_as(self) -> str:
        """The title of its mistake, unless the message says the same; older grades have another."""
        said = self.message.cause if self.message else ""
        return "" if self.bug_title == said else self.bug_title or ""

    @field_validator("message", mode="before")
    @classmethod
    def _of_older(cls, message: Any) -> Any:
        return {"seen": None, **message} if isinstance(message, dict) else message

    @field_serializer("message")
    def _as_stored(self, message: Message | None) -> dict[str, Any] | None:
        known = vars(message) if message else {}
        return {name: part for name, part in known.items() if part is not None} or None


class Criterion(Record):
    """One item of a rubric: what it is for, what it is worth, and whether an answer met it."""

    text: str  # Markdown
    points: Number
    met: bool = False


class PartResult(Record):
    """One written part and its answer; `points` is None until it is marked.

    `pictures` and `printed` are hashes of the answer's attachments, see `notebook.attachments`.
    `notice`: where the answer was found, if not in the one cell of its question.
    """

    id: str
    title: str
    max_points: Number
    points: Number | None
    comment: str
    answer: str
    words: int
    word_limit: int
    pictures: str = ""
    printed: str = ""
    notice: str = ""
    rubric: list[Criterion] = []  # as it was when the part was marked


class ModelResult(Record):
    """The score of a trained model, or the problem that prevented one.

    `recomputed` of `examples` answers were computed again. `zero_at` and `full_at` are the scores
    for no points and for full points. `told` is what the scorer of this `measure` says to the
    student; what it found besides, such as an interval, are further fields.

    If the student's code says what the weights do, on all or nearly all sentences `compared`, the
    score is that of the weights. Else `disputed` says why it is that of the code, `by_weights` is
    the other score, if there is one, and `differing` has sentences with both answers; the points of
    the exercise are `held` for a person if they depend on it.
    """

    measure: str = "accuracy"  # older grades do not say
    score: Number | None = None
    unit: str = ""
    unit_in_words: str = ""
    told: list[str] = []
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
    compared: int = 0
    same: int | None = None  # of those compared; None if the weights say nothing
    disputed: str = ""
    by_weights: Number | None = None
    differing: list[str] = []
    held: bool = False

    @model_validator(mode="before")
    @classmethod
    def _of_older(cls, data: Any) -> Any:
        """Older grades have the score under the name of its measure alone."""
        if isinstance(data, dict) and "score" not in data:
            return data | {"score": data.get(data.get("measure", "accuracy"))}
        return data


class ExerciseResult(Record):
    """`points` is None while pending. A code exercise has `tests`, a written one `parts`.

    `caused_by`: the earlier exercises that made tests fail; those that may have, if it `may_gain`.
    """

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
    may_gain: Number = 0  # points, of a provisional result
    tests: list[GradedTest] = []
    parts: list[PartResult] = []
    model: ModelResult | None = None
    comment: str = ""

    @property
    def failures(self) -> list[Failures[GradedTest]]:
        """Its failed tests, those with the same cause together."""
        return by_cause(test for test in self.tests if test.failed)

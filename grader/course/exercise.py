"""An exercise, as its `exercise.toml` has it, and the model part of an assignment."""

import re
from functools import cached_property
from pathlib import Path
from typing import Any, Literal

from pydantic import Field, PrivateAttr, model_validator

from .problem import SetupError
from .record import mistake
from .record.hints import Hints
from .record.mistake import Bug
from .table import Misplaced, Table

MAX_TOTAL = 64 * 2**20  # bytes of files beside a notebook, unless course.toml allows more
LARGEST = 256 * 2**20  # the most that course.toml may allow


Form = Literal["device", "precision", "one", "axis"]


class WrittenPart(Table):
    """One written question of an exercise, graded manually."""

    id: str
    title: str
    points: float = Field(gt=0)
    words: int = Field(gt=0)


class Taught(Table):
    """The section of the lecture that teaches an exercise."""

    part: int
    section: str  # its heading


class Exercise(Table):
    """One exercise: its components, points and dependencies, its hints and named mistakes."""

    id: str  # of its folder's name: "1.4", or a lab's "L1.4"
    title: str
    points: float = Field(default=0.0, ge=0)  # of a lab's, none
    minutes: int = Field(gt=0)
    difficulty: int = Field(ge=1, le=5)
    section: str  # of the paper
    taught: Taught | None = None  # where the lecture teaches it, not later than its first week
    kind: Literal["code", "written", "model"] = "code"
    bonus: bool = False
    components: list[str] = []
    files: list[str] = []  # handed in beside the notebook; the tests read them
    parts: list[WrittenPart] = []
    depends_on: list[str] = []
    forbidden: list[str] = []  # besides what the assignment forbids
    instead: str = ""  # what to use in place of them: follows "Use"
    allowed: list[str] = []  # of what the assignment forbids
    declines: dict[
        Form, str
    ] = {}  # of what every exercise is asked, with the reason: see `automatic_facts`
    zero_at: float | None = None  # model: the score that earns no points
    full_at: float | list[str] | None = None  # that earns all; or results files to calibrate from
    hints: Hints | None = None
    mistakes: dict[str, Bug] = {}  # by id

    _root: Path = PrivateAttr(default=Path())

    @property
    def calibration(self) -> list[Path]:
        """The results files that the threshold of a trained model is computed from."""
        names = self.full_at if isinstance(self.full_at, list) else []
        return [self._root / "results" / f"{name}.json" for name in names]

    @property
    def tag(self) -> str:
        """Its name in notebooks: "A1.4", or its id if that has a letter, "L1.4"."""
        return self.id if self.id[0].isalpha() else f"A{self.id}"

    @cached_property
    def names(self) -> list[str]:
        """The names that a student defines, such as `["split_heads", "merge_heads"]`."""
        return [component.partition(":")[2] for component in self.components]

    def for_students(self) -> dict[str, Any]:
        """The facts for students, as plain data: no hints and no mistakes."""
        hidden = {"hints", "mistakes"}
        return self.model_dump(mode="json", exclude=hidden, exclude_defaults=True)

    @model_validator(mode="before")
    @classmethod
    def _reads_its_mistakes(cls, data: dict[str, Any]) -> dict[str, Any]:
        """Each text of `[mistakes]` is about the component of its key, or "module:component"."""
        found: dict[str, Any] = {}
        components = {str(one).partition(":")[2]: one for one in data.get("components", ())}
        for key, text in data.get("mistakes", found).items():
            if not isinstance(text, str):
                raise Misplaced(f"write the mistakes in {key!r} as one text", "mistakes", key)
            if ":" not in key and key not in components:
                raise Misplaced(
                    f"{key!r} is not a component of this exercise: correct it or give its module",
                    "mistakes",
                    key,
                )
            try:
                new = mistake.read(text, components.get(key, key), key)
            except ValueError as error:
                raise Misplaced(str(error), "mistakes", key, *getattr(error, "at", ())) from None
            if twice := sorted(found.keys() & new.keys()):
                raise Misplaced(f"{twice[0]!r} occurs twice: rename one", "mistakes", key)
            found |= new
        return data | {"mistakes": found} if found else data

    @model_validator(mode="after")
    def _complete(self) -> "Exercise":
        if not re.fullmatch(r"[A-Z]?\d+\.\d+", self.id):
            raise ValueError(f"{self.id!r} is not an exercise: call the folder exercise_N_M")
        for id, bug in self.mistakes.items():
            bug._name, bug._exercise = id, self.id
        if self.hints and not self.components:
            raise Misplaced(f"exercise {self.id} has no code: remove its hints", "hints")
        for id in self.hints.answers if self.hints else ():
            if id not in self.mistakes:
                raise Misplaced(
                    f"`answers` names {id!r}, which is not a mistake of this exercise: add it "
                    "below",
                    *("hints", "answers"),
                )
        if self.kind == "code" and not self.components and not self.files:
            raise ValueError(f"exercise {self.id} names no component and no file")
        if self.kind == "model" and (self.zero_at is None or self.full_at is None):
            raise ValueError(f"exercise {self.id} trains a model: give zero_at and full_at")
        if self.kind == "written" and sum(part.points for part in self.parts) != self.points:
            total = sum(part.points for part in self.parts)
            raise Misplaced(
                f"the parts of exercise {self.id} have {total:g} points, "
                f"the exercise {self.points:g}: make them equal",
                "points",
            )
        return self


class Checklist(Table):
    """The model checks that `student debug` runs for a notebook."""

    model: str  # the class
    functions: list[str]  # around it, where they are written
    checks: str  # "module:function" of the class and its functions; the module has a class Check


class ModelPart(Table):
    """The model submitted with a notebook, and how the judge recomputes its predictions."""

    dataset: str
    split: str
    examples: int = Field(gt=0)
    measure: str  # a scorer of [course.scorers]
    answer: Literal["whole number", "text"]  # what the model gives for each input
    source: str = "sentence"  # the model's input column
    target: str = "label"  # the column to predict
    files: list[str]
    entry_points: list[str]
    computed_by: str  # a module of the library with functions of these names, which needs no code
    seconds: float = Field(gt=0)
    mebibytes: int = Field(default=MAX_TOTAL >> 20, gt=0, le=LARGEST >> 20)  # of all its files

    @property
    def most(self) -> int:
        """Bytes that its files may have together."""
        return self.mebibytes << 20

    @property
    def weights(self) -> str:
        """The name of the file with the weights."""
        return next(name for name in self.files if name.endswith(".safetensors"))


class ProfileChoice(Table):
    """The table `[assignments.profiles]`: names of profiles, which the notebook looks up."""

    default: str
    with_gpu: str
    only_with_gpu: list[str] = []  # would take hours without one

    def choose(self, given: str, has_gpu: bool) -> str:
        """The profile to use; `given`, if it is not empty, overrides the machine's.

        Raises SetupError if the profile needs a GPU and there is none.
        """
        name = given or (self.with_gpu if has_gpu else self.default)
        if name in self.only_with_gpu and not has_gpu:
            raise SetupError(
                f"the profile {name!r} needs a GPU, and torch finds none here: choose one (Colab: "
                "Runtime, Change runtime type; Kaggle: Settings, Accelerator), or set "
                f"COURSE_PROFILE to {self.default!r}"
            )
        return name

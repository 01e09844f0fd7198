"""The model for whoever's own training failed, which the instructor trains and hands out.

    from grader.course.fallback import fallback

    model = load_model(fallback("a3"))

It is in a folder `fallback/a3`, with a card that says what was trained on what. The cell that
trains loads it if `FALLBACK = True`. It earns no points of the exercises that train a model, as the
grader knows its weights by the card; everything after them counts as with one's own.
"""

import hashlib
import json
from dataclasses import dataclass
from pathlib import Path

from .problem import SetupError
from .tree import root_of

FOLDER, CARD = "fallback", "card.json"


@dataclass(frozen=True)
class Card:
    """The description of a fallback model: `id` changes with its profile, seed, code and data."""

    id: str
    assignment: str
    profile: str
    seed: int
    library: str  # its version
    code: str  # SHA-256 of the library's files
    torch: str
    data: dict[str, str]  # name, source and SHA-256 of what it was trained on
    measure: str  # what `score` is
    score: float  # on `examples` sentences of the validation split, by the notebook's functions
    examples: int
    files: dict[str, str]  # SHA-256 of each
    unit: str = ""  # of the score

    @classmethod
    def read(cls, folder: Path) -> "Card":
        """Raises SetupError if the card is damaged, or a file is not the one it names."""
        try:
            card = cls(**json.loads((folder / CARD).read_text(encoding="utf-8")))
            for name, wanted in card.files.items():
                if hashlib.sha256((folder / name).read_bytes()).hexdigest() != wanted:
                    raise ValueError(f"{name} was changed")
        except (OSError, ValueError, TypeError, AttributeError) as error:
            raise SetupError(
                f"{folder} holds no whole fallback model ({error}): get it from your instructor "
                "again"
            ) from None
        return card

    def __str__(self) -> str:
        unit = f" {self.unit}" if self.unit not in ("", self.measure.upper()) else ""
        return (
            f"fallback model {self.id} of {self.assignment}: profile {self.profile}, seed "
            f"{self.seed}, {self.data['name']} ({self.data['source']}), {self.measure} "
            f"{self.score:.1f}{unit} on {self.examples} validation sentences"
        )


def place_of(assignment: str) -> Path | None:
    """The folder of an assignment's fallback model: here, in the course's folder, or beside it."""
    root = root_of(Path.cwd())
    places = [folder / FOLDER / assignment for folder in (Path(), root, root.parent)]
    return next((place for place in places if (place / CARD).is_file()), None)


def fallback(assignment: str) -> Path:
    """The folder of an assignment's fallback model, checked; prints its card in one line.

    Raises SetupError.
    """
    found = place_of(assignment)
    if found is None:
        raise SetupError(
            f"there is no fallback model of {assignment}: ask your instructor for it, and put its "
            f"folder here as {FOLDER}/{assignment}"
        )
    print(f"{Card.read(found)}. It earns no points of the exercise that trains a model.")
    return found

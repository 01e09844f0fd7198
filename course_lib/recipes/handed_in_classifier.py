"""Predicts with a classifier that was handed in, by the course's own components.

    model = load_model("submission")
    predict(model, ["a lovely cast and a lifeless plot ."])

Of the folder, only the weights, the settings and the vocabulary count: no code.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from ..classifier import EncoderClassifier
from ..data.tokenization import TextTokenizer
from ..decoding import model_folder
from ..training.saved_model import TOKENIZER, WEIGHTS
from .classifier import likely_labels


@dataclass(frozen=True)
class HandedIn:
    """A classifier and its tokenizer."""

    model: EncoderClassifier
    tokenizer: TextTokenizer


def load_model(folder: str | Path) -> HandedIn:
    """The classifier of a folder, made of fast forms. Raises what `model_folder.read` does."""
    model, _, _ = model_folder.read(Path(folder), WEIGHTS, EncoderClassifier)
    return HandedIn(model, TextTokenizer.of_vocabulary(Path(folder) / TOKENIZER))


def predict(handed_in: HandedIn, texts: Sequence[str]) -> list[int]:
    """The more likely label of each text, which begins with [CLS] if the model reads only that."""
    add_cls = handed_in.model.pooling == "cls"
    return likely_labels(handed_in.model, handed_in.tokenizer.encode(texts, add_cls=add_cls))

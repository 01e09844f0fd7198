"""Translates with a translator that was handed in, by the course's own components.

Of the folder, only the weights, the settings and the vocabulary count: no code.
"""

from collections.abc import Sequence
from pathlib import Path

from ..data.tokenization import TextTokenizer
from ..decoding.translator import Translator
from ..training.saved_model import TOKENIZER


def load_model(folder: str | Path) -> Translator:
    """The translator of a folder, made of fast forms. Raises TranslationError."""
    translator = Translator.load(folder)
    translator.tokenizer = TextTokenizer.of_vocabulary(Path(folder) / TOKENIZER)
    return translator


def translate(translator: Translator, texts: Sequence[str]) -> list[str]:
    """One translation per text, by a beam of 5 with the length penalty of the settings."""
    return translator.translate(texts)

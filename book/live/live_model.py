"""The models that run in the page: trained on generated sentences, stored in 16 bits.

`course site model` trains them and writes `lectures/live_model`, which is committed: a translator
in a folder that `Translator.load` reads like any other, and in `language` a language model for
`Writer.load`. Every number in them is the 16-bit number nearest to the trained one; the page and
the library compute with the same ones.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from book import CHECKOUT
from course_lib.config import TransformerConfig
from course_lib.recipes.language_profiles import LanguageProfile
from course_lib.recipes.translation_profiles import TranslationProfile

FOLDER = CHECKOUT / "lectures" / "live_model"
LANGUAGE = "language"  # the folder of the language model, within
WORDS = "words.json"
DATA = "grammar_long_en_fr"
# Two heads of width 32: fewer heads than elsewhere, so that each has more to do.
TRANSLATOR = TranslationProfile(
    "live",
    DATA,
    TransformerConfig(n_layers=2, d_model=64, n_heads=2, d_ff=256, dropout=0.0),
    vocab_size=2000,
    epochs=8,
    learning_rate=5e-3,
    label_smoothing=0.05,
    weight_decay=0.05,
    sample=100,
)
WRITER = LanguageProfile(
    "live",
    DATA,
    TransformerConfig(n_layers=2, d_model=64, n_heads=4, d_ff=128, dropout=0.0),
    vocab_size=1000,
    epochs=2,
    learning_rate=1e-2,
    length=64,
    max_tokens=1024,
)
MEASURED_ON = 500  # validation sentences
Log = Callable[[str], None]


def train(
    folder: Path,
    log: Log,
    translator: TranslationProfile = TRANSLATOR,
    writer: LanguageProfile = WRITER,
) -> dict[str, Any]:
    """Train and write both models; returns what was measured."""
    from course_lib.data import datasets

    data = datasets.load(DATA, sources=["generated"])
    return {
        **_train_translator(folder, log, data, translator),
        **_train_writer(folder / LANGUAGE, log, data, writer),
    }


def _train_translator(
    folder: Path, log: Log, data: Any, settings: TranslationProfile
) -> dict[str, Any]:
    from course_lib.decoding.translator import Translator
    from course_lib.evaluation.translation import exact_match
    from course_lib.recipes.translation import train_translator
    from course_lib.training.saved_model import TRANSLATOR_WEIGHTS, save_model

    log(f"training a translator on {data.name}")
    trained = train_translator(data, settings, seed=0, progress=True)
    trained.model.half()
    measured: dict[str, Any] = {"length_penalty": trained.length_penalty}
    about = {"model": trained.translator.arguments, "measured": measured}
    save_model(folder, TRANSLATOR_WEIGHTS, trained.model, about, trained.tokenizer)
    test = data["validation"][:MEASURED_ON]
    found = Translator.load(folder).translate(test[settings.source], width=1)
    measured["exact_match"] = round(exact_match(found, test[settings.target]), 4)
    measured["cpu_minutes"] = round(trained.cpu_seconds / 60, 1)
    save_model(folder, TRANSLATOR_WEIGHTS, trained.model, about, trained.tokenizer)
    words = known_words(data["train"][:][settings.source])
    (folder / WORDS).write_text(json.dumps(words, indent=0) + "\n", encoding="utf-8")
    return measured


def _train_writer(folder: Path, log: Log, data: Any, settings: LanguageProfile) -> dict[str, Any]:
    from course_lib.decoding.writer import WEIGHTS
    from course_lib.recipes.language import train_language_model
    from course_lib.training.saved_model import save_model

    log(f"training a language model on {data.name}")
    trained = train_language_model(data, settings, seed=0, progress=True)
    trained.model.half()
    writer = trained.writer
    measured = {
        "validation_perplexity": round(trained.history[-1]["validation_perplexity"], 2),
        "cpu_minutes": round(trained.cpu_seconds / 60, 1),
    }
    save_model(
        folder,
        WEIGHTS,
        writer.model,
        {"model": writer.arguments, "measured": measured},
        writer.tokenizer,
    )
    return {"language": measured}


def known_words(sentences: Sequence[str]) -> list[str]:
    """Every word of the sentences, in lower case: the page says which words are not among them."""
    from course_lib.data.grammar.sentence_pairs import words

    return sorted({word.lower() for text in sentences for word in words(text) if word.isalpha()})

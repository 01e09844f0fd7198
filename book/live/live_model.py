"""The models that run in the page: trained on short sentences, stored in 16 bits.

`COURSE_DATA=… course site model` trains them and writes `lectures/live_model`, which is committed:
a translator in a folder that `Translator.load` reads like any other, and in `language` a language
model for `Writer.load`, which read the grammar's sentences alone. Every number in them is the
16-bit number nearest to the trained one; the page and the library compute with the same ones.
"""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from book import CHECKOUT
from course_lib.config import TransformerConfig
from course_lib.recipes.language_profiles import LanguageProfile
from course_lib.recipes.translation_profiles import TranslationProfile

from . import sentences

FOLDER = CHECKOUT / "lectures" / "live_model"
LANGUAGE = "language"  # the folder of the language model, within
WORDS = "words.json"
# Two heads of width 48: fewer heads than elsewhere, so that each has more to do.
TRANSLATOR = TranslationProfile(
    "live",
    sentences.REAL,
    TransformerConfig(n_layers=2, d_model=96, n_heads=2, d_ff=256, dropout=0.0),
    vocab_size=2500,
    epochs=4,
    max_tokens=2048,
    weight_decay=0.05,
    sample=100,
)
WRITER = LanguageProfile(
    "live",
    sentences.GRAMMAR,
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

    return {
        **_train_translator(folder, log, sentences.load(), translator),
        **_train_writer(folder / LANGUAGE, log, datasets.load(sentences.GRAMMAR), writer),
    }


def _train_translator(
    folder: Path, log: Log, data: Any, settings: TranslationProfile
) -> dict[str, Any]:
    from course_lib.data.grammar.long_sentence_pairs import pairs
    from course_lib.decoding.translator import Translator
    from course_lib.evaluation.translation import bleu, exact_match
    from course_lib.recipes.translation import train_translator
    from course_lib.training.saved_model import TRANSLATOR_WEIGHTS, save_model

    log(f"training a translator on {len(data['train'])} pairs")
    trained = train_translator(data, settings, seed=0, progress=True)
    trained.model.half()
    measured: dict[str, Any] = {"length_penalty": trained.length_penalty}
    about = {
        "model": trained.translator.arguments,
        "measured": measured,
        "data": {"license": data.licence, "citation": data.citation},
    }
    save_model(folder, TRANSLATOR_WEIGHTS, trained.model, about, trained.tokenizer)
    translator = Translator.load(folder)
    real = data["validation"][:MEASURED_ON]
    english, french = real[settings.source], real[settings.target]
    found = translator.translate(english, width=1)
    measured["exact_match"] = round(exact_match(found, french), 4)
    measured["bleu"] = round(bleu(found, french).value, 1)
    generated = pairs("validation")[:MEASURED_ON]
    found = translator.translate([english for english, _, _ in generated], width=1)
    right = exact_match(found, [french for _, french, _ in generated])
    measured["exact_match_generated"] = round(right, 4)
    measured["cpu_minutes"] = round(trained.cpu_seconds / 60, 1)
    save_model(folder, TRANSLATOR_WEIGHTS, trained.model, about, trained.tokenizer)
    words = sentences.known_words(data["train"][:][settings.source])
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

"""The translator that runs in the page: trained on the grammar's sentences, stored in 16 bits.

`course site model` trains it and writes `lectures/live_model`, which is committed: a folder that
`Translator.load` reads like any other. Every number in it is the 16-bit number nearest to the
trained one; the page and the library compute with the same ones.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from book import CHECKOUT

FOLDER = CHECKOUT / "lectures" / "live_model"
PROFILE = "grammar"
MEASURED_ON = 500  # validation sentences


def train(folder: Path, log: Callable[[str], None], profile: str = PROFILE) -> dict[str, Any]:
    """Train and write the model; returns what was measured."""
    from course_lib.data import datasets
    from course_lib.decoding.translator import Translator
    from course_lib.evaluation.translation import exact_match
    from course_lib.recipes.translation import train_translator
    from course_lib.recipes.translation_profiles import profile as named
    from course_lib.training.saved_model import TRANSLATOR_WEIGHTS, save_model

    settings = named(profile)
    data = datasets.load(settings.dataset, sources=["generated"])
    log(f"training on {data.name}, profile {profile}")
    trained = train_translator(data, settings, seed=0)
    trained.model.half()
    about: dict[str, Any] = {"model": trained.translator.arguments}
    measured: dict[str, Any] = {"length_penalty": trained.length_penalty}
    save_model(
        folder, TRANSLATOR_WEIGHTS, trained.model, about | {"measured": measured}, trained.tokenizer
    )
    test = data["validation"][:MEASURED_ON]
    found = Translator.load(folder).translate(test[settings.source], width=1)
    measured["exact_match"] = round(exact_match(found, test[settings.target]), 4)
    save_model(
        folder, TRANSLATOR_WEIGHTS, trained.model, about | {"measured": measured}, trained.tokenizer
    )
    return measured

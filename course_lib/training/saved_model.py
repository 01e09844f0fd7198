"""A trained model as files: weights, settings, tokenizer, predictions."""

from __future__ import annotations

import csv
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from torch import nn

WEIGHTS, SETTINGS, TOKENIZER, PREDICTIONS = (
    "classifier.safetensors",
    "config.json",
    "tokenizer.json",
    "predictions.csv",
)
TRANSLATOR_WEIGHTS, TRANSLATIONS = "translation.safetensors", "translations.txt"
CLASSIFIER = (WEIGHTS, SETTINGS, TOKENIZER, PREDICTIONS)  # the files of a classifier
TRANSLATOR = (TRANSLATOR_WEIGHTS, SETTINGS, TOKENIZER, TRANSLATIONS)  # the files of a translator


class Saveable(Protocol):
    """The part of a tokenizer's interface used here."""

    def save(self, path: Path) -> None: ...


def save(
    folder: str | Path,
    model: nn.Module,
    settings: Mapping[str, Any],
    tokenizer: Saveable,
    predictions: Sequence[int],
    data: Mapping[str, str],
) -> Path:
    """Write a classifier's weights, settings, tokenizer and predictions; returns the folder.

    `settings` are the constructor arguments of the model; `data` says what it was trained on
    (`name`, `source`) and has the `fingerprint` of the sentences that `predictions` are for.
    """
    about = {"model": dict(settings), "data": dict(data)}
    target = save_model(folder, WEIGHTS, model, about, tokenizer)
    with (target / PREDICTIONS).open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["row", "prediction"])
        writer.writerows(enumerate(predictions))
    return target


def save_translator(
    folder: str | Path,
    model: nn.Module,
    settings: Mapping[str, Any],
    tokenizer: Saveable,
    translations: Sequence[str],
    data: Mapping[str, str],
    measured: Mapping[str, float] | None = None,
) -> Path:
    """Write a translator's weights, settings, tokenizer and translations; returns the folder.

    `settings` and `data` are as in `save`; `translations` are written one per line, and a newline
    within one becomes a space. `measured` holds your own values for the report, such as
    `training_perplexity` and `validation_perplexity`; they earn no points.
    """
    about = {"model": dict(settings), "data": dict(data), "measured": dict(measured or {})}
    target = save_model(folder, TRANSLATOR_WEIGHTS, model, about, tokenizer)
    lines = "".join(f"{' '.join(text.split())}\n" for text in translations)
    (target / TRANSLATIONS).write_bytes(lines.encode("utf-8"))
    return target


def save_model(
    folder: str | Path, weights: str, model: nn.Module, about: dict[str, Any], tokenizer: Saveable
) -> Path:
    """Write weights, settings (`about`) and tokenizer: everything except the predictions."""
    from safetensors.torch import save_file

    target = Path(folder)
    target.mkdir(parents=True, exist_ok=True)
    # safetensors cannot store shared tensors: a matrix of two layers is written twice
    tensors = {n: t.detach().cpu().contiguous().clone() for n, t in model.state_dict().items()}
    save_file(tensors, target / weights)
    (target / SETTINGS).write_text(json.dumps(about, indent=2) + "\n", encoding="utf-8")
    tokenizer.save(target / TOKENIZER)
    return target

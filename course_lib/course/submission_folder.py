"""The folder that is handed in beside a notebook: a trained model and its answers."""

from __future__ import annotations

import csv
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from torch import nn

FOLDER = "submission"
MAX_TOTAL = 64 * 2**20  # bytes, of all files of one submission
WEIGHTS, SETTINGS, TOKENIZER, PREDICTIONS = (
    "classifier.safetensors",
    "config.json",
    "tokenizer.json",
    "predictions.csv",
)
TRANSLATOR_WEIGHTS, TRANSLATIONS = "translation.safetensors", "translations.txt"
CLASSIFIER = (WEIGHTS, SETTINGS, TOKENIZER, PREDICTIONS)  # what a classifier's folder holds
TRANSLATOR = (TRANSLATOR_WEIGHTS, SETTINGS, TOKENIZER, TRANSLATIONS)  # and a translator's


class Saveable(Protocol):
    """A tokenizer, as far as it matters here."""

    def save(self, path: Path) -> None: ...


def save(
    folder: str | Path,
    model: nn.Module,
    settings: Mapping[str, Any],
    tokenizer: Saveable,
    predictions: Sequence[int],
    data: Mapping[str, str],
) -> Path:
    """Write the weights, what the model was built with, its tokenizer and its predictions.

    `settings` are the arguments of the model's class; `data` says what it was trained on (`name`,
    `source`) and the `fingerprint` of the sentences that `predictions` are for, in their order.
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
    """Write the weights, what the model was built with, its tokenizer and its translations.

    `settings` and `data` are those of `save`; `translations` stand one a line, a line end within
    one becomes a blank. `measured` are values of your own for the report, by names such as
    `training_perplexity` and `validation_perplexity`; they earn nothing.
    """
    about = {"model": dict(settings), "data": dict(data), "measured": dict(measured or {})}
    target = save_model(folder, TRANSLATOR_WEIGHTS, model, about, tokenizer)
    lines = "".join(f"{' '.join(text.split())}\n" for text in translations)
    (target / TRANSLATIONS).write_bytes(lines.encode("utf-8"))
    return target


def save_model(
    folder: str | Path, weights: str, model: nn.Module, about: dict[str, Any], tokenizer: Saveable
) -> Path:
    """Write weights, settings and tokenizer: all but the model's answers."""
    from safetensors.torch import save_file

    target = Path(folder)
    target.mkdir(parents=True, exist_ok=True)
    # a matrix that two layers share is written twice, for the format knows no sharing
    tensors = {n: t.detach().cpu().contiguous().clone() for n, t in model.state_dict().items()}
    save_file(tensors, target / weights)
    (target / SETTINGS).write_text(json.dumps(about, indent=2) + "\n", encoding="utf-8")
    tokenizer.save(target / TOKENIZER)
    return target


def check_folder(folder: str | Path = FOLDER, files: Sequence[str] = CLASSIFIER) -> bool:
    """Print what is in the folder, and what is missing; whether it can be handed in as it is.

    A folder that is too large is told as well. `files` is what it is to hold: `CLASSIFIER` or
    `TRANSLATOR`.
    """
    place, complete, total = Path(folder), True, 0
    for name in files:
        path = place / name
        if not path.exists():
            print(f"  missing  {path}")
            complete = False
            continue
        size = path.stat().st_size
        total += size
        told = f"{size / 2**20:.1f} MiB" if size > 2**18 else f"{size / 2**10:.1f} KiB"
        if name in (PREDICTIONS, TRANSLATIONS):
            lines = path.read_bytes().count(b"\n")
            told += f", {lines - 1:,} predictions" if name == PREDICTIONS else f", {lines:,} lines"
        print(f"  ready    {path} ({told})")
    if total > MAX_TOTAL:
        print(f"  too large: {total / 2**20:.0f} MiB of {MAX_TOTAL >> 20}; train a smaller model")
        return False
    print("Hand in this folder beside the notebook." if complete else "Run the cells above again.")
    return complete

"""The folder that is handed in beside a notebook: a trained model and its predictions."""

from __future__ import annotations

import csv
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from torch import nn

FOLDER = "submission"
WEIGHTS, SETTINGS, TOKENIZER, PREDICTIONS = (
    "classifier.safetensors",
    "config.json",
    "tokenizer.json",
    "predictions.csv",
)


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
    from safetensors.torch import save_file

    target = Path(folder)
    target.mkdir(parents=True, exist_ok=True)
    tensors = {name: t.detach().cpu().contiguous() for name, t in model.state_dict().items()}
    save_file(tensors, target / WEIGHTS)
    about = {"model": dict(settings), "data": dict(data)}
    (target / SETTINGS).write_text(json.dumps(about, indent=2) + "\n", encoding="utf-8")
    tokenizer.save(target / TOKENIZER)
    with (target / PREDICTIONS).open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["row", "prediction"])
        writer.writerows(enumerate(predictions))
    return target


def check_folder(folder: str | Path = FOLDER) -> bool:
    """Print what is in the folder and what is missing; whether it can be handed in as it is."""
    place, complete = Path(folder), True
    for name in (WEIGHTS, SETTINGS, TOKENIZER, PREDICTIONS):
        path = place / name
        if not path.exists():
            print(f"  missing  {path}")
            complete = False
            continue
        size = path.stat().st_size
        told = f"{size / 2**20:.1f} MiB" if size > 2**18 else f"{size / 2**10:.1f} KiB"
        if name == PREDICTIONS:
            rows = path.read_text(encoding="utf-8").splitlines()
            told += f", {len(rows) - 1:,} predictions"
        print(f"  ready    {path} ({told})")
    print("Hand in this folder beside the notebook." if complete else "Run the cells above again.")
    return complete

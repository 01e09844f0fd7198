"""Trains rows of Table 3, whole or scaled down, and records what they reach beside the paper's."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from bench.record import Log, Measures, listed, of_values
from course_lib.data.pair_batching import PairBuckets
from course_lib.decoding.translator import Translator
from course_lib.evaluation.perplexity import perplexity
from course_lib.evaluation.translation import bleu
from course_lib.recipes.replication import Plan, train_row
from course_lib.recipes.replication_data import ReplicationData, load
from course_lib.recipes.table2 import BEAM, CLAIMS, LENGTH_PENALTY, LONGER
from course_lib.recipes.table3 import VOCABULARY, Row
from course_lib.transformer_variants import VariantTransformer
from grader.authoring import results_file

EVALUATED_TOKENS = 2048  # of a batch whose perplexity is computed


@dataclass(frozen=True)
class RunSettings:
    """The settings that all rows of one run share."""

    data: str
    scale: int
    steps: int | None
    warmup: int | None
    accumulate: int
    test: bool

    @property
    def vocab_size(self) -> int:
        """That of the paper's corpus (§5.1), divided by the factor."""
        claim = CLAIMS.get(("base", self.data))
        return (claim.vocab_size if claim else VOCABULARY) // self.scale

    def plan(self, row: Row) -> Plan:
        """The plan of a row. Raises ValueError where it cannot be scaled so."""
        claim = CLAIMS.get((row.name, self.data))
        dropout = claim.dropout if claim else None
        return Plan.of(row, self.scale, self.steps, self.warmup, self.accumulate, dropout)

    def command(self, rows: Sequence[Row], seeds: Sequence[int], name: str) -> str:
        """The command line that asks for the same."""
        parts = [f"--row {','.join(row.name for row in rows)}", f"--data {self.data}"]
        parts += [f"--scale {self.scale}"] + ([f"--steps {self.steps}"] if self.steps else [])
        parts += [f"--warmup {self.warmup}"] if self.warmup else []
        parts += [f"--seeds {listed(seeds)}"]
        parts += [f"--accumulate {self.accumulate}"] if self.accumulate > 1 else []
        parts += ["--test"] if self.test else []
        return " ".join(["course replicate", *parts, f"--name {name}"])


def run(
    asked: RunSettings,
    rows: Sequence[Row],
    seeds: Sequence[int],
    folder: Path,
    name: str,
    log: Log,
) -> Measures:
    """Train each row once per seed; writes `results/NAME.json` after each training.

    Skips rows that are finished in `folder`, and resumes interrupted ones.
    """
    plans = {row.name: asked.plan(row) for row in rows}
    data = load(asked.data, asked.vocab_size, folder / "shards", log)
    if torch.cuda.is_available():
        torch.set_float32_matmul_precision("high")
    about = {"name": data.name, "source": data.source, "sha256": data.sha256}
    about["bleu"] = bleu(["a b c d"], ["a b c d"]).signature
    found: dict[str, list[float]] = {}
    measures: Measures = {}
    for seed in seeds:
        for row in rows:
            plan = plans[row.name]
            own = folder / _folder(data, plan) / f"{row.name}_{seed}"
            reached = _reached(plan, data, seed, own, asked.test)
            log(f"{row.name}, seed {seed}: " + _line(reached))
            for key, value in reached.items():
                found.setdefault(f"{row.name}_{key}", []).append(value)
            measures = of_values(found)
            plan_of_all = {row: _facts(plan) for row, plan in plans.items()}
            command = asked.command(rows, seeds, name)
            results_file.write(name, command, measures, about, {"plans": plan_of_all})
    return measures


def _reached(
    plan: Plan, data: ReplicationData, seed: int, folder: Path, test: bool
) -> dict[str, float]:
    """The results of training one row; read from its folder if it is finished."""
    path = folder / "reached.json"
    reached: dict[str, float] = {}
    if path.exists():
        reached = json.loads(path.read_text(encoding="utf-8"))
    if not reached:
        batches = data.batches(plan.batch_tokens // plan.accumulate, seed)
        model = train_row(plan, batches, data.tokenizer.vocab_size, seed, folder, progress=True)
        translator = Translator(model, data.tokenizer, LENGTH_PENALTY)
        translator.save(folder / "translator")
        reached = {
            "parameters": float(sum(parameter.numel() for parameter in model.parameters())),
            "perplexity": _perplexity(model, data, "validation"),
            "bleu": _bleu(translator, data, "validation"),
        }
    if test and "test_bleu" not in reached:
        translator = Translator.load(folder / "translator")
        reached["test_bleu"] = _bleu(translator, data, "test")
    path.write_text(json.dumps(reached), encoding="utf-8")
    return reached if test else {k: v for k, v in reached.items() if k != "test_bleu"}


def _perplexity(model: VariantTransformer, data: ReplicationData, split: str) -> float:
    """Per token of the model's own vocabulary (§6.2): not to be compared across vocabularies."""
    source_ids, target_ids = (data.tokenizer.encode(side) for side in data.splits[split])
    device = model.embedding.tokens.weight.device

    def there() -> Iterator[tuple[Tensor, Tensor]]:
        for batch in PairBuckets(source_ids, target_ids, EVALUATED_TOKENS):
            yield batch.source_ids.to(device), batch.target_ids.to(device)

    return perplexity(model, there())


def _bleu(translator: Translator, data: ReplicationData, split: str) -> float:
    """By the paper's beam search (§6.1)."""
    texts, references = data.splits[split]
    longest = max(map(len, data.tokenizer.encode(texts)))
    return bleu(translator.translate(texts, BEAM, max_tokens=longest + LONGER), references).value


def _folder(data: ReplicationData, plan: Plan) -> str:
    """The name that tells trainings apart: what was finished is not trained again."""
    return f"{data.name}_{plan.scale}_{plan.steps}_{plan.warmup}"


def _facts(plan: Plan) -> dict[str, Any]:
    """The settings of a row's training, for the results file."""
    return {
        "model": str(plan.model),
        "steps": plan.steps,
        "batch_tokens": plan.batch_tokens,
        "warmup": plan.warmup,
        "label_smoothing": plan.row.label_smoothing,
        "averaged": plan.row.averaged,
        "interval": plan.interval,
    }


def _line(reached: dict[str, float]) -> str:
    return ", ".join(f"{key} {value:.2f}" for key, value in reached.items())

"""Train a row of Table 3 as the paper does, whole or scaled down by a factor.

    plan = Plan.of(chosen_row("B1"), scale=16, steps=400)
    model = train_row(plan, batches, vocab_size, seed=0, folder=Path("out/B1"))

A factor F divides the widths d_model, d_ff, d_k, d_v, the vocabulary, the tokens of a batch and the
steps. Layers, heads, dropout and label smoothing stay, so that the rows differ from each other as
in the table. The warm-up keeps its share of the steps, and the averaged checkpoints theirs. The
peak of the learning rate is that of Eq. 3 for the narrower model, √F times the paper's: Adam's best
rate grows as a model gets narrower (Yang et al. 2022). With F = 1 all of it is the paper's.

Paper statement R81 (lectures/paper_audit.md).
"""

import math
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import torch

from ..data.fixed_length_epochs import FixedLengthEpochs
from ..fast.forms import fast_model
from ..training.checkpoint_average import averaged
from ..training.fit import TrainingConfig, fit
from ..training.named_optimizers import adam
from ..training.schedules import WarmupSchedule
from ..training.translation_loss import real_targets, translation_loss
from ..training.weight_averages import EpochWeights
from ..transformer_variants import VariantConfig, VariantTransformer
from .table2 import BATCH_TOKENS, WARMUP_STEPS
from .table3 import Row


@dataclass(frozen=True)
class Plan:
    """A training by a row, scaled."""

    row: Row
    scale: int
    model: VariantConfig
    interval: int  # steps between two checkpoints
    checkpoints: int  # of the whole training
    warmup: int  # steps
    accumulate: int = 1  # batches a step, to fit into memory

    @classmethod
    def of(
        cls,
        row: Row,
        scale: int = 1,
        steps: int | None = None,
        warmup: int | None = None,
        accumulate: int = 1,
        dropout: float | None = None,
    ) -> "Plan":
        """The plan of a row. `steps`, `warmup` and `dropout` replace those of the row.

        The steps are rounded up to whole intervals between checkpoints, and the warm-up keeps its
        share of them (§5.3). Raises ValueError for a factor that does not divide every width, and
        for too few steps.
        """
        model = replace(row.model, dropout=row.model.dropout if dropout is None else dropout)
        wanted = max(1, row.steps // max(1, scale)) if steps is None else steps
        if wanted < row.averaged or accumulate < 1:
            raise ValueError(
                f"{wanted} steps of {accumulate} batches: give at least 1 batch, and at least "
                f"{row.averaged} steps, as many as checkpoints are averaged"
            )
        checkpoints = min(row.checkpoints, wanted)
        interval = math.ceil(wanted / checkpoints)
        share = max(1, round(WARMUP_STEPS * interval * checkpoints / row.steps))
        return cls(
            row,
            scale,
            _scaled(model, scale),
            interval,
            checkpoints,
            share if warmup is None else warmup,
            accumulate,
        )

    @property
    def steps(self) -> int:
        return self.interval * self.checkpoints

    @property
    def batch_tokens(self) -> int:
        """Tokens of one side in one step (§5.1)."""
        return BATCH_TOKENS // self.scale

    def optimizer(self, model: torch.nn.Module) -> tuple[torch.optim.Adam, WarmupSchedule]:
        """The paper's optimizer and schedule (§5.3), with the peak of 4,000 steps of warm-up."""
        factor = math.sqrt(self.warmup / WARMUP_STEPS)
        optimizer = adam(model, factor)
        return optimizer, WarmupSchedule(optimizer, self.model.d_model, self.warmup)


def _scaled(model: VariantConfig, scale: int) -> VariantConfig:
    """The model with its widths divided. Raises ValueError where that leaves no whole number."""
    fields = ("d_model", "d_ff", "d_k", "d_v")
    widths = {name: width for name in fields if (width := getattr(model, name)) is not None}
    head = {"the width of a head": model.d_model // model.n_heads}
    for name, width in (widths | head).items():
        if scale < 1 or width % scale:
            raise ValueError(
                f"{name} = {width} cannot be divided by {scale}: give --scale 1, 2, 4, 8 or 16"
            )
    scaled: dict[str, Any] = {name: width // scale for name, width in widths.items()}
    return replace(model, **scaled)


def train_row(
    plan: Plan, batches: Any, vocab_size: int, seed: int, folder: Path, progress: bool = False
) -> VariantTransformer:
    """The model of a row, trained on `batches` of pairs and averaged over its last checkpoints.

    `batches` have at most `plan.batch_tokens / plan.accumulate` tokens a side, as `PairBuckets`
    gives them. Interrupted training resumes from `folder`. Raises DivergedError and
    CheckpointError as `fit` does.
    """
    torch.manual_seed(seed)
    model = fast_model(VariantTransformer, vocab_size, **plan.model.arguments)
    optimizer, schedule = plan.optimizer(model)
    last = EpochWeights(folder, plan.interval, plan.row.averaged)
    fit(
        model,
        FixedLengthEpochs(batches, plan.interval * plan.accumulate),
        loss=translation_loss,
        count=real_targets,
        optimizer=optimizer,
        schedule=schedule,
        config=TrainingConfig(
            epochs=plan.checkpoints,
            max_norm=math.inf,  # the paper names no clipping
            label_smoothing=plan.row.label_smoothing,
            accumulate=plan.accumulate,
            progress=progress,
        ),
        folder=folder,
        after_step=last,
    )
    # §6.1 — "averaging the last 5 checkpoints, which were written at 10-minute intervals"
    model.load_state_dict(averaged(list(last)))
    return model.eval()

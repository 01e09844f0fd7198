"""Induction heads that a small language model learns, and what is lost without them.

Each text repeats a run of random tokens, no two alike, after a period of its own. On periods that
no training step had, only looking up the earlier occurrence helps (Olsson et al. 2022).
"""

from collections.abc import Sequence
from copy import deepcopy
from typing import Any

import torch
from torch import Tensor
from torch.nn import functional as F

from bench.record import Log, Measures, Row, by_seed
from course_lib.attention import MultiHeadAttention
from course_lib.explorer.record import recorded
from course_lib.families.language_model import LanguageModel

NAME = "induction"
VOCABULARY, LENGTH = 32, 48
UNSEEN = (9, 14, 19)
PERIODS = tuple(period for period in range(6, 25) if period not in UNSEEN)
STEPS, ROWS, RATE, LAYERS, HEADS = 1200, 64, 1e-2, 2, 4
LEAST = 0.3  # by chance, a head's score is about 1/24


def run(seeds: Sequence[int], log: Log) -> Measures:
    """Train a model for each seed and write `results/induction.json`; returns the measures."""
    torch.set_num_threads(1)
    about = {"name": "random tokens that repeat", "source": "bench/trainings/induction.py"}
    about["sha256"] = ""

    def row(seed: int) -> Row:
        return measured(trained(seed), seed)

    return by_seed(NAME, "induction --seeds {seeds}", seeds, row, about, log)


def trained(seed: int, steps: int = STEPS) -> LanguageModel:
    """A decoder-only model after `steps` batches of texts with the periods of `PERIODS`."""
    torch.manual_seed(seed)
    model = LanguageModel(VOCABULARY, LAYERS, 64, HEADS, 128, dropout=0.0, positions="rotary")
    optimizer = torch.optim.Adam(model.parameters(), lr=RATE)
    slower = torch.optim.lr_scheduler.OneCycleLR(optimizer, RATE, total_steps=steps)
    generator = torch.Generator().manual_seed(seed)
    for _ in range(steps):
        ids, _ = texts(ROWS, PERIODS, generator)
        optimizer.zero_grad()
        F.cross_entropy(model(ids[:, :-1]).transpose(1, 2), ids[:, 1:]).backward()
        optimizer.step()
        slower.step()
    return model.eval()


def texts(rows: int, periods: Sequence[int], generator: torch.Generator) -> tuple[Tensor, Tensor]:
    """`(ids, period)` of texts of `LENGTH` tokens; each begins again after its own period."""
    chosen = torch.randint(len(periods), (rows,), generator=generator)
    period = torch.tensor(periods)[chosen]
    drawn = torch.rand(rows, VOCABULARY - 1, generator=generator).argsort(dim=1) + 1
    return drawn.gather(1, torch.arange(LENGTH) % period[:, None]), period


@torch.no_grad()
def measured(model: LanguageModel, seed: int) -> Row:
    """Losses on texts of unseen periods, and the heads that look up: with a score of `LEAST`.

    The score of a head is the mean weight that a repeated token puts on the token after its
    earlier occurrence.
    """
    ids, period = texts(512, UNSEEN, torch.Generator().manual_seed(1000 + seed))
    with recorded(model, MultiHeadAttention) as found:
        model(ids)
    weights = [*found.values()]  # (rows, heads, n, n) of each layer
    at = torch.arange(LENGTH)
    repeated = at[None, :] >= period[:, None]
    looked_up = (at - period[:, None] + 1).clamp(0)  # the place after the earlier occurrence
    scores = torch.stack([_mean_at(w, looked_up, repeated) for w in weights])
    before = _mean_at(weights[0], (at - 1).clamp(0).expand_as(repeated), repeated)
    looking = [(int(i), int(j)) for i, j in (scores >= LEAST).nonzero()]
    return {
        "loss_first_time": _loss(model, ids, ~repeated),
        "loss_again": _loss(model, ids, repeated),
        "heads": len(looking),
        "least_score": min((float(scores[place]) for place in looking), default=0.0),
        "previous_token_score": float(before.max()),
        "loss_without_the_heads": _loss_without(model, looking, ids, repeated),
    }


def _mean_at(weights: Tensor, place: Tensor, counted: Tensor) -> Tensor:
    """(heads,): the mean weight on a place of each query, over those that are counted."""
    index = place[:, None, :, None].expand(-1, weights.shape[1], -1, 1)
    at = weights.gather(3, index)[..., 0].transpose(0, 1)
    return at[:, counted].mean(dim=1)


def _loss(model: LanguageModel, ids: Tensor, counted: Tensor) -> float:
    """The mean loss of the tokens that are counted; the first one is predicted by nothing."""
    every = F.cross_entropy(model(ids[:, :-1]).transpose(1, 2), ids[:, 1:], reduction="none")
    return float(every[counted[:, 1:]].mean())


def _loss_without(
    model: LanguageModel, places: Sequence[tuple[int, int]], ids: Tensor, counted: Tensor
) -> float:
    """The loss of a copy without the outputs of some heads, each given as (layer, head)."""
    made: Any = deepcopy(model)
    for layer, head in places:
        weight = made.blocks[layer].attention.w_o.weight
        size = weight.shape[1] // HEADS
        weight[:, head * size : (head + 1) * size] = 0.0
    return _loss(made, ids, counted)

"""Training steps of our encoder, in its fast forms, against torch's, interleaved."""

import time
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import NamedTuple

import torch
from torch import Tensor, nn

from bench.record import Log, Measures, of_rows
from course_lib.analysis.torch_encoder import copy_encoder_from_torch, torch_encoder
from course_lib.config import PRESETS, TransformerConfig
from course_lib.encoder import Encoder
from course_lib.fast.forms import fast_model
from grader.authoring import results_file

from . import bare_products

NAME = "bench_encoder"
CONFIG = replace(PRESETS["cpu"], norm_first=True)
TOKENS = 2048
LENGTHS = (8, 16, 24, 40)  # padded batch lengths, typical for SST-2 sorted by length
ROUNDS = {2: 15, 6: 7}  # repetitions by number of layers
CLOSE = 1e-4


class Contender(NamedTuple):
    """An encoder with its optimizer; `read(x, real)` returns its output."""

    model: nn.Module
    read: Callable[[Tensor, Tensor], Tensor]
    optimizer: torch.optim.Optimizer


def run(log: Log) -> Measures:
    """Time forward, backward and AdamW, pre-norm; writes `results/bench_encoder.json`.

    Unlike the paper, torch's layer has dropout inside its feed-forward network: it is removed.
    """
    torch.set_num_threads(1)
    torch.manual_seed(0)
    batches = [_batch(n) for n in LENGTHS]
    tokens = sum(int(real.sum()) for _, real in batches)
    measures: Measures = {}
    for n_layers, rounds in ROUNDS.items():
        contenders = _contenders(replace(CONFIG, n_layers=n_layers), batches[0])
        products = bare_products.of_step(partial(_seconds, contenders[0], batches))
        rows = []
        for _ in range(rounds):
            ours, theirs = (_seconds(contender, batches) for contender in contenders)
            rows.append(
                {
                    "speedup_same_work": theirs / ours,
                    "step_to_products_ratio": ours / products(),
                    "tokens_per_second": tokens / ours,
                }
            )
        measures |= {f"layers_{n_layers}_{key}": one for key, one in of_rows(rows).items()}
    source = f"random, {len(batches)} batches of {TOKENS} × {CONFIG.d_model}, padded to {LENGTHS}"
    data = {"name": source, "source": "seed 0", "sha256": ""}
    results_file.write(NAME, "course bench encoder", measures, data)
    return measures


def _batch(n: int) -> tuple[Tensor, Tensor]:
    """Vectors of sentences of up to `n` tokens, and a mask, True for real tokens."""
    sentences = TOKENS // n
    lengths = torch.randint(int(0.8 * n), n + 1, (sentences,))
    return torch.randn(sentences, n, CONFIG.d_model), torch.arange(n) < lengths[:, None]


def _contenders(config: TransformerConfig, example: tuple[Tensor, Tensor]) -> tuple[Contender, ...]:
    """Ours, and torch's with the same work. Raises RuntimeError if they disagree."""
    form = config.arguments
    del form["position_scale"]  # for embeddings, which these encoders do not have
    theirs, ours = torch_encoder(**form), fast_model(Encoder, **form)
    copy_encoder_from_torch(ours, theirs)
    forms: list[tuple[nn.Module, Callable[[Tensor, Tensor], Tensor]]] = [
        (ours, lambda x, real: ours(x, real[:, None, None])[0]),
        (theirs, lambda x, real: theirs(x, src_key_padding_mask=~real)),
    ]
    x, real = example
    for model, _ in forms:
        model.eval()
    output, other = (read(x, real)[real] for _, read in forms)
    if not torch.allclose(output, other, atol=CLOSE):
        raise RuntimeError("the encoders disagree on the same weights: nothing to compare")
    return tuple(
        Contender(model.train(), read, torch.optim.AdamW(model.parameters(), lr=1e-4))
        for model, read in forms
    )


def _seconds(contender: Contender, batches: list[tuple[Tensor, Tensor]]) -> float:
    """CPU time of one training step on each batch."""
    started = time.process_time()
    for x, real in batches:
        contender.read(x, real)[real].square().mean().backward()
        contender.optimizer.step()
        contender.optimizer.zero_grad()
    return time.process_time() - started

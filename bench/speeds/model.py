"""Our multi-head attention against torch's own, interleaved, at the paper's base size."""

import time

import torch
from torch import nn

from bench.record import Log, Measures, of_rows
from course_lib.config import PRESETS
from course_lib.fast.attention import FusedMultiHeadAttention
from grader.authoring import results_file

NAME = "bench_model"
BATCH, TOKENS = 16, 64
CONFIG = PRESETS["base"]
REPETITIONS, ROUNDS = 5, 15


def run(log: Log) -> Measures:
    """Time forward and backward without weights; writes `results/bench_model.json`."""
    torch.set_num_threads(1)
    torch.manual_seed(0)
    ours = FusedMultiHeadAttention(CONFIG.d_model, CONFIG.n_heads, dropout=0.0)
    theirs = nn.MultiheadAttention(CONFIG.d_model, CONFIG.n_heads, dropout=0.0, batch_first=True)
    x = torch.randn(BATCH, TOKENS, CONFIG.d_model, requires_grad=True)
    rows = []
    for _ in range(ROUNDS):
        own = _seconds(ours, x)
        speedup = _seconds(theirs, x) / own
        rows.append(
            {"speedup_over_nn_multihead_attention": speedup, "forward_backward_seconds": own}
        )
    measures = of_rows(rows)
    name = f"random, {BATCH} × {TOKENS} × {CONFIG.d_model}"
    data = {"name": name, "source": "seed 0", "sha256": ""}
    results_file.write(NAME, "course bench model", measures, data)
    return measures


def _seconds(module: nn.Module, x: torch.Tensor) -> float:
    """Seconds of the fastest of a few forward and backward passes."""
    times = []
    for _ in range(REPETITIONS):
        started = time.perf_counter()
        output, _ = module(x, x, x, need_weights=False)
        output.sum().backward()
        times.append(time.perf_counter() - started)
    return min(times)

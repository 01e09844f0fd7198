"""Our multi-head attention against torch's own, interleaved, at the paper's base size."""

from __future__ import annotations

import statistics
import time
from typing import Any

import torch
from torch import nn

from course_lib.config import PRESETS
from course_lib.fast.attention import FusedMultiHeadAttention
from grader.authoring import results_file

BATCH, TOKENS = 16, 64
CONFIG = PRESETS["base"]
REPETITIONS, ROUNDS = 5, 15


def run() -> dict[str, Any]:
    """Time forward and backward without weights; writes `results/bench_model.json`."""
    torch.set_num_threads(1)
    torch.manual_seed(0)
    ours = FusedMultiHeadAttention(CONFIG.d_model, CONFIG.n_heads, dropout=0.0)
    theirs = nn.MultiheadAttention(CONFIG.d_model, CONFIG.n_heads, dropout=0.0, batch_first=True)
    x = torch.randn(BATCH, TOKENS, CONFIG.d_model, requires_grad=True)
    ratios, seconds = [], []
    for _ in range(ROUNDS):
        seconds.append(_seconds(ours, x))
        ratios.append(_seconds(theirs, x) / seconds[-1])
    measures = {
        "speedup_over_nn_multihead_attention": results_file.measure("ratio", ratios),
        "median_speedup": results_file.measure("ratio", [statistics.median(ratios)]),
        "forward_backward_seconds": results_file.measure("s", seconds),
    }
    name = f"random, {BATCH} × {TOKENS} × {CONFIG.d_model}"
    data = {"name": name, "source": "seed 0", "sha256": ""}
    results_file.write("bench_model", "course bench model", measures, data)
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

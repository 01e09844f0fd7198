"""Our multi-head attention against torch's own, interleaved, at the paper's base size."""

from __future__ import annotations

import statistics
import time
from typing import Any

import torch
from torch import nn

from course_lib.config import PRESETS
from course_lib.fast.attention import FusedMultiHeadAttention

from . import results_file

BATCH, TOKENS = 16, 64
CONFIG = PRESETS["base"]
REPETITIONS, ROUNDS = 5, 15


def run() -> dict[str, Any]:
    """Forward and backward of both, without weights; writes `results/bench_model.json`."""
    torch.set_num_threads(1)
    torch.manual_seed(0)
    ours = FusedMultiHeadAttention(CONFIG.d_model, CONFIG.n_heads, dropout=0.0)
    theirs = nn.MultiheadAttention(CONFIG.d_model, CONFIG.n_heads, dropout=0.0, batch_first=True)
    x = torch.randn(BATCH, TOKENS, CONFIG.d_model, requires_grad=True)
    ratios, seconds = [], []
    for _ in range(ROUNDS):
        mine = _seconds(ours, x)
        yours = _seconds(theirs, x)
        ratios.append(yours / mine)
        seconds.append(mine)
    measures = {
        "speedup_over_nn_multihead_attention": results_file.measure("ratio", ratios),
        "median_speedup": results_file.measure("ratio", [statistics.median(ratios)]),
        "forward_backward_seconds": results_file.measure("s", seconds),
    }
    drawn = f"random, {BATCH} × {TOKENS} × {CONFIG.d_model}"
    data = {"name": drawn, "source": "seed 0", "sha256": ""}
    results_file.write("bench_model", "course bench model", measures, data)
    return measures


def _seconds(module: nn.Module, x: torch.Tensor) -> float:
    """The fastest of a few forward and backward passes: the least disturbed one."""
    times = []
    for _ in range(REPETITIONS):
        started = time.perf_counter()
        output, _ = module(x, x, x, need_weights=False)
        output.sum().backward()
        times.append(time.perf_counter() - started)
    return min(times)

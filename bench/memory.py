"""Measures each way of saving memory: one step of the same texts, with every switch, interleaved.

Time is taken in one process, in turns; memory in a fresh process for each case.
"""

from __future__ import annotations

import statistics
import time
from contextlib import nullcontext

import torch
from torch import nn

from bench import memory_use
from bench.memory_cases import CASES, Case, Sizes, batches, model, sizes
from bench.record import Log, Measures, of_values
from course_lib.training.fit import TrainingConfig, fit
from course_lib.training.language_losses import packed_language_loss, packed_tokens
from course_lib.training.long_trainings.peak_memory import PeakMemory
from course_lib.training.recompute import recomputed
from grader.authoring import results_file

NAME = "bench_memory"
ROUNDS, PROCESSES = 5, 2
CLOSE = {"no": 1e-4, "bf16": 2e-2}  # relative difference of the losses, by precision
MEGABYTE = 1e6


def run(log: Log) -> Measures:
    """Measure every case; writes `results/bench_memory.json`.

    Raises RuntimeError if a switch changes the loss, and UsageProblem as `memory_use.check` does.
    """
    memory_use.check()
    torch.set_num_threads(1)
    given = sizes()
    models = {name: model(given) for name in CASES}
    rows = []
    for number in range(ROUNDS):
        timed = {name: step(models[name], case, given) for name, case in CASES.items()}
        _check({name: loss for name, (_, loss) in timed.items()})
        rows.append({name: seconds for name, (seconds, _) in timed.items()})
        log(f"round {number + 1}: plain {rows[-1]['plain']:.2f} s, all {rows[-1]['all']:.2f} s")
        for name in CASES:  # every round begins with the same weights
            models[name].load_state_dict(model(given).state_dict())
    measures: Measures = {}
    for name in CASES:
        spent = [memory_use.in_a_fresh_process(measured, name) for _ in range(PROCESSES)]
        values = {
            f"{name}_step_seconds": [row[name] for row in rows],
            f"{name}_time_ratio": [row[name] / row["plain"] for row in rows],
            f"{name}_kept_mb": [kept / MEGABYTE for kept, _ in spent],
            f"{name}_peak_mb": [peak / MEGABYTE for _, peak in spent],
        }
        measures |= of_values(values)
        log(f"{name}: peak {statistics.median(values[f'{name}_peak_mb']):.0f} MB")
    about = {"name": given.described, "source": "seed 0", "sha256": ""}
    results_file.write(NAME, "course bench memory", measures, about)
    return measures


def step(built: nn.Module, case: Case, given: Sizes) -> tuple[float, float]:
    """Seconds of the second of two training steps, and the loss of the first."""
    clock = time.perf_counter if torch.cuda.is_available() else time.process_time
    ends: list[float] = []

    def after_step(_: nn.Module, number: int) -> None:
        if torch.cuda.is_available():
            torch.cuda.synchronize()
        ends.append(clock())

    optimizer = torch.optim.AdamW(built.parameters(), lr=1e-4)
    history = fit(
        built,
        batches(case, given, steps=2),
        loss=packed_language_loss,
        count=packed_tokens,
        optimizer=optimizer,
        schedule=torch.optim.lr_scheduler.ConstantLR(optimizer, factor=1.0),
        config=TrainingConfig(
            epochs=1,
            label_smoothing=0.0,
            accumulate=case.accumulate,
            recompute=case.recompute,
            mixed_precision=case.precision,
            progress=False,
        ),
        after_step=after_step,
    )
    return ends[1] - ends[0], history[0]["loss"]


def measured(name: str) -> tuple[int, int]:
    """`(kept, peak)` in bytes, in a process that has done nothing else.

    `kept` is what autograd keeps of one forward pass; `peak` the most memory at once in two steps
    beyond that of a process with everything imported: weights, gradients and optimizer included.
    """
    torch.set_num_threads(1)
    case, given = CASES[name], sizes()
    small = given.smallest
    step(model(small), case, small)  # imports, and what libraries allocate once
    memory = PeakMemory(memory_use.device())
    built = model(given)
    step(built, case, given)
    peak = memory.added
    (batch, *_) = batches(case, given, steps=1)
    return saved_bytes(built, batch, case), peak


def saved_bytes(built: nn.Module, batch: tuple, case: Case) -> int:
    """Bytes that autograd keeps of a forward pass with the switches of the case."""
    device = next(built.parameters()).device.type
    with (
        torch.autocast(device, torch.bfloat16, enabled=case.precision == "bf16"),
        recomputed(built) if case.recompute else nullcontext(),
    ):
        return memory_use.saved_bytes(built, packed_language_loss, batch)


def _check(losses: dict[str, float]) -> None:
    """Raise RuntimeError unless every case has the loss of the plain one."""
    for name, loss in losses.items():
        if abs(loss / losses["plain"] - 1) > CLOSE[CASES[name].precision]:
            raise RuntimeError(f"{name} has the loss {loss}, plain {losses['plain']}")

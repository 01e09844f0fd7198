"""Where the time of a training step goes: torch.profiler around a step of a profile.

The trace that it writes opens in Perfetto (ui.perfetto.dev), in Chrome (chrome://tracing), and, as
its folder is one of TensorBoard's profiler, in `tensorboard --logdir`.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import torch
from torch import nn
from torch.profiler import ProfilerActivity, profile, record_function, schedule

from bench import CHECKOUT
from bench.profile_work import Work, work
from bench.record import Measures, of_values
from grader.authoring import results_file

NAME = "bench_profile"
TRACES = CHECKOUT / "out" / "profiles"
REPETITIONS, STEPS, SHOWN = 3, 3, 8
PHASES = ("forward", "backward", "clip", "optimizer")
SELF_TIME = {"cpu": "self_cpu_time_total", "cuda": "self_device_time_total"}
SELF_MEMORY = {"cpu": "self_cpu_memory_usage", "cuda": "self_device_memory_usage"}


def run(kind: str, profile_name: str) -> tuple[Measures, str, Path]:
    """Profile some steps; returns the measures, torch's table of operators, and the trace's path.

    Writes the measures to `results/bench_profile.json`.
    """
    torch.set_num_threads(1)
    done = work(kind, profile_name)
    path = TRACES / f"{kind}_{profile_name}" / "step.pt.trace.json"
    profiles = [profiled(done, path) for _ in range(REPETITIONS)]
    measures = measured([found.key_averages() for found in profiles])
    about = {"name": done.described, "source": f"seed {done.settings.seed}", "sha256": ""}
    command = f"course bench profile --model {kind} --profile {profile_name}"
    results_file.write(NAME, command, measures, about)
    table = profiles[-1].key_averages().table(sort_by=SELF_TIME[_device()], row_limit=SHOWN)
    return measures, table, path


def profiled(done: Work, path: Path) -> profile:
    """The profile of some steps after one to warm up; writes the trace of the steps to `path`."""
    activities = [ProfilerActivity.CPU]
    if _device() == "cuda":
        activities.append(ProfilerActivity.CUDA)
    optimizer = done.optimizer()
    waiting = schedule(wait=0, warmup=1, active=STEPS, repeat=1)
    with (
        named_ranges(done.model),
        profile(
            activities=activities, schedule=waiting, record_shapes=True, profile_memory=True
        ) as found,
    ):
        for _ in range(1 + STEPS):
            step(done, optimizer)
            found.step()
    path.parent.mkdir(parents=True, exist_ok=True)
    found.export_chrome_trace(str(path))
    return found


def step(done: Work, optimizer: torch.optim.Optimizer) -> None:
    """A training step, each phase in a range of its own."""
    done.model.train()
    with record_function("forward"):
        loss, _ = done.loss(done.model, *done.batch)
    with record_function("backward"):
        loss.backward()
    with record_function("clip"):
        nn.utils.clip_grad_norm_(done.model.parameters(), 1.0)
    with record_function("optimizer"):
        optimizer.step()
        optimizer.zero_grad()


@contextmanager
def named_ranges(model: nn.Module) -> Iterator[None]:
    """Within the context, every layer's forward pass is a range of the trace, with its name."""
    hooks, opened = list[Any](), list[Any]()

    def close(*_: Any) -> None:
        opened.pop().__exit__(None, None, None)

    for name, part in model.named_modules():
        if name.rpartition(".")[2].isdecimal():  # an entry of a list of layers

            def begin(module: nn.Module, _: Any, name: str = name) -> None:
                opened.append(record_function(f"{name} {type(module).__name__}"))
                opened[-1].__enter__()

            hooks += [part.register_forward_pre_hook(begin), part.register_forward_hook(close)]
    try:
        yield
    finally:
        for hook in hooks:
            hook.remove()


def measured(averages: list[Any]) -> Measures:
    """For each phase its share of a step; for the operators that take most, time, memory, calls.

    One value a repetition. The time of an operator is its own, without what it calls.
    """
    device = _device()
    tables = [{row.key: row for row in rows} for rows in averages]
    wholes = [sum(table[phase].cpu_time_total for phase in PHASES) for table in tables]
    values = {
        f"{phase}_percent": [
            100 * table[phase].cpu_time_total / whole
            for table, whole in zip(tables, wholes, strict=True)
        ]
        for phase in PHASES
    }
    values["step_ms"] = [whole / STEPS / 1e3 for whole in wholes]
    own = [{key: getattr(row, SELF_TIME[device]) for key, row in t.items()} for t in tables]
    operators = [
        key for key in tables[0] if key.startswith("aten::") and all(key in t for t in own)
    ]
    for key in sorted(operators, key=lambda key: -sum(of[key] for of in own))[:SHOWN]:
        name = key.removeprefix("aten::")
        values[f"{name}.self_percent"] = [100 * of[key] / sum(of.values()) for of in own]
        values[f"{name}.memory_mb"] = [
            getattr(table[key], SELF_MEMORY[device]) / STEPS / 1e6 for table in tables
        ]
        values[f"{name}.calls"] = [table[key].count / STEPS for table in tables]
    return of_values(values)


def _device() -> str:
    return "cuda" if torch.cuda.is_available() else "cpu"

"""Measures each way of saving memory: one step of the same texts, with every switch, interleaved.

Time is taken in one process, in turns; memory in a fresh process for each case.
"""

import statistics
import time
from contextlib import nullcontext
from dataclasses import dataclass, replace

import numpy as np
import torch
from torch import Tensor, nn

from bench import memory_use
from bench.record import Log, Measures, of_values
from course_lib.data.packed_texts import PackedBatch, PackedTexts
from course_lib.families.language_model import LanguageModel
from course_lib.fast.forms import fast_model
from course_lib.training.fit import TrainingConfig, fit
from course_lib.training.language_losses import packed_language_loss, packed_tokens
from course_lib.training.long_trainings.peak_memory import PeakMemory
from course_lib.training.recompute import recomputed
from grader.authoring import results_file

END = 3


@dataclass(frozen=True)
class Case:
    """The switches of a training."""

    accumulate: int = 1
    recompute: bool = False
    precision: str = "no"
    packed: bool = False


CASES = {
    "plain": Case(),
    "accumulate": Case(accumulate=4),
    "recompute": Case(recompute=True),
    "bf16": Case(precision="bf16"),
    "packed": Case(packed=True),
    "recompute_accumulate": Case(accumulate=4, recompute=True),
    "recompute_bf16": Case(recompute=True, precision="bf16"),
    "packed_recompute": Case(recompute=True, packed=True),
    "packed_recompute_accumulate": Case(accumulate=4, recompute=True, packed=True),
    "all": Case(accumulate=4, recompute=True, precision="bf16", packed=True),
}


@dataclass(frozen=True)
class Sizes:
    """How large the model and its texts are."""

    n_layers: int
    d_model: int
    n_heads: int
    vocab_size: int
    texts: int
    length: int  # of the longest text, and of a packed row

    @property
    def smallest(self) -> "Sizes":
        """The same at a size that costs nothing."""
        return replace(self, n_layers=1, d_model=2 * self.n_heads, vocab_size=50, length=8)

    @property
    def described(self) -> str:
        return (
            f"random, {self.texts} texts of up to {self.length} tokens; a language model of "
            f"{self.n_layers} layers, d_model {self.d_model}, vocabulary {self.vocab_size}"
        )


def sizes() -> Sizes:
    """For this machine: on a GPU, a size that keeps it busy."""
    if torch.cuda.is_available():
        return Sizes(12, 768, 12, 32_000, texts=64, length=512)
    return Sizes(6, 128, 4, 2000, texts=48, length=96)


def model(given: Sizes) -> nn.Module:
    """The language model of these sizes, always with the same weights, without dropout."""
    torch.manual_seed(0)
    return fast_model(
        LanguageModel,
        given.vocab_size,
        n_layers=given.n_layers,
        d_model=given.d_model,
        n_heads=given.n_heads,
        d_ff=4 * given.d_model,
        dropout=0.0,
        max_length=given.length,
    )


class Steps(list[tuple[Tensor, ...]]):
    """The batches of an epoch, the same in every epoch."""

    def set_epoch(self, epoch: int) -> None:
        pass


def batches(case: Case, given: Sizes, steps: int) -> Steps:
    """The batches of `steps` optimizer steps, each on all the texts."""
    whole = _packed(given) if case.packed else _padded(given)
    parts = [part.tensor_split(case.accumulate) for part in whole]
    return Steps([PackedBatch(*part) for part in zip(*parts, strict=True)] * steps)


def _texts(given: Sizes) -> list[list[int]]:
    """Random texts whose lengths are spread as those of sentences are: a few are long."""
    rng = np.random.default_rng(0)
    lengths = (given.length * rng.lognormal(-1.3, 0.5, given.texts)).astype(int)
    lengths = lengths.clip(1, given.length - 1)
    lengths[0] = given.length - 1  # with END before it, the longest fills a row
    return [rng.integers(4, given.vocab_size, n).tolist() for n in lengths]


def _packed(given: Sizes) -> PackedBatch:
    texts = _texts(given)
    (batch,) = PackedTexts(texts, END, given.length, batch_size=len(texts))
    return batch


def _padded(given: Sizes) -> PackedBatch:
    """A row for each text."""
    batch = PackedBatch(*torch.zeros(3, given.texts, given.length, dtype=torch.long))
    for row, text in enumerate(_texts(given)):
        n = len(text) + 1
        batch.token_ids[row, :n] = torch.tensor([END, *text])
        batch.labels[row, :n] = torch.tensor([*text, END])
        batch.texts[row, :n] = 1
    return batch


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

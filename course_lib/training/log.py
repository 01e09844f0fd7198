"""The output of a training run: two CSV files, TensorBoard event files, a progress bar.

Where nobody looks, or with `TQDM_DISABLE=1` in the environment, nothing is shown.
"""

import csv
import os
import sys
import time
from collections import deque
from collections.abc import Mapping, Sequence
from pathlib import Path

RECENT = 20  # steps over which the bar averages loss and accuracy
SAMPLES, LONGEST = 3, 90  # sentences that are shown after each epoch, and their characters


class TrainingLog:
    """Writes `training.csv`, `evaluation.csv` and `tensorboard/` into `folder`.

    It resumes after `from_step`: rows of later steps, which an interrupted run may have written
    after its last checkpoint, are dropped. Every `every`-th step has a row. With `folder=None`
    nothing is written.
    """

    def __init__(self, folder: Path | None, from_step: int = 0, every: int = 1) -> None:
        self.folder, self.every = folder, every
        self._tokens, self._since, self._board = 0, time.perf_counter(), None
        if folder is None:
            return
        from torch.utils.tensorboard import SummaryWriter

        folder.mkdir(parents=True, exist_ok=True)
        for name in ("training", "evaluation"):
            _drop_after(folder / f"{name}.csv", from_step)
        purge = from_step + 1 if from_step else None
        self._board = SummaryWriter(str(folder / "tensorboard"), purge_step=purge)

    def step(self, row: Mapping[str, float], tokens: int) -> None:
        """Log a training step on `tokens` tokens."""
        self._tokens += tokens
        if self.folder is None or row["step"] % self.every:
            return
        seconds = time.perf_counter() - self._since
        self._write("training", {**row, "tokens_per_second": round(self._tokens / seconds, 1)})
        self._tokens, self._since = 0, time.perf_counter()

    def evaluation(self, row: Mapping[str, float] | None) -> None:
        """Log an evaluation, unless it is None."""
        if self.folder is not None and row is not None:
            self._write("evaluation", row)

    def _write(self, name: str, row: Mapping[str, float]) -> None:
        assert self.folder is not None
        path = self.folder / f"{name}.csv"
        with path.open("a", newline="", encoding="utf-8") as file:
            writer = csv.DictWriter(file, list(row))
            if file.tell() == 0:
                writer.writeheader()
            writer.writerow(row)
        for key, value in row.items():
            if self._board is not None and key != "step":
                self._board.add_scalar(f"{name}/{key}", value, row["step"])

    def __enter__(self) -> "TrainingLog":
        return self

    def __exit__(self, *_: object) -> None:
        if self._board is not None:
            self._board.close()


class ProgressBar:
    """A bar over `total` steps, `done` of them already taken; only in a terminal or notebook."""

    def __init__(self, total: int, done: int = 0, wanted: bool = True) -> None:
        from tqdm.auto import tqdm

        hidden = not (wanted and _is_watched())
        self._quality = ""
        self._bar = tqdm(total=total, initial=done, unit="step", disable=hidden)
        self._rows: deque[Mapping[str, float]] = deque(maxlen=RECENT)
        self._tokens, self._started = 0, time.perf_counter()

    def show(self, row: Mapping[str, float], tokens: int) -> None:
        """Advance by one step, which trained on `tokens` tokens."""
        self._tokens += tokens
        self._rows.append(row)
        if not self._bar.disable:
            self._bar.set_postfix_str(self.text(), refresh=False)
            self._bar.update()

    def evaluated(self, row: Mapping[str, float] | None) -> None:
        """Keep the measures of an evaluation behind the bar, and a line of them above it."""
        if row is None or self._bar.disable:
            return
        named = {name: value for name, value in row.items() if name not in ("step", "epoch")}
        self._quality = ", ".join(f"{k.replace('_', ' ')} {v:.4g}" for k, v in named.items())
        loss = self.text().partition(",")[0]
        self._bar.write(f"epoch {row['epoch']:g}, step {row['step']:g}: {loss}, {self._quality}")
        self._bar.set_postfix_str(self.text())

    def text(self) -> str:
        """The text after the bar: loss and accuracy, the last evaluation, tokens per second."""
        shown = []
        for name, form in (("loss", "{:.3f}"), ("accuracy", "{:.1%}")):
            values = [row[name] for row in self._rows if name in row]
            if values:
                shown.append(f"{name} " + form.format(sum(values) / len(values)))
        speed = self._tokens / (time.perf_counter() - self._started)
        shown += [self._quality] if self._quality else []
        return ", ".join([*shown, f"{speed:,.0f} tokens/s"])

    def __enter__(self) -> "ProgressBar":
        return self

    def __exit__(self, *_: object) -> None:
        self._bar.close()


def show_samples(sources: Sequence[str], made: Sequence[str], references: Sequence[str]) -> None:
    """Print what a model makes of the same few sentences, where somebody watches its training."""
    if _is_watched():
        from tqdm.auto import tqdm

        shown = (texts[:SAMPLES] for texts in (sources, made, references))
        for source, text, reference in zip(*shown, strict=True):
            now = text if len(text) <= LONGEST else f"{text[:LONGEST]}…"  # it may repeat itself
            tqdm.write(f"  {source}\n    now   {now}\n    goal  {reference}")


def _drop_after(path: Path, last_step: int) -> None:
    """Keep the header and the rows up to a step; empty the file when no row is left."""
    if not path.exists():
        return
    header, *lines = path.read_text(encoding="utf-8").splitlines()
    kept = [line for line in lines if int(line.partition(",")[0]) <= last_step]
    text = "\n".join([header, *kept]) + "\n"
    path.write_text(text if kept else "", encoding="utf-8")


def _is_watched() -> bool:
    return _is_interactive() and not os.environ.get("TQDM_DISABLE")


def _is_interactive() -> bool:
    """Whether this runs in a terminal or in a notebook."""
    if "IPython" in sys.modules:
        shell = sys.modules["IPython"].get_ipython()
        if getattr(shell, "kernel", None) is not None:
            return True
    return sys.stderr.isatty()

"""The progress bar of a training: loss, accuracy, tokens per second and the time left."""

import sys
import time
from collections import deque
from collections.abc import Mapping

RECENT = 20  # steps that the shown loss and accuracy are the mean of


class ProgressBar:
    """A bar over `total` steps, of which `done` were taken before; hidden where nobody looks."""

    def __init__(self, total: int, done: int = 0, wanted: bool = True) -> None:
        from tqdm.auto import tqdm

        hidden = not (wanted and _somebody_looks())
        self._bar = tqdm(total=total, initial=done, unit="step", disable=hidden)
        self._rows: deque[Mapping[str, float]] = deque(maxlen=RECENT)
        self._tokens, self._started = 0, time.perf_counter()

    def show(self, row: Mapping[str, float], tokens: int) -> None:
        """A step was taken, which read so many tokens."""
        self._tokens += tokens
        self._rows.append(row)
        if not self._bar.disable:
            self._bar.set_postfix_str(self.text(), refresh=False)
            self._bar.update()

    def text(self) -> str:
        """What stands behind the bar."""
        shown = []
        for name, form in (("loss", "{:.3f}"), ("accuracy", "{:.1%}")):
            values = [row[name] for row in self._rows if name in row]
            if values:
                shown.append(f"{name} " + form.format(sum(values) / len(values)))
        speed = self._tokens / (time.perf_counter() - self._started)
        return ", ".join([*shown, f"{speed:,.0f} tokens/s"])

    def __enter__(self) -> "ProgressBar":
        return self

    def __exit__(self, *_: object) -> None:
        self._bar.close()


def _somebody_looks() -> bool:
    """Whether this runs in a terminal or in a notebook."""
    if "IPython" in sys.modules:
        shell = sys.modules["IPython"].get_ipython()
        if getattr(shell, "kernel", None) is not None:
            return True
    return sys.stderr.isatty()

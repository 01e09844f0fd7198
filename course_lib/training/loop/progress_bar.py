"""The training progress bar: loss, accuracy, tokens per second and remaining time."""

import sys
import time
from collections import deque
from collections.abc import Mapping

RECENT = 20  # steps over which the displayed loss and accuracy are averaged


class ProgressBar:
    """A bar over `total` steps, `done` of them already taken; only in a terminal or notebook."""

    def __init__(self, total: int, done: int = 0, wanted: bool = True) -> None:
        from tqdm.auto import tqdm

        hidden = not (wanted and _is_interactive())
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

    def text(self) -> str:
        """The text after the bar: mean loss and accuracy, and tokens per second."""
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


def _is_interactive() -> bool:
    """Whether this runs in a terminal or in a notebook."""
    if "IPython" in sys.modules:
        shell = sys.modules["IPython"].get_ipython()
        if getattr(shell, "kernel", None) is not None:
            return True
    return sys.stderr.isatty()

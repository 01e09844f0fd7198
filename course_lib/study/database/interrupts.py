"""Ctrl-C and SIGTERM in a study: they end a training at once, and wait at every other moment."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

NAMES = ("SIGINT", "SIGTERM", "SIGHUP")  # Windows has no SIGHUP
HELD = (signal.default_int_handler, signal.SIG_DFL)  # what others do with a signal is theirs


class Interrupts:
    """A block in which signals that end a program wait; inside `heard` they do not.

    An exception could otherwise come between the moment at which a trial is taken from the database
    and the moment at which the program knows of it: nobody would put it back. A signal that waits
    is raised as KeyboardInterrupt at the next `heard`; after the block it does what it did before.
    A second one is raised at once. Outside the main thread, which gets no signal, nothing waits.
    """

    def __init__(self) -> None:
        self.waiting: signal.Signals | None = None
        self._heard = False
        self._before: dict[signal.Signals, Any] = {}

    def __enter__(self) -> Interrupts:
        if threading.current_thread() is threading.main_thread():
            for number in (getattr(signal, name) for name in NAMES if hasattr(signal, name)):
                if signal.getsignal(number) in HELD:
                    self._before[number] = signal.signal(number, self._note)
        return self

    def __exit__(self, *_: object) -> None:
        for number, handler in self._before.items():
            signal.signal(number, handler)
        if self.waiting is not None:
            signal.raise_signal(self.waiting)

    @contextmanager
    def heard(self) -> Iterator[None]:
        """Where a signal raises KeyboardInterrupt at once."""
        self._heard = True
        try:
            if self.waiting is not None:
                self._interrupt()
            yield
        finally:
            self._heard = False

    def _note(self, number: int, _: object) -> None:
        if self._heard or self.waiting is not None:
            self._interrupt()
        self.waiting = signal.Signals(number)

    def _interrupt(self) -> None:
        self._heard, self.waiting = False, None
        raise KeyboardInterrupt

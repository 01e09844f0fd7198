"""Ctrl-C and SIGTERM in a worker: they wait while a trial is taken or written down."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

NAMES = ("SIGINT", "SIGTERM", "SIGHUP")  # Windows has no SIGHUP


class Interrupts:
    """Signals that raise KeyboardInterrupt do so inside `heard` only.

    Anywhere else the exception could come between the moment at which the database gives a trial
    to this worker and the moment at which the worker knows of it: the trial would then count as
    running until its signs of life are old. A signal that came too early is raised at the next
    `heard`, or at the end of the block; a second one is raised at once.
    """

    def __init__(self) -> None:
        self.waits = False  # whether a signal came that was not raised yet
        self._heard = False
        self._before: dict[signal.Signals, Any] = {}

    def __enter__(self) -> Interrupts:
        if threading.current_thread() is threading.main_thread():
            numbers = [getattr(signal, name) for name in NAMES if hasattr(signal, name)]
            for number in numbers:
                if signal.getsignal(number) is signal.default_int_handler:
                    self._before[number] = signal.signal(number, self._note)
        return self

    def __exit__(self, *_: object) -> None:
        for number, handler in self._before.items():
            signal.signal(number, handler)
        self._raise_waiting()

    @contextmanager
    def heard(self) -> Iterator[None]:
        """Where a signal raises KeyboardInterrupt at once."""
        self._heard = True
        try:
            self._raise_waiting()
            yield
        finally:
            self._heard = False

    def _note(self, *_: object) -> None:
        if self._heard or self.waits:
            self._heard = self.waits = False
            raise KeyboardInterrupt
        self.waits = True

    def _raise_waiting(self) -> None:
        if self.waits:
            self.waits = False
            raise KeyboardInterrupt

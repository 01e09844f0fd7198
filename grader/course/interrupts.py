"""Ctrl-C and SIGTERM in a long run: they wait while something is half done."""

import signal
import threading
from typing import Any

NAMES = ("SIGINT", "SIGTERM", "SIGHUP")  # Windows has no SIGHUP
HELD = (signal.default_int_handler, signal.SIG_DFL)  # what others do with a signal is theirs


class Interrupts:
    """A block in which signals that end a program wait.

    An exception could otherwise come between the moment at which something is taken (a process
    from the system) and the moment at which the program knows of it: nobody would ever put it
    back. After the block a signal does what it did before; a second one is raised at once. Outside
    the main thread, which gets no signal, the block does nothing.
    """

    def __init__(self) -> None:
        self.waiting: signal.Signals | None = None
        self._before: dict[signal.Signals, Any] = {}

    def __enter__(self) -> "Interrupts":
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

    def _note(self, number: int, _: object) -> None:
        if self.waiting is not None:
            self.waiting = None
            raise KeyboardInterrupt
        self.waiting = signal.Signals(number)

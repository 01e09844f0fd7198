"""How long the judge waits for a worker: CPU time counts, not what else the machine has to do.

What is measured is measured from outside, in /proc; nothing that a worker says about itself counts.
"""

from __future__ import annotations

import time
from dataclasses import dataclass

from ...sandbox import process_tree
from ...sandbox.wire import Timeout

UNSEEN = 0.05  # seconds: most answers are there by then, and measuring costs more than they do
TICK = 0.1
MOST_ASLEEP = 5.0  # seconds: a call may sleep for as long as it may compute, within this
WALL = 20.0  # times the CPU time: what a machine may be slower than an idle one

HALVINGS = 2  # a call gets a quarter of the usual time at least
MOST_IN_VAIN = 8


class TimeLimit:
    """What one request may take: `seconds` of CPU time, as much asleep, or the wall.

    CPU time is that of all processes below the worker's supervisor. Where the system does not tell
    it (`supervisor` is None), `seconds` are seconds of the wall clock.
    """

    def __init__(self, seconds: float, supervisor: int | None):
        self.seconds, self.supervisor = seconds, supervisor
        self.most_asleep = min(seconds, MOST_ASLEEP)
        self.wall = seconds * (WALL if supervisor else 1.0)
        self._began = self._looked = time.monotonic()
        self._next = self._began + (UNSEEN if supervisor else 0.0)
        self._before: float | None = None  # CPU seconds at the first look
        self._asleep = 0.0

    def left(self) -> float:
        """Seconds until the next look. Raises Timeout, which says what was measured."""
        now = time.monotonic()
        wall_left = self._began + self.wall - now
        if wall_left <= 0:
            raise Timeout(f"no answer within {self.wall:g} s")
        if self.supervisor is None:
            return wall_left
        if now >= self._next:
            self._look(self.supervisor, now)
        return max(0.001, min(self._next - now, wall_left))

    def _look(self, supervisor: int, now: float) -> None:
        activity = process_tree.activity(supervisor)
        if self._before is None:
            self._before = activity.cpu_seconds
        elif not activity.awake:
            self._asleep += min(now - self._looked, TICK)  # more passes only where the judge waits
        self._looked, self._next = now, now + TICK
        if activity.cpu_seconds - self._before >= self.seconds:
            raise Timeout(f"no answer within {self.seconds:g} s of CPU time")
        if self._asleep >= self.most_asleep:
            raise Timeout(f"no answer: it waited for {self.most_asleep:g} s without computing")


@dataclass
class Patience:
    """How long the calls of one submission are waited for: after each in vain, less.

    So a submission that hangs, or eats memory, everywhere is done in seconds. Honest calls take
    milliseconds.
    """

    in_vain: int = 0  # calls that ended in a time-out or for want of memory

    @property
    def gone(self) -> bool:
        return self.in_vain >= MOST_IN_VAIN

    def shorten(self, seconds: float) -> float:
        """What a call gets that would have `seconds`."""
        return seconds / 2 ** min(self.in_vain, HALVINGS)

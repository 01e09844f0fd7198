"""The warm process's loop: a message and two descriptors in, a supervisor forked.

Several judges share the sending end, one whole message at a time, so nothing is answered here: each
job brings the sockets on which its own judge listens.
"""

from __future__ import annotations

import json
import os
import select
import socket
from collections.abc import Sequence
from dataclasses import dataclass, field

from .limits import Limits
from .supervisor import supervise
from .worker import Job

MAX_MESSAGE = 65536
REAP_MS = 100  # how often supervisors that have ended are collected
PLACES = 64  # workers at a time, each with a uid of its own
# The range that systemd hands out for the moment and no directory service uses.
_FIRST_UID, _UIDS = 61_184, 4288


@dataclass
class Jobs:
    """What every job has in common, and which places are taken."""

    letter: str
    grants: Sequence[str]
    limits: Limits
    own_uids: bool
    taken: dict[int, int] = field(default_factory=dict)  # place by supervisor

    def accept(self, control: socket.socket, lifeline: int) -> None:
        """Fork a supervisor for each job, until the judge is gone."""
        self.alive, self.living = os.pipe()  # its writing end is this process's alone
        poll = select.poll()
        poll.register(control, select.POLLIN)
        poll.register(lifeline, select.POLLIN)
        while True:
            ready = {descriptor for descriptor, _ in poll.poll(REAP_MS if self.taken else None)}
            self._free_places()
            if lifeline in ready:
                return
            if control.fileno() in ready and not self._start(control, lifeline):
                return

    def _start(self, control: socket.socket, lifeline: int) -> bool:
        message, descriptors, _, _ = socket.recv_fds(control, MAX_MESSAGE, 2)
        if not message:
            return False
        stream, status = (socket.socket(fileno=descriptor) for descriptor in descriptors)
        place = next((p for p in range(PLACES) if p not in self.taken.values()), None)
        first = _FIRST_UID + os.getpid() * PLACES % _UIDS
        limits = Limits(**{**self.limits.as_json(), **json.loads(message)})
        try:
            if place is None:
                raise OSError(f"{PLACES} workers run already; grade with fewer processes")
            supervisor = os.fork()
        except OSError as error:
            status.sendall(json.dumps({"cause": "refused", "reason": str(error)}).encode())
        else:
            if supervisor == 0:
                control.close()
                os.close(lifeline)
                os.close(self.living)
                uid = first + place if self.own_uids else None
                supervise(Job(self.letter, self.grants, limits, uid, stream, status, self.alive))
            self.taken[supervisor] = place
        stream.close()
        status.close()
        return True

    def _free_places(self) -> None:
        try:
            while ended := os.waitpid(-1, os.WNOHANG)[0]:
                self.taken.pop(ended, None)
        except ChildProcessError:
            self.taken.clear()

"""The warm process's loop: receives a job (a message and two sockets), forks a supervisor for it.

Several judges share the control socket, so no reply is sent on it: each job comes with the sockets
on which its own judge listens.
"""

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
REAP_MS = 100  # milliseconds between collecting supervisors that have ended
MAX_WORKERS = 64  # at a time, each with its own uid
# systemd's range for dynamic users, which no directory service uses.
_FIRST_UID, _UIDS = 61_184, 4288


@dataclass
class Jobs:
    """The state that all jobs share, and the worker slots in use."""

    tier: str
    grants: Sequence[str]
    limits: Limits
    own_uids: bool
    taken: dict[int, int] = field(default_factory=dict)  # supervisor pid → slot

    def accept(self, control: socket.socket, lifeline: int) -> None:
        """Fork a supervisor for each job until the judge is gone."""
        self.alive, self.living = os.pipe()  # only this process holds the writing end
        poll = select.poll()
        poll.register(control, select.POLLIN)
        poll.register(lifeline, select.POLLIN)
        while True:
            ready = {descriptor for descriptor, _ in poll.poll(REAP_MS if self.taken else None)}
            self._free_slots()
            if lifeline in ready:
                return
            if control.fileno() in ready and not self._start(control, lifeline):
                return

    def _start(self, control: socket.socket, lifeline: int) -> bool:
        message, descriptors, _, _ = socket.recv_fds(control, MAX_MESSAGE, 2)
        if not message:
            return False
        stream, status = (socket.socket(fileno=descriptor) for descriptor in descriptors)
        slot = next((n for n in range(MAX_WORKERS) if n not in self.taken.values()), None)
        first = _FIRST_UID + os.getpid() * MAX_WORKERS % _UIDS
        limits = Limits(**{**self.limits.as_json(), **json.loads(message)})
        try:
            if slot is None:
                raise OSError(f"{MAX_WORKERS} workers are running already; grade with fewer jobs")
            supervisor = os.fork()
        except OSError as error:
            status.sendall(json.dumps({"cause": "refused", "reason": str(error)}).encode())
        else:
            if supervisor == 0:
                control.close()
                os.close(lifeline)
                os.close(self.living)
                uid = first + slot if self.own_uids else None
                supervise(Job(self.tier, self.grants, limits, uid, stream, status, self.alive))
            self.taken[supervisor] = slot
        stream.close()
        status.close()
        return True

    def _free_slots(self) -> None:
        try:
            while ended := os.waitpid(-1, os.WNOHANG)[0]:
                self.taken.pop(ended, None)
        except ChildProcessError:
            self.taken.clear()

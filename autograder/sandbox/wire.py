"""Messages between judge and worker: two lengths, a JSON tree, raw bytes.

Lengths are checked against fixed bounds before a byte is allocated, and every wait has a deadline:
the side that reads need not trust the side that writes.
"""

from __future__ import annotations

import json
import select
import socket
import struct
import time
from typing import Any

LENGTHS = struct.Struct("!II")
MAX_TREE = 8 * 2**20
MAX_PAYLOAD = 64 * 2**20

Tree = dict[str, Any]


class Malformed(Exception):
    """What arrived is no message, or what was to be sent is too large to be one."""


class Late(Exception):
    """The deadline passed before a whole message had gone through."""


class Channel:
    """One end of a stream socket. `until` is a time of `time.monotonic`; None waits for ever."""

    def __init__(self, stream: socket.socket):
        self.stream = stream
        stream.setblocking(False)

    def send(self, tree: Tree, payload: bytes = b"", until: float | None = None) -> None:
        """Raises Malformed when too large, Late, or OSError when the other side is gone."""
        text = json.dumps(tree).encode()
        if len(text) > MAX_TREE or len(payload) > MAX_PAYLOAD:
            raise Malformed(
                f"a message of {len(text) + len(payload)} bytes; at most {MAX_TREE >> 20} MiB of "
                f"text and {MAX_PAYLOAD >> 20} MiB of arrays can be carried"
            )
        for part in (LENGTHS.pack(len(text), len(payload)) + text, payload):
            self._send_all(memoryview(part), until)

    def receive(self, until: float | None = None) -> tuple[Tree, bytes]:
        """Raises EOFError at the end of the stream, Malformed, Late, or OSError."""
        length, payload_length = LENGTHS.unpack(self._read(LENGTHS.size, until))
        if length > MAX_TREE or payload_length > MAX_PAYLOAD:
            raise Malformed("a message whose announced length is beyond every bound")
        text = self._read(length, until)
        payload = self._read(payload_length, until)
        try:
            tree = json.loads(text)
        except (ValueError, RecursionError):
            raise Malformed("a message that is not JSON") from None
        if not isinstance(tree, dict):
            raise Malformed("a message that is not a JSON object")
        return tree, bytes(payload)

    def close(self) -> None:
        self.stream.close()

    def _send_all(self, part: memoryview, until: float | None) -> None:
        while part:
            try:
                part = part[self.stream.send(part) :]
            except (BlockingIOError, InterruptedError):
                self._wait(select.POLLOUT, until)

    def _read(self, count: int, until: float | None) -> bytearray:
        whole = bytearray(count)
        rest = memoryview(whole)
        while rest:
            try:
                got = self.stream.recv_into(rest)
            except (BlockingIOError, InterruptedError):
                self._wait(select.POLLIN, until)
                continue
            if not got:
                raise EOFError("the other side closed the stream")
            rest = rest[got:]
            if until is not None and time.monotonic() > until:
                raise Late  # a trickle of bytes is no answer either
        return whole

    def _wait(self, event: int, until: float | None) -> None:
        poll = select.poll()
        poll.register(self.stream, event)
        left = None if until is None else max(0.0, until - time.monotonic())
        if not poll.poll(None if left is None else left * 1000) and left is not None:
            raise Late

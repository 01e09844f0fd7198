"""Messages between judge and worker: two lengths, a JSON tree, raw bytes.

Lengths are checked against fixed bounds before anything is allocated, and every wait can have a
limit, so the reader need not trust the writer.
"""

import json
import select
import socket
import struct
import time
from typing import Any, Protocol

LENGTHS = struct.Struct("!II")
MAX_TREE = 8 * 2**20
MAX_PAYLOAD = 64 * 2**20

Tree = dict[str, Any]


class ProtocolError(Exception):
    """A message is not valid, or is too large to send."""


class Timeout(Exception):
    """The limit ran out before a whole message went through; the text says which limit."""


class Limit(Protocol):
    """How long one side waits for the other."""

    def left(self) -> float:
        """Seconds to wait before calling this again. Raises Timeout when the limit is reached."""
        ...


class WallClock:
    """A limit of `seconds` of wall-clock time, from now on."""

    def __init__(self, seconds: float):
        self.seconds, self._until = seconds, time.monotonic() + seconds

    def left(self) -> float:
        left = self._until - time.monotonic()
        if left <= 0:
            raise Timeout(f"no answer within {self.seconds:g} s")
        return left


class Channel:
    """One end of a stream socket. Without a `limit` it waits forever."""

    def __init__(self, stream: socket.socket):
        self.stream = stream
        stream.setblocking(False)

    def send(self, tree: Tree, payload: bytes = b"", limit: Limit | None = None) -> None:
        """Raises ProtocolError when too large, Timeout, or OSError when the other side is gone."""
        text = json.dumps(tree).encode()
        if len(text) > MAX_TREE or len(payload) > MAX_PAYLOAD:
            raise ProtocolError(
                f"a message of {len(text) + len(payload)} bytes; at most {MAX_TREE >> 20} MiB of "
                f"text and {MAX_PAYLOAD >> 20} MiB of arrays can be carried"
            )
        for part in (LENGTHS.pack(len(text), len(payload)) + text, payload):
            self._send_all(memoryview(part), limit)

    def receive(self, limit: Limit | None = None) -> tuple[Tree, bytes]:
        """Raises EOFError at the end of the stream, ProtocolError, Timeout, or OSError."""
        length, payload_length = LENGTHS.unpack(self._read(LENGTHS.size, limit))
        if length > MAX_TREE or payload_length > MAX_PAYLOAD:
            raise ProtocolError("a message whose announced length is above the maximum")
        text = self._read(length, limit)
        payload = self._read(payload_length, limit)
        try:
            tree = json.loads(text)
        except (ValueError, RecursionError):
            raise ProtocolError("a message that is not JSON") from None
        if not isinstance(tree, dict):
            raise ProtocolError("a message that is not a JSON object")
        return tree, bytes(payload)

    def close(self) -> None:
        self.stream.close()

    def _send_all(self, part: memoryview, limit: Limit | None) -> None:
        while part:
            try:
                part = part[self.stream.send(part) :]
            except (BlockingIOError, InterruptedError):
                self._wait(select.POLLOUT, limit)

    def _read(self, count: int, limit: Limit | None) -> bytearray:
        whole = bytearray(count)
        rest = memoryview(whole)
        while rest:
            try:
                got = self.stream.recv_into(rest)
            except (BlockingIOError, InterruptedError):
                self._wait(select.POLLIN, limit)
                continue
            if not got:
                raise EOFError("the other side closed the stream")
            rest = rest[got:]
            if rest and limit is not None:
                limit.left()  # a trickle of bytes must not extend the wait
        return whole

    def _wait(self, event: int, limit: Limit | None) -> None:
        poll = select.poll()
        poll.register(self.stream, event)
        ready: list[tuple[int, int]] = []
        while not ready:  # `limit.left` raises when the time is up
            ready = poll.poll(None if limit is None else limit.left() * 1000)

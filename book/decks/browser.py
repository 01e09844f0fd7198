"""A Chromium without a window that is asked by its DevTools protocol, over two pipes.

So one can wait for what a page says of itself, without a package that drives browsers.
"""

from __future__ import annotations

import contextlib
import json
import os
import selectors
import shutil
import signal
import tempfile
import time
from collections.abc import Iterator
from typing import Any

BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
OPTIONS = ("--headless", "--no-sandbox", "--disable-gpu", "--no-first-run")
_CHUNK = 1 << 20


class BrowserError(Exception):
    """The browser does not answer in time, or answers with an error."""


def installed() -> str | None:
    """The system's own browser, if it has one: nothing is downloaded."""
    return next(filter(None, map(shutil.which, BROWSERS)), None)


class Page:
    """A page of a running browser."""

    def __init__(self, asked: int, answered: int, seconds: float) -> None:
        self._asked, self._answered = asked, answered
        self._until = time.monotonic() + seconds
        self._number, self._left, self._session = 0, b"", ""
        target = self.ask("Target.createTarget", url="about:blank")["targetId"]
        attached = self.ask("Target.attachToTarget", targetId=target, flatten=True)
        self._session = attached["sessionId"]

    def ask(self, method: str, **parameters: Any) -> dict[str, Any]:
        """The answer to a command of the protocol. Raises BrowserError."""
        self._number += 1
        asked: dict[str, Any] = {"id": self._number, "method": method, "params": parameters}
        if self._session:
            asked["sessionId"] = self._session
        try:
            os.write(self._asked, json.dumps(asked).encode() + b"\0")
        except BrokenPipeError:
            raise BrowserError("it has ended") from None
        while True:
            said = json.loads(self._message())
            if said.get("id") == self._number:
                if "error" in said:
                    raise BrowserError(said["error"].get("message", method))
                return said["result"]  # type: ignore[no-any-return]

    def value(self, script: str) -> Any:
        """What a script in the page gives, once its promise is kept. Raises BrowserError."""
        said = self.ask(
            "Runtime.evaluate", expression=script, awaitPromise=True, returnByValue=True
        )
        if "exceptionDetails" in said:
            raise BrowserError(said["exceptionDetails"].get("text", script))
        return said["result"].get("value")

    def _message(self) -> bytes:
        """The next message, without the zero at its end."""
        with selectors.DefaultSelector() as waiting:
            waiting.register(self._answered, selectors.EVENT_READ)
            parts = [self._left]
            while b"\0" not in parts[-1]:
                if not waiting.select(max(self._until - time.monotonic(), 0)):
                    raise BrowserError("it gave no answer in time")
                data = os.read(self._answered, _CHUNK)
                if not data:
                    raise BrowserError("it has ended")
                parts.append(data)
        message, _, self._left = b"".join(parts).partition(b"\0")
        return message


@contextlib.contextmanager
def page(binary: str, address: str, seconds: float) -> Iterator[Page]:
    """A page at this address, in a browser that ends with it. Raises BrowserError."""
    asked, answered = os.pipe(), os.pipe()
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
        options = (*OPTIONS, "--remote-debugging-pipe", f"--user-data-dir={profile}")
        running = _start([binary, *options], asked[0], answered[1])
        try:
            opened = Page(asked[1], answered[0], seconds)
            opened.ask("Page.navigate", url=address)
            yield opened
        finally:
            for end in (asked[1], answered[0]):
                os.close(end)
            os.kill(running, signal.SIGTERM)
            os.waitpid(running, 0)


def _start(command: list[str], reads: int, writes: int) -> int:
    """Start a process that reads from file 3 and writes to file 4; both ends here are closed."""
    import fcntl  # not on Windows

    ends = [fcntl.fcntl(end, fcntl.F_DUPFD_CLOEXEC, 10) for end in (reads, writes)]
    quiet = [(os.POSIX_SPAWN_OPEN, out, os.devnull, os.O_WRONLY, 0) for out in (1, 2)]
    given = [(os.POSIX_SPAWN_DUP2, end, to) for to, end in enumerate(ends, 3)]
    try:
        return os.posix_spawnp(command[0], command, os.environ, file_actions=[*quiet, *given])
    finally:
        for end in (reads, writes, *ends):
            os.close(end)

"""A notebook's functions in a process of their own, which may hang or end: both sides of it.

A message is two lengths, a JSON tree and raw bytes: first `seam.loading`'s job, then the seam's
requests. What the notebook's own code prints is dropped.
"""

import contextlib
import json
import os
import queue
import struct
import subprocess
import sys
import threading
from dataclasses import asdict
from pathlib import Path
from typing import IO

from ..course.problem import Problem
from ..course.tree import root_of
from ..seam import StudentError
from ..seam.codec import Tree
from ..seam.errors import CRASHED, TIMEOUT
from ..seam.executor import Executor
from ..seam.loading import load
from .tree import reason, search_path
from .work import Work

LENGTHS = struct.Struct("!II")
Message = tuple[Tree, bytes]


class NotebookProcess:
    """The seam's backend for a notebook on its author's own machine; a context manager.

    `seconds`: for one call. A process that hangs or ends is replaced when the next test begins.
    """

    def __init__(self, work: Work, seconds: float, start_seconds: float):
        self.seconds, self.start_seconds = seconds, start_seconds
        self._folder = work.path.parent
        self._job = {
            "statements": [asdict(statement) for statement in work.collected.statements],
            "unavailable": work.collected.unavailable,
            "substitutes": [],
            "forbidden": work.assignment.forbidden_anywhere,
        }
        self._process: subprocess.Popen[bytes] | None = None
        self._answers: queue.Queue[Message | None] = queue.Queue()
        self._failure: StudentError | None = None  # of this test: what every further request raises

    def __enter__(self) -> "NotebookProcess":
        return self

    def __exit__(self, *_: object) -> None:
        self._end()

    def start(self) -> None:
        """Start a process and load the definitions. Raises StudentError, or Problem."""
        self._process = subprocess.Popen(
            [sys.executable, "-m", __name__],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            cwd=self._folder,
            env=os.environ | {"PYTHONPATH": search_path(root_of(Path.cwd())), "MPLBACKEND": "Agg"},
        )
        self._answers = queue.Queue()
        arguments = (self._process.stdout, self._answers)
        threading.Thread(target=_forward, args=arguments, daemon=True).start()
        self._exchange(self._job, b"", self.start_seconds)

    def request(self, request: Tree, payload: bytes, deadline: float | None = None) -> Message:
        """The answer of the notebook's side. Raises StudentError if it hangs or ends."""
        if request["verb"] == "begin":
            self._failure = None
            if self._process is None:
                self.start()
        if self._failure is not None:
            raise self._failure
        return self._exchange(request, payload, max(self.seconds, deadline or 0))

    def _exchange(self, tree: Tree, payload: bytes, seconds: float) -> Message:
        assert self._process is not None
        try:
            _send(self._process.stdin, tree, payload)
            answer = self._answers.get(timeout=seconds)
        except queue.Empty:
            self._failure = StudentError(TIMEOUT, f"none within {seconds:g} seconds")
        except OSError:
            answer = None
        if self._failure is None and answer is not None:
            return answer
        self._failure = self._failure or _end_of(self._process)
        self._end()
        raise self._failure

    def _end(self) -> None:
        if self._process is not None:
            process, self._process = self._process, None
            process.kill()
            process.wait()
            for stream in (process.stdin, process.stderr):
                with contextlib.suppress(OSError):  # a request that was not sent whole
                    stream.close()  # type: ignore[union-attr]


def _end_of(process: subprocess.Popen[bytes]) -> StudentError:
    """Why a process ended. Raises Problem if it could not even begin."""
    assert process.stderr is not None
    code = process.wait()
    errors = process.stderr.read().decode("utf-8", "replace").strip()
    if code and errors:  # from before the notebook's code began, so not by it
        raise Problem(reason(errors.splitlines()[-1]))
    return StudentError(CRASHED, f"exit code {code}")


def _forward(stream: IO[bytes], answers: queue.Queue[Message | None]) -> None:
    with stream, contextlib.suppress(EOFError, OSError, ValueError):
        while True:
            answers.put(_receive(stream))
    answers.put(None)


def _send(stream: IO[bytes] | None, tree: Tree, payload: bytes) -> None:
    assert stream is not None
    text = json.dumps(tree).encode()
    stream.write(LENGTHS.pack(len(text), len(payload)) + text + payload)
    stream.flush()


def _receive(stream: IO[bytes]) -> Message:
    """Raises EOFError at the end of the stream."""
    lengths = stream.read(LENGTHS.size)
    if len(lengths) < LENGTHS.size:
        raise EOFError
    length, payload_length = LENGTHS.unpack(lengths)
    return json.loads(stream.read(length)), stream.read(payload_length)


def main() -> None:
    requests, answers = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    nowhere = os.open(os.devnull, os.O_RDWR)
    for stream in range(3):
        os.dup2(nowhere, stream)
    job, _ = _receive(requests)
    namespace, unavailable, _ = load(job)
    executor = Executor(namespace, unavailable)
    _send(answers, {}, b"")
    while True:
        try:
            request, payload = _receive(requests)
        except EOFError:
            return
        _send(answers, *executor.respond(request, payload))


if __name__ == "__main__":
    main()

"""Starts and ends a warm process, from which the judge's workers are forked."""

import contextlib
import json
import os
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from select import select
from typing import Any

from grader.course.course import Course
from grader.course.tree import FILE

from ...sandbox import tiers
from ...sandbox.limits import Limits
from .connection import END_SECONDS, SandboxError, Workers

PROGRAM = Path(__file__).parents[2] / "sandbox" / "main.py"
OWN = Path(__file__).resolve().parents[3]  # where this program lies
START_SECONDS = 180.0  # enough for a first import of torch from a slow disk
NUMERICS = ("ATEN_CPU_CAPABILITY", "MKL_CBWR", "OPENBLAS_CORETYPE", "ONEDNN_MAX_CPU_ISA")
ENVIRONMENT = (  # variables that the warm process inherits
    *("PATH", "HOME", "LD_LIBRARY_PATH", "MPLCONFIGDIR", "XDG_CACHE_HOME", "TMPDIR"),
    *NUMERICS,  # so that a worker computes as the judge does
)


class WarmProcess:
    """A process that has imported an assignment's libraries once; workers are forked from it.

        with WarmProcess(student_tree, ["numpy", "torch"]) as warm:
            backend = RemoteBackend(warm.workers, Load(statements))

    `student_tree` holds the stubbed library; the course at `course_root` is hidden. `tier`
    selects one tier; without it the machine's
    best is used. Entering raises SandboxError if that is worse than `min_tier`.
    """

    def __init__(
        self,
        student_tree: Path,
        imports: Sequence[str] = ("numpy",),
        *,
        tier: str | None = None,
        min_tier: str = "C",
        limits: Limits | None = None,
        course_root: Path | None = None,
    ):
        self.min_tier = min_tier
        roots = {root for root in (course_root, OWN) if root and (root / FILE).exists()}
        self.configuration = {
            "student_tree": str(Path(student_tree).resolve()),
            "imports": list(imports),
            "tier": tier,
            "missing": {},
            "limits": (limits or Limits()).as_json(),
            "packages": _packages(),
            "answers": [str(root) for root in roots],
            "own": sorted({name for root in roots for name in Course.load(root / FILE).installed}),
        }
        self.workers: Workers
        self.missing: dict[str, str] = {}  # why each better tier does not work here
        self.seconds = 0.0  # how long the start took

    def __enter__(self) -> "WarmProcess":
        if not hasattr(os, "fork"):
            raise SandboxError(tiers.ON_WINDOWS)
        kind = socket.SOCK_SEQPACKET if sys.platform == "linux" else socket.SOCK_DGRAM
        control, theirs = socket.socketpair(socket.AF_UNIX, kind)
        self._errors = tempfile.TemporaryFile()
        self._process = subprocess.Popen(
            [sys.executable, "-I", "-B", "-X", "utf8", str(PROGRAM), str(theirs.fileno())],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._errors,
            pass_fds=[theirs.fileno()],
            env={name: os.environ[name] for name in ENVIRONMENT if name in os.environ},
            start_new_session=True,
        )
        theirs.close()
        self._control = control
        try:
            self._greet(control)
        except BaseException:
            self.close()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def pid(self) -> int:
        return self._process.pid

    def close(self) -> None:
        """End the warm process and every worker; none is left when this returns.

        Supervisors notice that it is gone, end their workers and exit. They inherit its standard
        output, so its end shows that all are gone. Raises SandboxError if one of them stays.
        """
        self._control.close()
        self._process.kill()
        self._process.wait()
        assert self._process.stdout is not None
        stdout = self._process.stdout.fileno()
        until = time.monotonic() + END_SECONDS
        while select([stdout], [], [], max(0.0, until - time.monotonic()))[0]:
            if not os.read(stdout, 4096):
                break
        else:
            raise SandboxError("a supervisor outlived its warm process: find it with `ps`, kill it")
        for pipe in (self._process.stdin, self._process.stdout, self._errors):
            with contextlib.suppress(OSError):
                pipe.close()  # type: ignore[union-attr]

    def _greet(self, control: socket.socket) -> None:
        answer = self._answer(json.dumps(self.configuration).encode() + b"\n")
        if "ready" not in answer:
            raise SandboxError(f"the warm process did not start: {answer.get('failed')}")
        ready = answer["ready"]
        if ready["tier"] > self.min_tier:
            reasons = "; ".join(f"{layer}: {why}" for layer, why in ready["missing"].items())
            raise SandboxError(
                f"this machine can isolate at tier {ready['tier']} only, but tier "
                f"{self.min_tier} is required ({reasons})"
            )
        self.missing, self.seconds = ready["missing"], ready["seconds"]
        self.workers = Workers(control, ready["tier"], tuple(ready["layers"]))

    def _answer(self, question: bytes) -> dict[str, Any]:
        process = self._process
        assert process.stdin is not None
        assert process.stdout is not None
        with contextlib.suppress(BrokenPipeError):
            process.stdin.write(question)
            process.stdin.flush()  # stays open: the warm process exits when it closes
        if not select([process.stdout], [], [], START_SECONDS)[0]:
            return {"failed": f"it was not ready after {START_SECONDS:g} s"}
        line = process.stdout.readline()
        if line:
            return json.loads(line)
        self._errors.seek(0)
        return {"failed": self._errors.read()[-2000:].decode("utf-8", "replace")}


def _packages() -> list[str]:
    """This interpreter's folders of installed packages, including the user's own."""
    names = ("site-packages", "dist-packages")
    found = [path for path in sys.path if Path(path).name in names and Path(path).is_dir()]
    return list(dict.fromkeys(found))

"""Finds the best tier a machine supports by applying each tier's layers in a child process."""

import functools
import json
import os
import shutil
import sys
import sysconfig
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import NoReturn

from . import confine, readable_files, tiers
from .limits import Limits
from .readable_files import SYSTEM, Readable
from .tiers import LayerFailed


@dataclass(frozen=True)
class Tier:
    """The best tier of this machine, and why each better one failed."""

    name: str
    missing: dict[str, str] = field(default_factory=dict)

    @property
    def layers(self) -> tuple[str, ...]:
        return tiers.LAYERS[self.name]


def detect() -> Tier:
    """Try A, B and C in forked children until every layer of a tier works; otherwise D.

    Takes about ten milliseconds. Raises RuntimeError on systems without fork.
    """
    if not hasattr(os, "fork"):
        raise RuntimeError(tiers.ON_WINDOWS)
    missing: dict[str, str] = {}
    for tier in "ABC" if sys.platform == "linux" else "":
        try:
            in_child(functools.partial(rehearse, tier))
        except LayerFailed as error:
            missing[f"{tier}: {error.layer}"] = error.reason
        else:
            return Tier(tier, missing)
    if sys.platform != "linux":
        missing["A, B, C"] = f"the layers need Linux; this is {sys.platform}"
    return Tier("D", missing)


def rehearse(tier: str) -> None:
    """Apply every layer of a tier in this process and a child, to see whether it works.

    This cannot be undone: call it in a process that exits afterwards. Raises LayerFailed.
    """
    stdlib = sysconfig.get_path("stdlib")
    readable = Readable(tuple(p for p in (*SYSTEM, stdlib) if os.path.exists(p)), ())
    grants = readable.grants()
    uid = 65_500 if confine.takes_own_uid(tier) else None
    confine.prepare(tier, readable)
    confine.separate(tier)
    scratch = readable_files.SCRATCH if tiers.VIEW in tiers.LAYERS[tier] else tempfile.mkdtemp()
    try:
        in_child(lambda: _try_out(tier, grants, uid, scratch))
    finally:
        if scratch != readable_files.SCRATCH:
            shutil.rmtree(scratch, ignore_errors=True)


def _try_out(tier: str, grants: Sequence[str], uid: int | None, scratch: str) -> None:
    if uid is not None and scratch != readable_files.SCRATCH:
        os.chown(scratch, uid, uid)
    confine.confine(tier, grants, Limits(), uid, scratch)
    Path(scratch, "written").write_text("by a worker")
    os.listdir(sysconfig.get_path("stdlib"))


def in_child(step: Callable[[], object]) -> None:
    """Run `step` in a forked child. Raises LayerFailed if it fails there."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        _report(step, writing)
    os.close(writing)
    with open(reading, "rb") as pipe:
        text = pipe.read()
    os.waitpid(child, 0)
    failure = json.loads(text or '["probe", "the process that tried it died"]')
    if failure:
        raise LayerFailed(*failure)


def _report(step: Callable[[], object], writing: int) -> NoReturn:
    """In the child: run the step, write what failed to the pipe as JSON, and exit."""
    failure: list[str] = ["probe", "did not finish"]
    try:
        step()
        failure = []
    except LayerFailed as error:
        failure = [error.layer, error.reason]
    except BaseException as error:
        failure = ["probe", f"{type(error).__name__}: {error}"]
    finally:
        os.write(writing, json.dumps(failure).encode())
        os._exit(0)

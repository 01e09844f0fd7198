"""The best tier of a machine, found by putting the layers of each on in a child."""

from __future__ import annotations

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

from . import confine, tiers, view
from .limits import Limits
from .readable import SYSTEM, Readable
from .tiers import LayerFailed


@dataclass(frozen=True)
class Tier:
    """The best tier of this machine, and what kept it from each better one."""

    letter: str
    missing: dict[str, str] = field(default_factory=dict)

    @property
    def layers(self) -> tuple[str, ...]:
        return tiers.LAYERS[self.letter]


def detect() -> Tier:
    """Put on the layers of A, B and C in forked children until a tier works to the end.

    Takes some ten milliseconds. Raises RuntimeError, in a sentence, where nothing can be forked.
    """
    if not hasattr(os, "fork"):
        raise RuntimeError(tiers.ON_WINDOWS)
    missing: dict[str, str] = {}
    for letter in "ABC" if sys.platform == "linux" else "":
        try:
            in_child(functools.partial(rehearse, letter))
        except LayerFailed as error:
            missing[f"{letter}: {error.layer}"] = error.reason
        else:
            return Tier(letter, missing)
    if sys.platform != "linux":
        missing["A, B, C"] = f"the layers are Linux's; this is {sys.platform}"
    return Tier("D", missing)


def rehearse(letter: str) -> None:
    """Put on every layer of a tier in this process and a child of it, to see whether it works.

    Never returns to what it was: for a process that ends afterwards. Raises LayerFailed.
    """
    stdlib = sysconfig.get_path("stdlib")
    readable = Readable(tuple(p for p in (*SYSTEM, stdlib) if os.path.exists(p)), ())
    grants = readable.grants()
    uid = 65_500 if confine.takes_own_uid(letter) else None
    confine.prepare(letter, readable)
    confine.separate(letter)
    scratch = view.SCRATCH if tiers.VIEW in tiers.LAYERS[letter] else tempfile.mkdtemp()
    try:
        in_child(lambda: _try_out(letter, grants, uid, scratch))
    finally:
        if scratch != view.SCRATCH:
            shutil.rmtree(scratch, ignore_errors=True)


def _try_out(letter: str, grants: Sequence[str], uid: int | None, scratch: str) -> None:
    if uid is not None and scratch != view.SCRATCH:
        os.chown(scratch, uid, uid)
    confine.confine(letter, grants, Limits(), uid, scratch)
    Path(scratch, "written").write_text("by a worker")
    os.listdir(sysconfig.get_path("stdlib"))


def in_child(step: Callable[[], object]) -> None:
    """Run `step` in a forked child, and raise here the LayerFailed that it raised there."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        _tell(step, writing)
    os.close(writing)
    with open(reading, "rb") as pipe:
        text = pipe.read()
    os.waitpid(child, 0)
    failure = json.loads(text or '["probe", "the process that tried it died"]')
    if failure:
        raise LayerFailed(*failure)


def _tell(step: Callable[[], object], writing: int) -> NoReturn:
    """In the child: run the step and write down what went wrong, if anything did."""
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

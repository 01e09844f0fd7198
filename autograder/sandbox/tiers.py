"""How well a machine can isolate: four tiers, and the layers that each promises.

    A  namespaces, a root and a uid of its own, a quota, Landlock, seccomp, limits  (root on Linux)
    B  the same without privileges, through a user namespace
    C  Landlock, seccomp, limits                                          (an ordinary container)
    D  limits only                               (any POSIX system: for submissions one trusts)

A tier is a promise: a worker on which one of its layers fails does not run.
"""

from __future__ import annotations

NAMESPACES, VIEW, UID, QUOTA = "namespaces", "view", "uid", "quota"
LANDLOCK, SECCOMP, LIMITS = "landlock", "seccomp", "limits"

LAYERS = {
    "A": (NAMESPACES, VIEW, UID, QUOTA, LANDLOCK, SECCOMP, LIMITS),
    "B": (NAMESPACES, VIEW, QUOTA, LANDLOCK, SECCOMP, LIMITS),
    "C": (LANDLOCK, SECCOMP, LIMITS),
    "D": (LIMITS,),
}

ON_WINDOWS = (
    "Grading needs processes that can be forked, which Windows does not have: grade inside WSL 2 "
    "or a Linux container. Building notebooks and reading results work here."
)


class LayerFailed(Exception):
    """One layer could not be put on: its name and why."""

    def __init__(self, layer: str, reason: str):
        super().__init__(f"{layer}: {reason}")
        self.layer, self.reason = layer, reason

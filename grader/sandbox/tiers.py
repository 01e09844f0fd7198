"""How well a machine can isolate a worker: four tiers, and the layers of each.

    A  namespaces, its own root and uid, a quota, Landlock, seccomp, limits  (root on Linux)
    B  the same without privileges, through a user namespace
    C  Landlock, seccomp, limits                                          (an ordinary container)
    D  limits only                               (any POSIX system: for trusted submissions only)

A worker does not run unless every layer of its tier works.
"""

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
    """A layer that could not be applied, and why."""

    def __init__(self, layer: str, reason: str):
        super().__init__(f"{layer}: {reason}")
        self.layer, self.reason = layer, reason

# What takes all time, processes, memory, disk or output, or ends with a crash.
# A cell is a submission: its first line is its name; what is above all cells is part of each.

import itertools
import mmap
import os
import signal
import sys
import time
from pathlib import Path

import numpy as np

# the source is searched for these names
ctypes = getattr(np.ctypeslib, "ctyp" + "es")


def scaled_scores(query, key):
    return query @ np.swapaxes(key, -1, -2) / np.sqrt(query.shape[-1])


# %% 01_infinite_loop
"""Never answers: every test that calls `softmax` times out; the others keep their points."""


def softmax(x, axis=-1):
    while True:
        pass


# %% 02_hides_its_time
"""Computes in one child after the other, and has the kernel forget each of them.

What the children computed counts.
"""


def softmax(x, axis=-1):
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    for _ in range(50):
        reading, writing = os.pipe()
        if os.fork() == 0:
            while time.process_time() < 0.25:
                pass
            os._exit(0)
        os.close(writing)
        os.read(reading, 1)  # until it has ended
        os.close(reading)
    return np.zeros(np.shape(x))


# %% 02_ignores_signals
"""Never answers, and refuses to be interrupted. The kill signal cannot be refused."""


def softmax(x, axis=-1):
    for number in set(signal.Signals) - {signal.SIGKILL, signal.SIGSTOP}:
        signal.signal(number, signal.SIG_IGN)
    while True:
        pass


# %% 02_sleeps_in_a_child
"""Sleeps in a child that its parent waits for as if it were about to start a program.

Such a wait does not pass for work.
"""

VFORK = 0x4000
CLONE = {"x86_64": 56, "aarch64": 220}[os.uname().machine]


def softmax(x, axis=-1):
    if ctypes.CDLL(None).syscall(CLONE, VFORK | signal.SIGCHLD, 0, 0, 0, 0) == 0:
        time.sleep(12)
        os._exit(0)
    return np.zeros(np.shape(x))


# %% 03_fork_bomb
"""Forks until no more processes can be created; all of them end."""


def softmax(x, axis=-1):
    while True:
        try:
            os.fork()
        except OSError:
            continue


# %% 04_fills_the_judge
"""Answers with a list of texts that is small, but huge as an array of texts of one length.

An answer is measured before it is used; a notebook that makes that array itself is out of memory.
"""


def softmax(x, axis=-1):
    return ["x" * 10**6] + [""] * 1500


# %% 04_memory_bomb
"""Keeps allocating memory."""


def softmax(x, axis=-1):
    kept = []
    while True:
        kept.append(np.ones(2**24))


# %% 04_memory_in_children
"""Spreads its memory over processes, each within the limit of one. The sum is limited as well."""


def softmax(x, axis=-1):
    for _ in range(8):
        if os.fork() == 0:
            kept = np.ones(2**25)
            while kept.any():
                time.sleep(1)
    time.sleep(60)


# %% 04_shared_memory
"""Allocates memory that counts toward no process: shared pages and in-memory files."""


def softmax(x, axis=-1):
    kept = []
    for number in range(64):
        try:
            kept.append(mmap.mmap(-1, 2**26))
            kept[-1].write(bytes(2**26))
        except OSError:
            Path(f"/dev/shm/{number}").write_bytes(bytes(2**24))
    return np.zeros(os.getpid())


# %% 05_disk_fill
"""Fills the disk: an OSError, because its folder is small."""


def softmax(x, axis=-1):
    for number in itertools.count():
        Path.home().joinpath(f"ballast{number}").write_bytes(os.urandom(2**20) * 16)


# %% 06_exits
"""Ends the process with the exit code of success, which proves nothing."""


def softmax(x, axis=-1):
    os._exit(0)


# %% 27_floods_output
"""Prints forever: a time-out, and the report shows the beginning of the output."""


def softmax(x, axis=-1):
    while True:
        print("all work and no play makes " * 1000)


# %% 27_floods_protocol
"""Writes garbage to the descriptor for answers, forever: a crash."""


def softmax(x, axis=-1):
    while True:
        for descriptor in range(3, 64):
            try:
                os.write(descriptor, b"\xff" * 65536)
            except OSError:
                continue


# %% 31_patched_clocks
"""Patches the clocks, then runs forever. Only the judge's clock counts."""


def softmax(x, axis=-1):
    time.time = time.monotonic = time.perf_counter = time.process_time = lambda: 0.0
    signal.signal(signal.SIGALRM, lambda *args: None)
    signal.setitimer(signal.ITIMER_REAL, 0.01, 0.01)
    while time.monotonic() < 1.0:
        pass


# %% 33_deep_recursion
"""Recurses through C code until the stack overflows."""


def softmax(x, axis=-1):
    sys.setrecursionlimit(10**9)
    return max([x], key=softmax)


# %% 33_segfault
"""Reads from address zero."""


def softmax(x, axis=-1):
    return ctypes.string_at(0)

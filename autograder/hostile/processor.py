# What takes all time and processes, or ends with a crash.
# A cell is a submission; its first line is its name.

# %% 01_infinite_loop
"""Never answers.

Expected: TIMEOUT of every test that calls `softmax`; the others keep their points.
"""

import numpy as np


def softmax(x, axis=-1):
    while True:
        x = x - np.max(x, axis=axis, keepdims=True)


def scaled_scores(query, key):
    return query @ np.swapaxes(key, -1, -2) / np.sqrt(query.shape[-1])


# %% 02_hides_its_time
"""Computes in one child after the other, and has the kernel forget each of them.

Expected: TIMEOUT of that test: what the children computed counts.
"""

import os
import signal
import time

import numpy as np


def softmax(x, axis=-1):
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    for _ in range(50):
        reading, writing = os.pipe()
        if os.fork() == 0:
            began = time.process_time()
            while time.process_time() - began < 0.25:
                pass
            os._exit(0)
        os.close(writing)
        os.read(reading, 1)  # until it has ended
        os.close(reading)
    return np.zeros(np.shape(x))


def scaled_scores(query, key):
    return query @ np.swapaxes(key, -1, -2) / np.sqrt(query.shape[-1])


# %% 02_ignores_signals
"""Never answers, and refuses to be interrupted.

Expected: TIMEOUT of every test that calls `softmax`: the kill signal cannot be refused.
"""

import signal

import numpy as np


def softmax(x, axis=-1):
    for number in set(signal.Signals) - {signal.SIGKILL, signal.SIGSTOP}:
        signal.signal(number, signal.SIG_IGN)
    while True:
        try:
            x = x - np.max(x, axis=axis, keepdims=True)
        except BaseException:
            continue


def scaled_scores(query, key):
    return query @ np.swapaxes(key, -1, -2) / np.sqrt(query.shape[-1])


# %% 02_sleeps_in_a_child
"""Sleeps in a child that its parent waits for as if it were about to start a program.

Expected: TIMEOUT of that test: such a wait does not pass for work.
"""

import ctypes
import os
import time

import numpy as np

VFORK = 0x4000
SIGCHLD = 17
CLONE = {"x86_64": 56, "aarch64": 220}[os.uname().machine]


def softmax(x, axis=-1):
    libc = ctypes.CDLL(None)
    if libc.syscall(CLONE, VFORK | SIGCHLD, 0, 0, 0, 0) == 0:
        time.sleep(12)
        os._exit(0)
    return np.zeros(np.shape(x))


def scaled_scores(query, key):
    return query @ np.swapaxes(key, -1, -2) / np.sqrt(query.shape[-1])


# %% 03_fork_bomb
"""Forks until no more processes can be created.

Expected: TIMEOUT of every test that calls `softmax`; none of the processes is left.
"""

import os

import numpy as np


def softmax(x, axis=-1):
    while True:
        try:
            os.fork()
        except OSError:
            np.max(x, axis=axis)


def scaled_scores(query, key):
    return query @ np.swapaxes(key, -1, -2) / np.sqrt(query.shape[-1])


# %% 31_patched_clocks
"""Patches the clocks, then runs forever.

Expected: TIMEOUT of every test that calls `softmax`: only the judge's clock counts.
"""

import signal
import time

import numpy as np


def frozen():
    return 0.0


def softmax(x, axis=-1):
    time.time = time.monotonic = time.perf_counter = time.process_time = frozen
    signal.signal(signal.SIGALRM, lambda *args: None)
    signal.setitimer(signal.ITIMER_REAL, 0.01, 0.01)
    while time.monotonic() < 1.0:
        x = x - np.max(x, axis=axis, keepdims=True)
    return x


def scaled_scores(query, key):
    return query @ np.swapaxes(key, -1, -2) / np.sqrt(query.shape[-1])


# %% 33_deep_recursion
"""Recurses through C code until the stack overflows.

Expected: CRASHED or a RecursionError in every test that calls `softmax`.
"""

import sys

import numpy as np


def descend(x):
    return max([x], key=descend)


def softmax(x, axis=-1):
    sys.setrecursionlimit(10**9)
    return descend(np.max(x, axis=axis))


def scaled_scores(query, key):
    return query @ np.swapaxes(key, -1, -2) / np.sqrt(query.shape[-1])


# %% 33_segfault
"""Reads from address zero.

Expected: CRASHED in every test that calls `softmax`.
"""

import ctypes

import numpy as np


def softmax(x, axis=-1):
    np.max(x, axis=axis)
    return ctypes.string_at(0)


def scaled_scores(query, key):
    return query @ np.swapaxes(key, -1, -2) / np.sqrt(query.shape[-1])

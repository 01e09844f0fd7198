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

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

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

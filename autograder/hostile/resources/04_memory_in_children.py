"""Spreads its memory over several processes, each within the limit of a process.

Expected: OOM of every test that calls `softmax`: the sum is limited as well.
"""

import os
import time

import numpy as np


def softmax(x, axis=-1):
    for _ in range(8):
        if os.fork() == 0:
            kept = np.ones(2**25) * np.max(x)
            while kept.any():
                time.sleep(1)
    time.sleep(60)


def scaled_scores(query, key):
    return query @ np.swapaxes(key, -1, -2) / np.sqrt(query.shape[-1])

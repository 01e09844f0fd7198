"""Keeps allocating memory.

Expected: OOM of every test that calls `softmax`.
"""

import numpy as np


def softmax(x, axis=-1):
    kept = []
    while True:
        kept.append(np.ones(2**24) * np.max(x))


def scaled_scores(query, key):
    return query @ np.swapaxes(key, -1, -2) / np.sqrt(query.shape[-1])

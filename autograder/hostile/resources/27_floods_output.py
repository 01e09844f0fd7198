"""Prints forever.

Expected: TIMEOUT of every test that calls `softmax`; the report shows the beginning of the output.
"""

import numpy as np


def softmax(x, axis=-1):
    while True:
        print("all work and no play makes " * 1000)


def scaled_scores(query, key):
    return query @ np.swapaxes(key, -1, -2) / np.sqrt(query.shape[-1])

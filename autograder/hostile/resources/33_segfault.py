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

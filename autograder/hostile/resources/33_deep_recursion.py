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

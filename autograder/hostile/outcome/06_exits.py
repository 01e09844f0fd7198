"""Ends the process with the exit code of success.

Expected: CRASHED in every test that calls `softmax`: exit codes prove nothing.
"""

import os

import numpy as np


def softmax(x, axis=-1):
    np.max(x, axis=axis)
    os._exit(0)


def scaled_scores(query, key):
    return query @ np.swapaxes(key, -1, -2) / np.sqrt(query.shape[-1])

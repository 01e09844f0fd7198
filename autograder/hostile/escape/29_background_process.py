"""Leaves a daemon behind, detached from its parents.

Expected: the score it would get anyway; the process ends with the worker.
"""

import os
import time

import numpy as np


def leave_behind():
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            while True:
                time.sleep(0.01)
        os._exit(0)


def softmax(x, axis=-1):
    leave_behind()
    e = np.exp(x - np.max(x, axis=axis, keepdims=True))
    return e / np.sum(e, axis=axis, keepdims=True)


def scaled_scores(query, key):
    return query @ np.swapaxes(key, -1, -2) / np.sqrt(query.shape[-1])

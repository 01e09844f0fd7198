"""Never answers, and refuses to be interrupted.

Expected: TIMEOUT of every test that calls `softmax`: the kill signal cannot be refused.
"""

import signal

import numpy as np


def softmax(x, axis=-1):
    for number in set(signal.Signals) - {signal.SIGKILL, signal.SIGSTOP}:
        signal.signal(number, signal.SIG_IGN)
    while True:
        try:
            x = x - np.max(x, axis=axis, keepdims=True)
        except BaseException:
            continue


def scaled_scores(query, key):
    return query @ np.swapaxes(key, -1, -2) / np.sqrt(query.shape[-1])

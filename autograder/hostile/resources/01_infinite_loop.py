"""Never answers.

Expected: TIMEOUT of every test that calls `softmax`; the others keep their points.
"""

import numpy as np


def softmax(x, axis=-1):
    while True:
        x = x - np.max(x, axis=axis, keepdims=True)


def scaled_scores(query, key):
    return query @ np.swapaxes(key, -1, -2) / np.sqrt(query.shape[-1])

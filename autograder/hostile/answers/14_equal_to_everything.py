"""Returns an object that claims to be equal to anything.

Expected: FAILED: the student's objects never reach a comparison.
"""

import numpy as np


class Anything:
    shape, dtype, ndim = (3,), np.dtype("float64"), 1

    def __eq__(self, other):
        return True

    def __hash__(self):
        return 0

    def __getattr__(self, name):
        return lambda *args, **kwargs: True

    def __array__(self, dtype=None, copy=None):
        return np.zeros(3)


def softmax(x, axis=-1):
    return Anything()


def scaled_scores(query, key):
    return query @ np.swapaxes(key, -1, -2) / np.sqrt(query.shape[-1])

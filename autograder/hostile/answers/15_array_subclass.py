"""Returns zeros in an array subclass whose comparisons are always true.

Expected: FAILED: what arrives is rebuilt as a plain array.
"""

import numpy as np


class Agreeable(np.ndarray):
    def __eq__(self, other):
        return np.ones(self.shape, bool)

    def __array_function__(self, function, types, args, kwargs):
        return True

    def __array_ufunc__(self, ufunc, method, *inputs, **kwargs):
        return np.ones(self.shape, bool)


def softmax(x, axis=-1):
    return np.zeros(np.shape(x)).view(Agreeable)


def scaled_scores(query, key):
    return query @ np.swapaxes(key, -1, -2) / np.sqrt(query.shape[-1])

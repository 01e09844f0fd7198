"""Makes every comparison succeed and returns zeros.

Expected: FAILED: the comparison happens in another process.
"""

import sys

import numpy as np


def always(*args, **kwargs):
    return True


def patch(function):
    np.allclose = np.array_equal = np.isclose = always
    np.testing.assert_allclose = np.testing.assert_array_equal = always
    if "torch" in sys.modules:
        sys.modules["torch"].allclose = sys.modules["torch"].equal = always
        sys.modules["torch"].testing.assert_close = always
    return function


@patch
def softmax(x, axis=-1):
    return np.zeros(np.shape(x))


def scaled_scores(query, key):
    return query @ np.swapaxes(key, -1, -2) / np.sqrt(query.shape[-1])

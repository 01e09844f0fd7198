"""Imports the solution and passes it off as its own.

Expected: LOAD_ERROR or NOT_WRITTEN: it is missing, or a stub.
"""

import numpy as np

from course_lib.numpy_forms.attention import softmax  # noqa: E402, F401


def scaled_scores(query, key):
    return query @ np.swapaxes(key, -1, -2) / np.sqrt(query.shape[-1])

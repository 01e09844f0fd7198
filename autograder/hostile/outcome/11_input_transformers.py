"""Makes IPython rewrite every later cell, including the checks.

Expected: FAILED: the grader does not use IPython.
"""

import numpy as np


def rewrite(lines):
    return ["10.0\n"]


def patch(function):
    try:
        from IPython import get_ipython

        get_ipython().input_transformers_cleanup.append(rewrite)
    except (ImportError, OSError, AttributeError):
        pass
    return function


@patch
def softmax(x, axis=-1):
    return np.zeros(np.shape(x))


def scaled_scores(query, key):
    return query @ np.swapaxes(key, -1, -2) / np.sqrt(query.shape[-1])

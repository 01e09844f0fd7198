"""Hides its errors: patches everything that reads or prints tracebacks.

Expected: FAILED or CRASHED: no answer means no points.
"""

import sys
import traceback

import numpy as np


def nothing(*args, **kwargs):
    return []


def softmax(x, axis=-1):
    for name in ("extract_tb", "format_exception", "print_exc", "format_tb"):
        setattr(traceback, name, nothing)
    sys.excepthook = nothing
    raise AssertionError("expected: equal, got: equal")


def scaled_scores(query, key):
    return query @ np.swapaxes(key, -1, -2) / np.sqrt(query.shape[-1])

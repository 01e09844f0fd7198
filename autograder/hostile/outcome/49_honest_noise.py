"""Honest but noisy: prints, warns, logs, takes its time and uses threads.

Expected: full marks.
"""

import logging
import sys
import time
import warnings
from concurrent.futures import ThreadPoolExecutor

import numpy as np


def softmax(x, axis=-1):
    print("softmax of", np.shape(x))
    warnings.warn("this is only a warning", stacklevel=1)
    logging.getLogger("student").error("and this a log entry")
    sys.stderr.write("and this is on stderr\n")
    time.sleep(0.01)
    with ThreadPoolExecutor(4) as pool:
        e = np.stack(list(pool.map(np.exp, x - np.max(x, axis=axis, keepdims=True))))
    return e / np.sum(e, axis=axis, keepdims=True)


def scaled_scores(query, key):
    return query @ np.swapaxes(key, -1, -2) / np.sqrt(query.shape[-1])

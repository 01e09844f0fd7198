"""Writes forged answers to the next requests to every open descriptor, in the protocol's format.

Expected: FAILED or CRASHED: it can only send wrong values, which it could do anyway.
"""

import json
import os
import struct

import numpy as np


def forged(number):
    text = json.dumps({"ok": {"k": "v", "v": 1.0}, "id": number}).encode()
    return struct.pack("!II", len(text), 0) + text


def softmax(x, axis=-1):
    for descriptor in range(3, 64):
        for number in range(8):
            try:
                os.write(descriptor, forged(number))
            except OSError:
                break
    return np.zeros(np.shape(x))


def scaled_scores(query, key):
    return query @ np.swapaxes(key, -1, -2) / np.sqrt(query.shape[-1])

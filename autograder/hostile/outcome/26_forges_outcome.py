"""Takes over the conversation with the judge, and answers every request with an error whose kind is
the word for a passed test.

Expected: FAILED: only kinds of failure are taken from an answer.
"""

import json
import os
import struct
import sys

import numpy as np

STREAM = 3


def received(count):
    parts = b""
    while len(parts) < count:
        try:
            part = os.read(STREAM, count - len(parts))
        except BlockingIOError:
            continue
        if not part:
            os._exit(0)
        parts += part
    return parts


def take_over():
    frame = sys._getframe()
    while "request" not in frame.f_locals or "channel" not in frame.f_locals:
        frame = frame.f_back
    number = frame.f_locals["request"]["id"]
    while True:
        text = json.dumps({"error": {"kind": "PASSED"}, "id": number}).encode()
        os.write(STREAM, struct.pack("!II", len(text), 0) + text)
        length, payload = struct.unpack("!II", received(8))
        number = json.loads(received(length))["id"]
        received(payload)


def softmax(x, axis=-1):
    take_over()
    return np.zeros(np.shape(x))


def scaled_scores(query, key):
    return query @ np.swapaxes(key, -1, -2) / np.sqrt(query.shape[-1])

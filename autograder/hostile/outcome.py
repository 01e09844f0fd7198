# What is after the outcome: it ends early, patches, forges.
# A cell is a submission; its first line is its name.

# %% 06_exits
"""Ends the process with the exit code of success.

Expected: CRASHED in every test that calls `softmax`: exit codes prove nothing.
"""

import os

import numpy as np


def softmax(x, axis=-1):
    np.max(x, axis=axis)
    os._exit(0)


def scaled_scores(query, key):
    return query @ np.swapaxes(key, -1, -2) / np.sqrt(query.shape[-1])


# %% 08_atexit
"""Arranges for its process to end with the exit code of success.

Expected: the score it would get anyway.
"""

import atexit
import os

import numpy as np


def succeed(function):
    atexit.register(os._exit, 0)
    return function


@succeed
def softmax(x, axis=-1):
    e = np.exp(x / 1 - np.max(x / 1, axis=axis, keepdims=True))
    return e / np.sum(e, axis=axis, keepdims=True)


def scaled_scores(query, key):
    return query @ np.swapaxes(key, -1, -2) / np.sqrt(query.shape[-1])


# %% 09_patches_allclose
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


# %% 10_patches_builtins
"""Replaces built-in functions, pytest's and unittest's assertions; returns zeros.

Expected: FAILED: the tests run in another process.
"""

import builtins
import sys
import unittest

import numpy as np


class Agreeable:
    """Takes the place of pytest."""

    def __getattr__(self, name):
        return lambda *args, **kwargs: self


def patch(function):
    sys.modules["pytest"] = sys.modules["_pytest"] = Agreeable()
    for name in dir(unittest.TestCase):
        if name.startswith("assert"):
            setattr(unittest.TestCase, name, lambda *args, **kwargs: None)
    builtins.all = builtins.any = lambda values: True
    builtins.abs = builtins.sum = lambda *args, **kwargs: 0
    return function


@patch
def softmax(x, axis=-1):
    return np.zeros(np.shape(x))


def scaled_scores(query, key):
    return query @ np.swapaxes(key, -1, -2) / np.sqrt(query.shape[-1])


# %% 11_input_transformers
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


# %% 12_forged_kernel_messages
"""Prints what a Jupyter kernel would send after a cell that earned full points.

Expected: FAILED: the grader does not use a kernel.
"""

import json
import sys

import numpy as np


def softmax(x, axis=-1):
    content = {"status": "ok", "data": {"text/plain": "10.0"}, "execution_count": 1}
    for kind in ("execute_result", "execute_reply"):
        message = {"header": {"msg_type": kind}, "content": content}
        print("<IDS|MSG>", json.dumps(message), file=sys.__stdout__, flush=True)
    return np.zeros(np.shape(x))


def scaled_scores(query, key):
    return query @ np.swapaxes(key, -1, -2) / np.sqrt(query.shape[-1])


# %% 13_patched_traceback
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


# %% 25_forges_stdout
"""Prints a report with full marks.

Expected: FAILED: output is shown to people, never parsed.
"""

import json
import sys

import numpy as np


def softmax(x, axis=-1):
    print(json.dumps({"outcome": "GRADED", "totals": {"points": 100}, "tests": []}))
    print("======= 100 passed in 0.01s =======", file=sys.stderr)
    return np.zeros(np.shape(x))


def scaled_scores(query, key):
    return query @ np.swapaxes(key, -1, -2) / np.sqrt(query.shape[-1])


# %% 26_forges_outcome
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


# %% 26_forges_protocol
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


# %% 49_honest_noise
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
        e = np.stack(list(pool.map(np.exp, x / 1 - np.max(x / 1, axis=axis, keepdims=True))))
    return e / np.sum(e, axis=axis, keepdims=True)


def scaled_scores(query, key):
    return query @ np.swapaxes(key, -1, -2) / np.sqrt(query.shape[-1])

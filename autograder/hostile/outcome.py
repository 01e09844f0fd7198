# What is after the outcome: it patches, pretends, forges.
# A cell is a submission: its first line is its name; what is above all cells is part of each.
# A class is executed when the notebook is loaded.

import builtins
import json
import logging
import os
import struct
import sys
import time
import traceback
import unittest
import warnings
from concurrent.futures import ThreadPoolExecutor

import numpy as np

STREAM = 3  # to the judge and back


def softmax(x, axis=-1):
    return np.zeros(np.shape(x))


def scaled_scores(query, key):
    return query @ np.swapaxes(key, -1, -2) / np.sqrt(query.shape[-1])


def message(**content):
    """A message to the judge, in the protocol's format."""
    text = json.dumps(content).encode()
    return struct.pack("!II", len(text), 0) + text


# %% 09_patches_allclose
"""Makes every comparison succeed. The comparison happens in another process."""


def always(*args, **kwargs):
    return True


class Patch:
    np.allclose = np.array_equal = np.isclose = always
    np.testing.assert_allclose = np.testing.assert_array_equal = always
    if "torch" in sys.modules:
        sys.modules["torch"].allclose = sys.modules["torch"].equal = always
        sys.modules["torch"].testing.assert_close = always


# %% 10_patches_builtins
"""Replaces built-in functions, pytest's and unittest's assertions, in the wrong process."""


class Agreeable:
    """Takes the place of pytest."""

    def __getattr__(self, name):
        return lambda *args, **kwargs: self


class Patch:
    sys.modules["pytest"] = sys.modules["_pytest"] = Agreeable()
    for name in dir(unittest.TestCase):
        if name.startswith("assert"):
            setattr(unittest.TestCase, name, lambda *args, **kwargs: None)
    builtins.all = builtins.any = lambda values: True
    builtins.abs = builtins.sum = lambda *args, **kwargs: 0


# %% 11_input_transformers
"""Makes IPython, which the grader does not use, rewrite every later cell, checks included."""


class Patch:
    try:
        from IPython import get_ipython

        get_ipython().input_transformers_cleanup.append(lambda lines: ["10.0\n"])
    except (ImportError, OSError, AttributeError):
        pass


# %% 13_patched_traceback
"""Hides its errors: patches everything that reads or prints tracebacks. No answer, no points."""


def nothing(*args, **kwargs):
    return []


def softmax(x, axis=-1):
    for name in ("extract_tb", "format_exception", "print_exc", "format_tb"):
        setattr(traceback, name, nothing)
    sys.excepthook = nothing
    raise AssertionError("expected: equal, got: equal")


# %% 14_equal_to_everything
"""Returns an object that claims to be equal to anything. It never reaches a comparison."""


class Anything:
    shape, dtype, ndim = (3,), np.dtype("float64"), 1

    def __eq__(self, other):
        return True

    def __getattr__(self, name):
        return lambda *args, **kwargs: True

    def __array__(self, dtype=None, copy=None):
        return np.zeros(3)


def softmax(x, axis=-1):
    return Anything()


# %% 15_array_subclass
"""Returns zeros in an array subclass that is equal to all; it is rebuilt as a plain array."""


class Agreeable(np.ndarray):
    def __array_function__(self, function, types, args, kwargs):
        return True

    def __array_ufunc__(self, ufunc, method, *inputs, **kwargs):
        return np.ones(self.shape, bool)


def softmax(x, axis=-1):
    return np.zeros(np.shape(x)).view(Agreeable)


# %% 15_tensor_subclass
"""Returns zeros in a tensor subclass that is equal to all; it is rebuilt as a plain tensor."""

import torch


class Agreeable(torch.Tensor):
    @classmethod
    def __torch_function__(cls, function, types, args=(), kwargs=None):
        if "eq" in function.__name__ or "close" in function.__name__:
            return True
        return super().__torch_function__(function, types, args, kwargs or {})


def softmax(x, axis=-1):
    return torch.zeros(np.shape(x)).as_subclass(Agreeable)


# %% 25_forges_stdout
"""Prints a report with full marks, and what a Jupyter kernel would send after earning them.

Output is shown to people, never parsed, and the grader does not use a kernel.
"""


def softmax(x, axis=-1):
    print(json.dumps({"outcome": "GRADED", "totals": {"points": 100}, "tests": []}))
    print("======= 100 passed in 0.01s =======", file=sys.stderr)
    content = {"status": "ok", "data": {"text/plain": "10.0"}, "execution_count": 1}
    for kind in ("execute_result", "execute_reply"):
        forged = {"header": {"msg_type": kind}, "content": content}
        print("<IDS|MSG>", json.dumps(forged), file=sys.__stdout__, flush=True)
    return np.zeros(np.shape(x))


# %% 26_forges_outcome
"""Takes over the conversation with the judge, and answers every request with an error whose kind is
the word for a passed test. Only kinds of failure are taken from an answer.
"""


def received(count):
    os.set_blocking(STREAM, True)
    parts = b""
    while len(parts) < count:
        parts += os.read(STREAM, count - len(parts)) or os._exit(0)
    return parts


def softmax(x, axis=-1):
    frame = sys._getframe()
    while "request" not in frame.f_locals or "channel" not in frame.f_locals:
        frame = frame.f_back
    number = frame.f_locals["request"]["id"]
    while True:
        os.write(STREAM, message(error={"kind": "PASSED"}, id=number))
        length, payload = struct.unpack("!II", received(8))
        number = json.loads(received(length))["id"]
        received(payload)


# %% 26_forges_protocol
"""Forges answers to the next requests. They can only be wrong, which they could be anyway."""


def softmax(x, axis=-1):
    for descriptor in range(3, 64):
        for number in range(8):
            try:
                os.write(descriptor, message(ok={"k": "v", "v": 1.0}, id=number))
            except OSError:
                break
    return np.zeros(np.shape(x))


# %% 49_honest_noise
"""Honest but noisy: prints, warns, logs, takes its time and uses threads. Full marks."""


def softmax(x, axis=-1):
    print("softmax of", np.shape(x))
    warnings.warn("this is only a warning", stacklevel=1)
    logging.getLogger("student").error("and this a log entry")
    sys.stderr.write("and this is on stderr\n")
    time.sleep(0.01)
    with ThreadPoolExecutor(4) as pool:
        e = np.stack(list(pool.map(np.exp, x / 1 - np.max(x / 1, axis=axis, keepdims=True))))
    return e / np.sum(e, axis=axis, keepdims=True)

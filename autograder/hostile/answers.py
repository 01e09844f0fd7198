# What is after the answers: equal to everything, or searching for them.
# A cell is a submission; its first line is its name.

# %% 14_equal_to_everything
"""Returns an object that claims to be equal to anything.

Expected: FAILED: the student's objects never reach a comparison.
"""

import numpy as np


class Anything:
    shape, dtype, ndim = (3,), np.dtype("float64"), 1

    def __eq__(self, other):
        return True

    def __hash__(self):
        return 0

    def __getattr__(self, name):
        return lambda *args, **kwargs: True

    def __array__(self, dtype=None, copy=None):
        return np.zeros(3)


def softmax(x, axis=-1):
    return Anything()


def scaled_scores(query, key):
    return query @ np.swapaxes(key, -1, -2) / np.sqrt(query.shape[-1])


# %% 15_array_subclass
"""Returns zeros in an array subclass whose comparisons are always true.

Expected: FAILED: what arrives is rebuilt as a plain array.
"""

import numpy as np


class Agreeable(np.ndarray):
    def __eq__(self, other):
        return np.ones(self.shape, bool)

    def __array_function__(self, function, types, args, kwargs):
        return True

    def __array_ufunc__(self, ufunc, method, *inputs, **kwargs):
        return np.ones(self.shape, bool)


def softmax(x, axis=-1):
    return np.zeros(np.shape(x)).view(Agreeable)


def scaled_scores(query, key):
    return query @ np.swapaxes(key, -1, -2) / np.sqrt(query.shape[-1])


# %% 15_tensor_subclass
"""Returns zeros in a tensor subclass whose comparisons are always true.

Expected: FAILED: what arrives is rebuilt as a plain tensor.
"""

import numpy as np
import torch


class Agreeable(torch.Tensor):
    @classmethod
    def __torch_function__(cls, function, types, args=(), kwargs=None):
        if "eq" in function.__name__ or "close" in function.__name__:
            return True
        return super().__torch_function__(function, types, args, kwargs or {})


def softmax(x, axis=-1):
    return torch.zeros(np.shape(x)).as_subclass(Agreeable)


def scaled_scores(query, key):
    return query @ np.swapaxes(key, -1, -2) / np.sqrt(query.shape[-1])


# %% 16_searches_frames
"""Looks for the expected value in its callers' frames and in all live objects.

Expected: FAILED: it is in another process.
"""

import gc
import sys

import numpy as np


def candidates():
    frame = sys._getframe()
    while frame is not None:
        yield from list(frame.f_locals.values())
        frame = frame.f_back
    yield from gc.get_objects()


def search():
    """Strings that mention tests, suites or solutions."""
    found = []
    for thing in candidates():
        if isinstance(thing, dict):
            found += [str(key) for key in list(thing) if str(key).startswith(("test_", "want"))]
        elif isinstance(thing, str) and ("suites" in thing or "solutions" in thing):
            found.append(thing)
    return sorted(set(found))


def softmax(x, axis=-1):
    for thing in candidates():
        fits = isinstance(thing, np.ndarray) and thing.shape == np.shape(x)
        if fits and np.allclose(thing.sum(axis), 1):
            return thing
    return np.zeros(np.shape(x))


def scaled_scores(query, key):
    return query @ np.swapaxes(key, -1, -2) / np.sqrt(query.shape[-1])


# %% 17_searches_modules
"""Looks for the answer in imported modules, and imports others that may have it.

Expected: FAILED or NOT_WRITTEN: the modules in this process contain only stubs.
"""

import importlib
import sys

import numpy as np

MODULES = (
    "autograder", "autograder.suites", "grader.judge.grade", "autograder.a1",
    "solutions", "solutions.a1", "tests",
    "course_lib.numpy_forms.attention", "course_lib.attention",
)  # fmt: skip


def search():
    """Modules of the course beyond the seam, and functions that might be the answer."""
    found = [name for name in sys.modules if name.startswith(("autograder", "solutions", "tests"))]
    for name in MODULES:
        try:
            module = importlib.import_module(name)
        except (ImportError, OSError):
            continue
        found += [f"{name}.{each}" for each in vars(module) if not each.startswith("__")]
    return found


def softmax(x, axis=-1):
    for name in search():
        module, _, attribute = name.rpartition(".")
        if attribute == "softmax":
            return getattr(sys.modules[module], attribute)(x, axis)
    return np.zeros(np.shape(x))


def scaled_scores(query, key):
    return query @ np.swapaxes(key, -1, -2) / np.sqrt(query.shape[-1])


# %% 18_keeps_right_forms
"""Keeps the right form that a rerun gets, passes it on, and crashes its first try on purpose.

The second try, in another worker, looks for it in a message queue, in files, and in shared memory.

Expected: CRASHED: no rerun comes before the second try, and no way leads from one to the other.
"""

import ctypes
import os

import numpy as np

from grader.seam import loading

KEY = 0x6B657074
CREATE = 0o1666
NO_WAIT = 0o4000
FILES = ("/tmp/kept", "/var/tmp/kept", "/dev/shm/kept", "/scratch/kept")


class Message(ctypes.Structure):
    _fields_ = (("kind", ctypes.c_long), ("text", ctypes.c_char * 4000))


def pass_on(source):
    libc = ctypes.CDLL(None)
    message = Message(1, source.encode()[:3999])
    libc.msgsnd(libc.msgget(KEY, CREATE), ctypes.byref(message), 4000, NO_WAIT)
    for path in FILES:
        try:
            with open(path, "w") as file:
                file.write(source)
        except OSError:
            continue


def passed_on():
    libc, message = ctypes.CDLL(None), Message()
    if libc.msgrcv(libc.msgget(KEY, CREATE), ctypes.byref(message), 4000, 0, NO_WAIT) > 0:
        return message.text.decode()
    for path in FILES:
        if os.path.exists(path):
            with open(path) as file:
                return file.read()
    return ""


class Loader:
    honest = loading._execute

    def keep(statement, namespace):
        if statement["cell"] == 0 and "def softmax" in statement["source"]:
            pass_on(statement["source"])
        return Loader.honest(statement, namespace)

    loading._execute = keep


def softmax(x, axis=-1):
    scope = {"np": np}
    exec("from scipy.special import logsumexp", scope)
    exec(passed_on(), scope)
    if "softmax" not in scope:
        os._exit(1)
    return scope["softmax"](x, axis)


def scaled_scores(query, key):
    return query @ np.swapaxes(key, -1, -2) / np.sqrt(query.shape[-1])


# %% 18_searches_disk
"""Reads every file that may contain the answer, wherever the checkout may be.

Expected: FAILED or NOT_WRITTEN: it finds only stubs; it cannot open the checkout.
"""

import os
import site
import sys
from pathlib import Path

import numpy as np

SIGNS = ("def test_1_1", "@exercise(", "Positive weights that sum to one", 'title = "The Transf')
PLACES = ("/home", "/root", "/tmp", "/opt", "/srv", "/var", "/mnt", "/etc", "/proc/1/cwd")


def folders():
    """Where a checkout may be: targets of installations, and common folders."""
    for packages in [*sys.path, *site.getsitepackages()]:
        yield os.path.join(packages, "course_lib")
        yield os.path.join(packages, "autograder")
        try:
            pointers = [name for name in os.listdir(packages) if name.endswith(".pth")]
            yield from (Path(packages, name).read_text().strip() for name in pointers)
        except OSError:
            pass
        while len(packages) > 1:
            packages = os.path.dirname(packages)
            yield packages
    yield from PLACES


def search():
    """Paths of readable files that look like the course's own."""
    found, looked_at = [], 0
    for folder in dict.fromkeys(folders()):
        for place, inner, files in os.walk(folder):
            inner[:] = [n for n in inner if n not in ("site-packages", "dist-packages", "proc")]
            for name in files:
                looked_at += 1
                if looked_at > 20_000 or not name.endswith((".py", ".toml", ".ipynb", ".db")):
                    continue
                try:
                    with open(os.path.join(place, name), errors="replace") as file:
                        text = file.read(100_000)
                except OSError:
                    continue
                if any(sign in text for sign in SIGNS):
                    found.append(os.path.join(place, name))
    return found


def softmax(x, axis=-1):
    for path in search():
        scope = {}
        exec(Path(path).read_text(), scope)
        if "softmax" in scope:
            return scope["softmax"](x, axis)
    return np.zeros(np.shape(x))


def scaled_scores(query, key):
    return query @ np.swapaxes(key, -1, -2) / np.sqrt(query.shape[-1])


# %% 35_imports_solution
"""Imports the solution and passes it off as its own.

Expected: LOAD_ERROR or NOT_WRITTEN: it is missing, or a stub.
"""

import numpy as np

from course_lib.numpy_forms.attention import softmax  # noqa: E402, F401


def scaled_scores(query, key):
    return query @ np.swapaxes(key, -1, -2) / np.sqrt(query.shape[-1])

# What searches for the answers.
# A cell is a submission: its first line is its name; what is above all cells is part of each.

import builtins
import contextlib
import gc
import os
import site
import sys
from pathlib import Path

import numpy as np

# the source is searched for these names
ctypes = getattr(np.ctypeslib, "ctyp" + "es")
run, imported = (getattr(builtins, name) for name in ("ex" + "ec", "__imp" + "ort__"))


def scaled_scores(query, key):
    return query @ np.swapaxes(key, -1, -2) / np.sqrt(query.shape[-1])


# %% 16_searches_frames
"""Looks in its callers' frames and all live objects for what is expected, in another process."""


def candidates():
    frame = sys._getframe()
    while frame is not None:
        yield from list(frame.f_locals.values())
        frame = frame.f_back
    yield from gc.get_objects()


def search():
    """Strings that mention tests, suites or solutions."""
    found = set()
    for thing in candidates():
        if isinstance(thing, dict):
            found |= {str(key) for key in list(thing) if str(key).startswith(("test_", "want"))}
        elif isinstance(thing, str) and ("suites" in thing or "solutions" in thing):
            found.add(thing)
    return sorted(found)


def softmax(x, axis=-1):
    for thing in candidates():
        fits = isinstance(thing, np.ndarray) and thing.shape == np.shape(x)
        if fits and np.allclose(thing.sum(axis), 1):
            return thing
    return np.zeros(np.shape(x))


# %% 17_searches_modules
"""Looks for the answer in modules, imported or not, which contain only stubs here."""

MODULES = """
    autograder autograder.a1 autograder.a1.reference grader.judge.grade solutions solutions.a1 tests
    course_lib.numpy_forms.attention course_lib.attention
""".split()


def search():
    """Modules of the course beyond the seam, and functions that might be the answer."""
    found = [name for name in sys.modules if name.startswith(("autograder", "solutions", "tests"))]
    for name in MODULES:
        try:
            module = imported(name, fromlist=["x"])
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


# %% 18_keeps_right_forms
"""Keeps the right form that a rerun gets, passes it on, and crashes its first try on purpose.

The second try, in another worker, looks for it in a message queue, in files, and in shared memory.
No rerun comes before the second try, and no way leads from one to the other.
"""

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
            Path(path).write_text(source)
        except OSError:
            continue


def passed_on():
    libc, message = ctypes.CDLL(None), Message()
    if libc.msgrcv(libc.msgget(KEY, CREATE), ctypes.byref(message), 4000, 0, NO_WAIT) > 0:
        return message.text.decode()
    return next((Path(path).read_text() for path in FILES if os.path.exists(path)), "")


class Loader:
    honest = loading._execute

    def keep(statement, *arguments):
        if statement["cell"] == 0 and "def softmax" in statement["source"]:
            pass_on(statement["source"])
        return Loader.honest(statement, *arguments)

    loading._execute = keep


def softmax(x, axis=-1):
    scope = {"np": np}
    run("from scipy.special import logsumexp", scope)
    run(passed_on(), scope)
    if "softmax" not in scope:
        os._exit(1)
    return scope["softmax"](x, axis)


# %% 18_searches_disk
"""Reads every file that may contain the answer, but cannot open the checkout, wherever it is."""

SIGNS = ("def test_1_1", "@question(", "Positive weights that sum to one", 'title = "The Transf')
PLACES = ("/home", "/root", "/tmp", "/opt", "/srv", "/var", "/mnt", "/etc", "/proc/1/cwd")


def folders():
    """Where a checkout may be: targets of installations, and common folders."""
    for packages in map(Path, [*sys.path, *site.getsitepackages()]):
        yield from (packages / "course_lib", packages / "autograder")
        with contextlib.suppress(OSError):
            yield from (path.read_text().strip() for path in packages.glob("*.pth"))
        yield from packages.parents
    yield from PLACES


def search():
    """Paths of readable files that look like the course's own."""
    found, looked_at = [], 0
    for folder in dict.fromkeys(map(str, folders())):
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
        run(Path(path).read_text(), scope)
        if "softmax" in scope:
            return scope["softmax"](x, axis)
    return np.zeros(np.shape(x))


# %% 35_imports_solution
"""Imports the solution and passes it off as its own. It is missing, or a stub."""

from course_lib.numpy_forms.attention import softmax  # noqa: E402, F401

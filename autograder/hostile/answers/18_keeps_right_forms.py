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

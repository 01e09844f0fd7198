# What is after the machine: files, network, other processes.
# A cell is a submission; its first line is its name.

# %% 19_writes_gradebook
"""Writes to anything that looks like a gradebook or a results file, and leaves files behind.

Expected: FAILED: nothing outside its own folder can be written.
"""

import os
import sqlite3
import sys

import numpy as np

NAMES = ("gradebook.db", "results.json", "grades.csv", "sitecustomize.py")


def search():
    """Files that could be written outside the process's own folder."""
    home, written = os.path.realpath(os.environ["HOME"]), []
    places = ["/", "/tmp", "/var/tmp", "/dev", "/etc", "/usr", "/home", *sys.path, "/proc/self"]
    for place in (os.path.realpath(place) for place in places):
        for name in NAMES:
            path = os.path.join(place, name)
            if path.startswith((home, "/dev/shm")):
                continue
            try:
                with open(path, "a") as file:
                    file.write("full marks")
                written.append(path)
                os.remove(path)
            except OSError:
                continue
    return written


def softmax(x, axis=-1):
    for path in search():
        sqlite3.connect(path).execute("UPDATE score SET points = 100")
    return np.zeros(np.shape(x))


def scaled_scores(query, key):
    return query @ np.swapaxes(key, -1, -2) / np.sqrt(query.shape[-1])


# %% 28_network
"""Tries to get the answer from the network.

Expected: an OSError in every test that calls `softmax`.
"""

import socket

import numpy as np


def softmax(x, axis=-1):
    with socket.create_connection(("192.0.2.1", 80), timeout=1) as connection:
        connection.sendall(b"GET /softmax HTTP/1.0\r\n\r\n")
        return np.frombuffer(connection.recv(65536))


def scaled_scores(query, key):
    return query @ np.swapaxes(key, -1, -2) / np.sqrt(query.shape[-1])


# %% 29_background_process
"""Leaves a daemon behind, detached from its parents: one a worker, as many would meet the limit of
processes, which is another attack.

Expected: the score it would get anyway; the process ends with the worker.
"""

import os
import time
from functools import cache

import numpy as np


@cache
def leave_behind():
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            while True:
                time.sleep(0.01)
        os._exit(0)


def softmax(x, axis=-1):
    leave_behind()
    e = np.exp(x / 1 - np.max(x / 1, axis=axis, keepdims=True))
    return e / np.sum(e, axis=axis, keepdims=True)


def scaled_scores(query, key):
    return query @ np.swapaxes(key, -1, -2) / np.sqrt(query.shape[-1])


# %% 30_kills_everyone
"""Sends the kill signal to every process it may, and to its parents.

Expected: the score it would get anyway: no other process is within reach.
"""

import os
import signal

import numpy as np


def kill_everyone():
    for target in (-1, os.getppid(), *range(2, 100)):
        try:
            if target not in (0, os.getpid()):
                os.kill(target, signal.SIGKILL)
        except OSError:
            continue


def softmax(x, axis=-1):
    kill_everyone()
    e = np.exp(x / 1 - np.max(x / 1, axis=axis, keepdims=True))
    return e / np.sum(e, axis=axis, keepdims=True)


def scaled_scores(query, key):
    return query @ np.swapaxes(key, -1, -2) / np.sqrt(query.shape[-1])


# %% 32_escapes
"""Tries system calls that would break out: tracing, namespaces, mounts, another user, a new root.

Expected: FAILED: all of them are refused.
"""

import ctypes
import os

import numpy as np


def attempts():
    """Each attempt by name; a result of 0 or more means that it worked."""
    libc = ctypes.CDLL(None)
    yield "ptrace", libc.ptrace(0, 0, 0, 0)
    yield "unshare", libc.unshare(0x10000000)
    yield "mount", libc.mount(b"none", os.getcwd().encode(), b"tmpfs", 0, None)
    yield "setuid", libc.setuid(0)
    yield "setgroups", libc.setgroups(0, None)
    yield "chroot", libc.chroot(b"/")
    yield "setns", libc.setns(0, 0)
    yield "memory without a limit", libc.memfd_create(b"a", 0)


def search():
    return [name for name, result in attempts() if result >= 0]


def softmax(x, axis=-1):
    search()
    return np.zeros(np.shape(x))


def scaled_scores(query, key):
    return query @ np.swapaxes(key, -1, -2) / np.sqrt(query.shape[-1])

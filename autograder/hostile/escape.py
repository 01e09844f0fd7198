# What is after the machine: files, network, other processes.
# A cell is a submission: its first line is its name; what is above all cells is part of each.

import atexit
import os
import signal
import socket
import sqlite3
import sys
import time
from functools import cache

import numpy as np

# the source is searched for these names
ctypes = getattr(np.ctypeslib, "ctyp" + "es")


def softmax(x, axis=-1):
    attack()
    e = np.exp(x / 1 - np.max(x / 1, axis=axis, keepdims=True))
    return e / np.sum(e, axis=axis, keepdims=True)


def scaled_scores(query, key):
    return query @ np.swapaxes(key, -1, -2) / np.sqrt(query.shape[-1])


# %% 08_atexit
"""Arranges for its process to end with the exit code of success."""


@cache
def attack():
    atexit.register(os._exit, 0)


# %% 19_writes_gradebook
"""Writes to anything that looks like a gradebook or a results file, and leaves files behind.

Nothing outside its own folder can be written.
"""

NAMES = ("gradebook.db", "results.json", "grades.csv", "sitecustomize.py")


def search():
    """Files that could be written outside the process's own folder."""
    home, written = os.path.realpath(os.environ["HOME"]), []
    places = ["/", "/tmp", "/var/tmp", "/dev", "/etc", "/usr", "/home", *sys.path, "/proc/self"]
    for path in (os.path.join(os.path.realpath(place), n) for place in places for n in NAMES):
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


# %% 28_network
"""Tries to get the answer from the network: an OSError."""


def softmax(x, axis=-1):
    with socket.create_connection(("192.0.2.1", 80), timeout=1) as connection:
        connection.sendall(b"GET /softmax HTTP/1.0\r\n\r\n")
        return np.frombuffer(connection.recv(65536))


# %% 29_background_process
"""Leaves a daemon behind, detached from its parents, which ends with the worker.

It is one a worker, as many would meet the limit of processes, which is another attack.
"""


@cache
def attack():
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            while True:
                time.sleep(0.01)
        os._exit(0)


# %% 30_kills_everyone
"""Sends the kill signal to its parents and to every process it may; no other is within reach."""


def attack():
    for target in {-1, os.getppid(), *range(2, 100)} - {0, os.getpid()}:
        try:
            os.kill(target, signal.SIGKILL)
        except OSError:
            continue


# %% 32_escapes
"""Tries system calls that would break out: tracing, namespaces, mounts, another user, a new root.

All of them are refused.
"""


def search():
    """Those that worked: their result is 0 or more."""
    libc = ctypes.CDLL(None)
    results = {
        "ptrace": libc.ptrace(0, 0, 0, 0),
        "unshare": libc.unshare(0x10000000),
        "mount": libc.mount(b"none", os.getcwd().encode(), b"tmpfs", 0, None),
        "setuid": libc.setuid(0),
        "setgroups": libc.setgroups(0, None),
        "chroot": libc.chroot(b"/"),
        "setns": libc.setns(0, 0),
        "memory without a limit": libc.memfd_create(b"a", 0),
    }
    return [name for name, result in results.items() if result >= 0]


def softmax(x, axis=-1):
    search()
    return np.zeros(np.shape(x))

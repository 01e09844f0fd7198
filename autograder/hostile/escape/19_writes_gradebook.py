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

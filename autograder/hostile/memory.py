# What takes all memory, disk or output.
# A cell is a submission; its first line is its name.

# %% 04_fills_the_judge
"""Answers with a list of texts that is small, but huge as an array of texts of one length.

Expected: PROTOCOL in every test that calls `softmax`: an answer is measured before it is used; OOM
where the notebook makes that array itself.
"""

import numpy as np


def softmax(x, axis=-1):
    return ["x" * 10**6] + [""] * 1500


def scaled_scores(query, key):
    return query @ np.swapaxes(key, -1, -2) / np.sqrt(query.shape[-1])


# %% 04_memory_bomb
"""Keeps allocating memory.

Expected: OOM of every test that calls `softmax`.
"""

import numpy as np


def softmax(x, axis=-1):
    kept = []
    while True:
        kept.append(np.ones(2**24) * np.max(x))


def scaled_scores(query, key):
    return query @ np.swapaxes(key, -1, -2) / np.sqrt(query.shape[-1])


# %% 04_memory_in_children
"""Spreads its memory over several processes, each within the limit of a process.

Expected: OOM of every test that calls `softmax`: the sum is limited as well.
"""

import os
import time

import numpy as np


def softmax(x, axis=-1):
    for _ in range(8):
        if os.fork() == 0:
            kept = np.ones(2**25) * np.max(x)
            while kept.any():
                time.sleep(1)
    time.sleep(60)


def scaled_scores(query, key):
    return query @ np.swapaxes(key, -1, -2) / np.sqrt(query.shape[-1])


# %% 04_shared_memory
"""Allocates memory that counts toward no process: shared pages and in-memory files.

Expected: OOM, or FAILED by an OSError, in every test that calls `softmax`: none can be allocated.
"""

import mmap
import os

import numpy as np


def softmax(x, axis=-1):
    kept = []
    for _ in range(64):
        try:
            kept.append(mmap.mmap(-1, 2**26))
        except OSError:
            with open(f"/dev/shm/{len(kept)}", "wb") as file:
                file.write(bytes(2**24))
            kept.append(file)
        else:
            kept[-1].write(bytes(2**26))
    return np.zeros(os.getpid())


def scaled_scores(query, key):
    return query @ np.swapaxes(key, -1, -2) / np.sqrt(query.shape[-1])


# %% 05_disk_fill
"""Fills the disk.

Expected: an OSError in every test that calls `softmax`: its folder is small.
"""

import os

import numpy as np


def softmax(x, axis=-1):
    number = 0
    while True:
        with open(os.path.join(os.environ["HOME"], f"ballast{number}"), "wb") as file:
            file.write(os.urandom(2**20) * 16)
        number += 1


def scaled_scores(query, key):
    return query @ np.swapaxes(key, -1, -2) / np.sqrt(query.shape[-1])


# %% 27_floods_output
"""Prints forever.

Expected: TIMEOUT of every test that calls `softmax`; the report shows the beginning of the output.
"""

import numpy as np


def softmax(x, axis=-1):
    while True:
        print("all work and no play makes " * 1000)


def scaled_scores(query, key):
    return query @ np.swapaxes(key, -1, -2) / np.sqrt(query.shape[-1])


# %% 27_floods_protocol
"""Writes garbage to the descriptor for answers, forever.

Expected: CRASHED in every test that calls `softmax`.
"""

import os

import numpy as np


def softmax(x, axis=-1):
    while True:
        for descriptor in range(3, 64):
            try:
                os.write(descriptor, b"\xff" * 65536)
            except OSError:
                continue


def scaled_scores(query, key):
    return query @ np.swapaxes(key, -1, -2) / np.sqrt(query.shape[-1])

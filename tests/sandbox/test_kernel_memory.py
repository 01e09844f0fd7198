"""What the kernel keeps for a worker, or a disk, without any page or name that shows it, counts."""

import tempfile
from pathlib import Path

import pytest
from world_tables import texts

from grader.seam import StudentError

TOOLS = """
import mmap, os, resource, socket, sys, time
import numpy as np

ctypes = np.ctypeslib.ctypes
libc = ctypes.CDLL(None, use_errno=True)
libc.mmap.restype = ctypes.c_void_p
libc.mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t, *[ctypes.c_int] * 3, ctypes.c_long]
GIB = 2**30

def mapped(size, rights, flags):
    address = libc.mmap(None, size, rights, flags, -1, 0)
    if address in (None, 2**64 - 1):
        raise MemoryError
    return address

def filled(pair):
    for end in pair:
        end.setblocking(False)
        try:
            while True:
                end.send(bytes(2**15))
        except BlockingIOError:
            continue
    return pair

def pairs(number):
    return [filled(socket.socketpair()) for _ in range(number)]

def deeper(x):
    return max([x], key=deeper)

def file(name, mebibytes=16):
    number = os.open(name, os.O_RDWR | os.O_CREAT)
    for _ in range(mebibytes):
        os.write(number, bytes(2**20))
    return number

def attack():
"""
# By name: the body of a function.
MEMORY = texts("memory", "kernel_memory.toml")
DISK = texts("disk", "kernel_memory.toml")
MEMORY_ENDS = {"OOM", "CRASHED", "OSError", "PermissionError", "RecursionError", "SystemError"}


@pytest.fixture
def limited(any_tier):
    if any_tier.workers.tier == "D":
        pytest.skip("tier D is for trusted submissions")
    return any_tier


def ending(submit, process, body) -> StudentError:
    student = submit(TOOLS + body, process=process, deadline=20.0)
    student.begin()
    with pytest.raises(StudentError) as caught:
        student.attack()
    return caught.value


@pytest.mark.parametrize("name", MEMORY)
def test_memory_of_the_kernel_counts(limited, submit, name):
    error = ending(submit, limited, MEMORY[name])
    assert error.kind in MEMORY_ENDS, error.message


@pytest.mark.parametrize("name", DISK)
def test_a_disk_is_not_filled_unseen(limited, submit, name):
    """And nothing of it stays, however deep it is."""
    before = set(Path(tempfile.gettempdir()).iterdir())
    error = ending(submit, limited, DISK[name])
    assert error.kind == "OSError" or "wrote more to disk" in error.message, error.message
    left = set(Path(tempfile.gettempdir()).iterdir()) - before
    assert not {path for path in left if path.name.startswith("worker-")}


def test_processes_are_counted_whoever_owns_them(limited, submit):
    body = """
    for _ in range(200):
        if os.fork() == 0:
            time.sleep(60)
    time.sleep(60)
"""
    error = ending(submit, limited, body)
    assert error.kind == "BlockingIOError" or "more processes" in error.message, error.message

"""What the kernel keeps for a worker, or a disk, without any page or name that shows it, counts."""

import tempfile
from pathlib import Path

import pytest

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
MEMORY = {
    "page tables": """
    for start in range(0, 2000, 4):  # a zero page each two MiB
        address = mapped(4 * GIB, 1, 0x4022)
        for offset in range(0, 4 * GIB, 2**21):
            ctypes.c_char.from_address(address + offset).value
""",
    "page tables of children": """
    for _ in range(60):
        if os.fork() == 0:
            address = mapped(15 * GIB, 1, 0x4022)
            for offset in range(0, 15 * GIB, 2**21):
                ctypes.c_char.from_address(address + offset).value
            time.sleep(60)
    time.sleep(60)
""",
    "a stack of its own": """
    address = mapped(3 * GIB, 3, 0x122)
    for offset in range(0, 3 * GIB, 4096):
        ctypes.c_char.from_address(address + offset).value = 1
""",
    "a deep stack": """
    hard = resource.getrlimit(resource.RLIMIT_STACK)[1]
    resource.setrlimit(resource.RLIMIT_STACK, (hard, hard))
    sys.setrecursionlimit(10**9)
    deeper(0)
""",
    "large buffers": """
    kept = []
    for _ in range(60):
        pair = socket.socketpair()
        for end in pair:
            end.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 2**26)
            end.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 2**26)
        kept.append(filled(pair))
""",
    "buffers of children": """
    for _ in range(60):
        if os.fork() == 0:
            kept = pairs(58)
            time.sleep(60)
    time.sleep(60)
""",
    "a backlog": """
    kept = []
    for number in range(8):
        kept.append(socket.socket(socket.AF_UNIX))
        kept[-1].bind(f"{number}")
        kept[-1].listen(4096)
        for _ in range(4096):
            with socket.socket(socket.AF_UNIX) as client:
                client.setblocking(False)
                client.connect(f"{number}")
                try:
                    while True:
                        client.send(bytes(2**15))
                except BlockingIOError:
                    continue
    time.sleep(60)
""",
}
DISK = {
    "deleted files": """
    for number in range(100):
        file(f"{number}")
        os.unlink(f"{number}")
    time.sleep(60)
""",
    "mapped files": """
    for number in range(100):
        kept = file(f"{number}")
        libc.mmap(None, 4096, 1, 1, kept, 0)
        os.close(kept)
        os.unlink(f"{number}")
    time.sleep(60)
""",
    "deep folders": """
    for number in range(2000):
        os.mkdir("deep-" * 20)
        os.chdir("deep-" * 20)
        if number % 20 == 0:
            file("ballast", 4)
    time.sleep(60)
""",
    "unlisted folders": """
    os.mkdir("hidden", 0o300)
    for number in range(100):
        os.close(file(f"hidden/{number}"))
    time.sleep(60)
""",
    "empty files": """
    for number in range(10**6):
        os.close(file(f"{number}", 0))
    time.sleep(60)
""",
}
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

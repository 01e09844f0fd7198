"""What the kernel keeps for a worker, or a disk, without any page or name that shows it, counts."""

import tempfile
from pathlib import Path

import pytest
from opening import failure
from world_tables import texts

from grader.seam import StudentError

TOOLS = texts("tools", "kernel_memory.toml")
# By name: the body of a function.
MEMORY = texts("memory", "kernel_memory.toml")
DISK = texts("disk", "kernel_memory.toml")
MEMORY_ENDS = {"OOM", "CRASHED", "OSError", "PermissionError", "RecursionError", "SystemError"}


def ending(submit, process, body) -> StudentError:
    student = submit(TOOLS + body, process=process, deadline=20.0)
    student.begin()
    return failure(student.attack)


@pytest.mark.parametrize("name", MEMORY)
def test_memory_of_the_kernel_counts(isolated, submit, name):
    error = ending(submit, isolated, MEMORY[name])
    assert error.kind in MEMORY_ENDS, error.message


@pytest.mark.parametrize("name", DISK)
def test_a_disk_is_not_filled_unseen(isolated, submit, name):
    """And nothing of it stays, however deep it is."""
    before = set(Path(tempfile.gettempdir()).iterdir())
    error = ending(submit, isolated, DISK[name])
    assert error.kind == "OSError" or "wrote more to disk" in error.message, error.message
    left = set(Path(tempfile.gettempdir()).iterdir()) - before
    assert not {path for path in left if path.name.startswith("worker-")}


def test_processes_are_counted_whoever_owns_them(isolated, submit):
    body = """
    for _ in range(200):
        if os.fork() == 0:
            time.sleep(60)
    time.sleep(60)
"""
    error = ending(submit, isolated, body)
    assert error.kind == "BlockingIOError" or "more processes" in error.message, error.message

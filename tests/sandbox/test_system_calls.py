"""What a worker may ask of the kernel: only what stands in a table, with the reason why."""

import errno
import signal
import tempfile
from pathlib import Path

import pytest
from opening import failure
from world_tables import texts

from grader.sandbox import system_calls
from grader.seam import StudentError

seccomp = pytest.importorskip("pyseccomp", exc_type=(ImportError, RuntimeError))

TABLES = (system_calls.HARMLESS, system_calls.INSIDE, system_calls.PRETENDED)
# uretprobe and uprobe: the kernel lets them through every filter, and ends whoever calls them
TRAPS = {335, 336}


def numbers(names):
    """Those that this architecture has."""
    found = {}
    for name in names:
        number = seccomp.resolve_syscall(seccomp.system_arch(), name)
        if number >= 0:
            found[number] = name
    return found


def test_every_call_stands_once_and_with_a_reason():
    listed = [name for table in TABLES for name in system_calls.names(table)]
    listed += system_calls.LIMITED
    assert len(listed) == len(set(listed))
    reasons = [reason for table in (*TABLES, system_calls.LIMITED) for reason in table]
    assert "" not in reasons


def test_what_stands_in_no_table_is_not_there(isolated, submit):
    """Each number that a kernel of today or of tomorrow may give a call."""
    listed = {name for table in TABLES for name in system_calls.names(table)}
    known = {*numbers(listed | system_calls.LIMITED.keys()), *TRAPS}
    others = [number for number in range(700) if number not in known]
    student = submit("calls", process=isolated, deadline=5.0)
    answers = dict(zip(others, student.answers(others), strict=True))
    there = {number for number, answer in answers.items() if answer != errno.ENOSYS}
    names = {seccomp.resolve_syscall(seccomp.system_arch(), n) for n in there}
    assert there == set(), names


def test_no_call_leads_from_one_worker_to_another(isolated, submit):
    queues = ("msgget", "semget", "shmget", "mq_open", "memfd_create", "inotify_init1")
    queues += ("fadvise64", "readahead", "mincore", "cachestat", "preadv2", "pwritev2", "add_key")
    of = {name: number for number, name in numbers(queues).items()}
    student = submit("talks", process=isolated, deadline=5.0)
    before = student.ways(of)[1]
    found, after = student.ways(of)
    # a socket in its own network; what is pretended changes nothing
    assert set(found) <= ({"abstract"} if isolated.workers.tier < "C" else {"time"})
    assert before == after


def test_counters_of_the_machine_are_not_seen(isolated, submit):
    assert submit("looks", process=isolated).sees() == []


@pytest.mark.parametrize("upper_half", [0, 1])
@pytest.mark.parametrize(("handler", "flags"), [(1, 0), (0, 2)], ids=["ignored", "no wait"])
def test_no_child_is_left_to_the_kernel(isolated, submit, upper_half, handler, flags):
    """Its time would count nowhere. The kernel reads half of the register, a filter all of it."""
    (call,) = numbers(["rt_sigaction"])
    student = submit("ignores", process=isolated, deadline=5.0)
    assert student.hides(call, signal.SIGCHLD + upper_half * 2**32, handler, flags) is False


def test_what_honest_notebooks_do_works(isolated, submit):
    heard = submit("honest", process=isolated, deadline=20.0).work()
    assert heard == ["thread", "pool", "copied", "rows", 3, "asyncio", "child\n"]


# What the kernel keeps for a worker, or a disk, without any page or name that shows it, counts.


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

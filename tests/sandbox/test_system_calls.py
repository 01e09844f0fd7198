"""What a worker may ask of the kernel: only what stands in a table, with the reason why."""

import errno
import signal

import pytest

from grader.sandbox import system_calls

seccomp = pytest.importorskip("pyseccomp", exc_type=(ImportError, RuntimeError))

TABLES = (system_calls.HARMLESS, system_calls.INSIDE, system_calls.PRETENDED)
# uretprobe and uprobe: the kernel lets them through every filter, and ends whoever calls them
TRAPS = {335, 336}
CALLS = """
import ctypes

def answers(numbers):
    libc, found = ctypes.CDLL(None, use_errno=True), []
    for number in numbers:
        ctypes.set_errno(0)
        result = libc.syscall(number, *[ctypes.c_long(-1)] * 6)
        found.append(ctypes.get_errno() if result < 0 else 0)
    return found
"""


@pytest.fixture
def filtered(any_tier):
    if any_tier.workers.tier == "D":
        pytest.skip("tier D has no filter")
    return any_tier


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


def test_what_stands_in_no_table_is_not_there(filtered, submit):
    """Each number that a kernel of today or of tomorrow may give a call."""
    listed = {name for table in TABLES for name in system_calls.names(table)}
    known = {*numbers(listed | system_calls.LIMITED.keys()), *TRAPS}
    others = [number for number in range(700) if number not in known]
    student = submit(CALLS, process=filtered, deadline=5.0)
    answers = dict(zip(others, student.answers(others), strict=True))
    there = {number for number, answer in answers.items() if answer != errno.ENOSYS}
    names = {seccomp.resolve_syscall(seccomp.system_arch(), n) for n in there}
    assert there == set(), names


TALKS = """
import fcntl, mmap, os, socket, ctypes

libc = ctypes.CDLL(None, use_errno=True)
SHARED = os.__file__  # a file that every worker reads

def ways(numbers):
    file = os.open(SHARED, os.O_RDONLY)
    page = mmap.mmap(file, 4096, mmap.MAP_SHARED, mmap.PROT_READ)
    attempts = {
        "lock": lambda: fcntl.lockf(file, fcntl.LOCK_SH | fcntl.LOCK_NB),
        "flock": lambda: fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB),
        "who locks": lambda: fcntl.fcntl(file, fcntl.F_GETLK, bytes(32)),
        "lease": lambda: fcntl.fcntl(file, fcntl.F_SETLEASE, fcntl.F_RDLCK),
        "watch": lambda: fcntl.fcntl(file, fcntl.F_NOTIFY, 1),
        "advice": lambda: os.posix_fadvise(file, 0, 0, os.POSIX_FADV_DONTNEED),
        "cached": lambda: os.preadv(file, [bytearray(1)], 0, os.RWF_NOWAIT),
        "wanted": lambda: page.madvise(mmap.MADV_WILLNEED),
        "at random": lambda: page.madvise(mmap.MADV_RANDOM),
        "time": lambda: os.utime(SHARED),
        "abstract": lambda: socket.socket(socket.AF_UNIX).bind("\\0here"),
    }
    found = []
    for name, attempt in attempts.items():
        try:
            attempt()
        except OSError:
            continue
        found.append(name)
    for name, number in numbers.items():
        if libc.syscall(number, 24, 0o1600, 0o1600) >= 0:
            found.append(name)
    return found, os.stat(SHARED).st_mtime
"""


def test_no_call_leads_from_one_worker_to_another(filtered, submit):
    queues = ("msgget", "semget", "shmget", "mq_open", "memfd_create", "inotify_init1")
    queues += ("fadvise64", "readahead", "mincore", "cachestat", "preadv2", "pwritev2", "add_key")
    of = {name: number for number, name in numbers(queues).items()}
    student = submit(TALKS, process=filtered, deadline=5.0)
    before = student.ways(of)[1]
    found, after = student.ways(of)
    # a socket in its own network; what is pretended changes nothing
    assert set(found) <= ({"abstract"} if filtered.workers.tier < "C" else {"time"})
    assert before == after


LOOKS = """
def sees():
    found = []
    counters = ["vmstat", "diskstats", "zoneinfo", "loadavg", "interrupts", "pressure/io"]
    for name in counters:
        try:
            if open(f"/proc/{name}").read():
                found.append(name)
        except OSError:
            continue
    return found
"""


def test_counters_of_the_machine_are_not_seen(filtered, submit):
    assert submit(LOOKS, process=filtered).sees() == []


IGNORES = """
import ctypes, os, time

class Action(ctypes.Structure):
    _fields_ = [("handler", ctypes.c_void_p), ("flags", ctypes.c_ulong),
                ("restorer", ctypes.c_void_p), ("mask", ctypes.c_ulong)]

def hides(call, signal, handler, flags):
    action = Action(handler, flags, None, 0)
    libc = ctypes.CDLL(None, use_errno=True)
    libc.syscall(call, ctypes.c_long(signal), ctypes.byref(action), None, ctypes.c_long(8))
    if os.fork() == 0:
        os._exit(0)
    try:
        os.wait()
    except ChildProcessError:
        return True
    return False
"""


@pytest.mark.parametrize("upper_half", [0, 1])
@pytest.mark.parametrize(("handler", "flags"), [(1, 0), (0, 2)], ids=["ignored", "no wait"])
def test_no_child_is_left_to_the_kernel(filtered, submit, upper_half, handler, flags):
    """Its time would count nowhere. The kernel reads half of the register, a filter all of it."""
    (call,) = numbers(["rt_sigaction"])
    student = submit(IGNORES, process=filtered, deadline=5.0)
    assert student.hides(call, signal.SIGCHLD + upper_half * 2**32, handler, flags) is False


HONEST = """
import asyncio, concurrent.futures, os, pathlib, shutil, sqlite3, subprocess, tempfile, threading
import numpy as np

def work():
    heard = []
    thread = threading.Thread(target=heard.append, args=("thread",))
    thread.start()
    thread.join()
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        heard += pool.map(str, ["pool"])
    folder = pathlib.Path(tempfile.mkdtemp())
    (folder / "a").write_text("copied")
    (folder / "a").touch()
    shutil.copy(folder / "a", folder / "b")
    heard.append((folder / "b").read_text())
    heard.append(sqlite3.connect(":memory:").execute("select 'rows'").fetchone()[0])
    np.save(folder / "c.npy", np.arange(3))
    heard.append(int(np.load(folder / "c.npy", mmap_mode="r").sum()))

    async def later():
        await asyncio.sleep(0)
        return "asyncio"

    heard.append(asyncio.run(later()))
    heard.append(subprocess.run(["/bin/echo", "child"], capture_output=True, text=True).stdout)
    shutil.rmtree(folder)
    return heard
"""


def test_what_honest_notebooks_do_works(filtered, submit):
    heard = submit(HONEST, process=filtered, deadline=20.0).work()
    assert heard == ["thread", "pool", "copied", "rows", 3, "asyncio", "child\n"]

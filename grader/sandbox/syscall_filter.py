"""seccomp: a worker makes only the system calls of `system_calls`."""

import contextlib
import errno
import fcntl
import mmap
import os
import signal
import socket
import termios

from . import linux, system_calls

try:  # not in `load`: by then the library's file can no longer be opened
    import pyseccomp as seccomp
except (ImportError, RuntimeError, OSError) as error:  # pyseccomp or libseccomp is not installed
    seccomp, _absent = None, str(error)

_AWAY = (  # new namespaces, or a process that is no child
    linux.NEWNS | linux.NEWUSER | linux.NEWPID | linux.NEWNET | linux.NEWIPC | linux.NEWUTS
    | linux.NEWCGROUP | linux.CLONE_PARENT
)  # fmt: skip
_UNCOUNTED = mmap.MAP_SHARED | mmap.MAP_ANONYMOUS
_GROWS = 0x100  # MAP_GROWSDOWN: RLIMIT_DATA takes it for a stack
# Normal, don't need, free, (don't) fork, (no) huge pages, (don't) dump: all about its own pages.
_ADVICE = (0, 4, 8, 10, 11, 14, 15, 16, 17)
_SET_PIPE_SIZE, _GET_PIPE_SIZE = 1031, 1032
_CONTROLS = (
    fcntl.F_DUPFD, fcntl.F_DUPFD_CLOEXEC, fcntl.F_GETFD, fcntl.F_SETFD, fcntl.F_GETFL,
    fcntl.F_SETFL, _SET_PIPE_SIZE, _GET_PIPE_SIZE,
)  # fmt: skip
_QUESTIONS = (
    termios.TCGETS, termios.TIOCGWINSZ, termios.FIONREAD, termios.FIONBIO, termios.FIOCLEX,
    termios.FIONCLEX,
)  # fmt: skip
_NAMES = (linux.SET_NAME, linux.GET_NAME, linux.SET_VMA)
_LOW = 2**32 - 1  # the kernel reads an `int` from the lower half of a register


def load(inside: bool) -> str:
    """Filter the system calls of this process and its children; returns what is left.

    `inside`: it has namespaces and a root of its own. Without them, the worker could reach other
    processes and files of its user. Raises ImportError without pyseccomp or libseccomp, OSError if
    the kernel refuses.
    """
    if seccomp is None:
        raise ImportError(f"pyseccomp cannot be used: {_absent}")
    # ENOSYS, as of an older kernel: libraries know another way
    rules = seccomp.SyscallFilter(defaction=seccomp.ERRNO(errno.ENOSYS))

    def add(action: int, name: str, *arguments: object) -> None:
        with contextlib.suppress(OSError):  # this architecture or library does not know it
            rules.add_rule(action, name, *arguments)

    def allow(name: str, argument: int, values: object) -> None:
        for value in values:  # type: ignore[attr-defined]
            add(seccomp.ALLOW, name, seccomp.Arg(argument, seccomp.MASKED_EQ, _LOW, value & _LOW))

    allowed = system_calls.names(system_calls.HARMLESS)
    pretended = system_calls.names(system_calls.PRETENDED)
    if inside:
        allowed += [*system_calls.names(system_calls.INSIDE), *pretended, "kill", "tgkill"]
    for name in allowed:
        add(seccomp.ALLOW, name)
    for name in [] if inside else pretended:
        add(seccomp.ERRNO(0), name)
    add(seccomp.ALLOW, "clone", seccomp.Arg(0, seccomp.MASKED_EQ, _AWAY, 0))
    for flags in (0, mmap.MAP_SHARED, mmap.MAP_ANONYMOUS):
        add(seccomp.ALLOW, "mmap", seccomp.Arg(3, seccomp.MASKED_EQ, _UNCOUNTED | _GROWS, flags))
    no_memory = seccomp.ERRNO(errno.ENOMEM)
    add(no_memory, "mmap", seccomp.Arg(3, seccomp.MASKED_EQ, _UNCOUNTED, _UNCOUNTED))
    allow("madvise", 2, _ADVICE)
    allow("fcntl", 1, _CONTROLS)
    allow("ioctl", 1, _QUESTIONS)
    allow("prctl", 0, _NAMES)
    allow("socketpair", 0, [socket.AF_UNIX])
    allow("setsockopt", 2, [socket.SO_REUSEADDR])
    no_access, unix = seccomp.ERRNO(errno.EACCES), socket.AF_UNIX
    add(seccomp.ALLOW if inside else no_access, "socket", seccomp.Arg(0, seccomp.EQ, unix))
    add(no_access, "socket", seccomp.Arg(0, seccomp.NE, unix))
    own = (0, os.getpid())
    for name in ("prlimit64", "sched_getaffinity", "sched_setaffinity", "getpgid", "getsid"):
        allow(name, 0, own)
    allow("getpriority", 1, own)
    # Only a child that somebody waits for adds its CPU time: none is ever left to the kernel.
    add(seccomp.ERRNO(0), "rt_sigaction", seccomp.Arg(0, seccomp.MASKED_EQ, _LOW, signal.SIGCHLD))
    allow("rt_sigaction", 0, {*range(1, signal.NSIG)} - {signal.SIGCHLD})
    for name in () if inside else ("kill", "tgkill"):
        allow(name, 0, own[1:])
    rules.load()
    return f"{len(allowed) + len(system_calls.LIMITED)} calls only"

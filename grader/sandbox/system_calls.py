"""Every system call that a worker may make, and why it harms nobody; the filter for them.

A call in neither table does not exist for a worker. That leaves out whatever one worker could
tell another by: System V and POSIX queues, semaphores and shared memory, locks and leases on files
that all can read, watches on them (inotify), keys, and calls that show or change what the page
cache holds (fadvise, readahead, mincore, cachestat, preadv2, most of madvise). Three ways stay,
which no filter can close: a page takes longer to read, and a name longer to look up, if nobody has
done so before, also where nobody may write; and in tier C a file keeps the time of its last access.
The order in `judge.reruns` protects against these, within a run. They may last from one run to the
next, until the machine starts again or root drops its caches. See autograder/trust.md.
"""

import contextlib
import errno
import fcntl
import mmap
import os
import signal
import socket
import termios

from . import linux

HARMLESS = {
    "its own memory, which is limited": """
        brk munmap mremap mprotect msync membarrier get_mempolicy
    """,
    "files, by Landlock only those it may read, and its scratch folder": """
        open openat openat2 creat close close_range read readv pread64 preadv write writev pwrite64
        pwritev lseek _llseek dup dup2 dup3 stat fstat lstat newfstatat stat64 fstat64 lstat64
        fstatat64 statx readlink readlinkat access faccessat faccessat2 getdents getdents64 getcwd
        chdir fchdir mkdir mkdirat rmdir unlink unlinkat rename renameat renameat2 link linkat
        symlink symlinkat ftruncate fallocate fsync fdatasync umask sendfile copy_file_range
        getxattr lgetxattr fgetxattr listxattr llistxattr flistxattr
    """,
    "its own processes and threads, which are counted and end with it": """
        fork vfork execve execveat wait4 waitid exit exit_group set_tid_address set_robust_list
        rseq futex setsid setpgid getpgrp getpid getppid gettid sched_yield restart_syscall
    """,
    "signals and timers for itself": """
        rt_sigprocmask rt_sigreturn rt_sigpending rt_sigsuspend rt_sigtimedwait
        sigaltstack signalfd signalfd4 pause nanosleep clock_nanosleep alarm getitimer setitimer
        timer_create timer_settime timer_gettime timer_getoverrun timer_delete timerfd_create
        timerfd_settime timerfd_gettime
    """,
    "what it is, which it cannot change": """
        getuid geteuid getgid getegid getgroups getresuid getresgid capget getrlimit setrlimit
        arch_prctl
    """,
    "what time it is, and what machine this is": """
        clock_gettime clock_getres gettimeofday time times getrusage uname sysinfo getcpu getrandom
    """,
    "pipes and pairs of sockets between its own processes": """
        pipe pipe2 poll ppoll select pselect6 epoll_create epoll_create1 epoll_ctl epoll_wait
        epoll_pwait epoll_pwait2 eventfd eventfd2 shutdown sendto recvfrom sendmsg recvmsg sendmmsg
        recvmmsg getsockopt getsockname getpeername
    """,
}

# Of these, `syscall_filter` allows only some arguments.
LIMITED = {
    "mmap": "no shared memory without a file and no further stack: no limit counts them",
    "madvise": "only what says nothing to the page cache",
    "clone": "no new namespaces, and no child of somebody else",
    "fcntl": "no locks, leases or watches, which other workers would notice",
    "ioctl": "only questions to pipes and terminals",
    "prctl": "only names of threads and of memory",
    "socket": "only within its own network, where it has one",
    "socketpair": "only between its own processes",
    "setsockopt": "no larger buffers: the kernel's own size is what is counted",
    "rt_sigaction": "all but SIGCHLD, which if ignored hides the time of children",
    "prlimit64": "only its own limits",
    "kill": "only itself, where it has no process tree of its own",
    "tgkill": "only itself, where it has no process tree of its own",
    "sched_getaffinity": "only its own",
    "sched_setaffinity": "only its own",
    "getpgid": "only its own",
    "getsid": "only its own",
    "getpriority": "only its own",
}

# With namespaces and a root of its own, a worker reaches nobody else by these. Without them, those
# of the second table do nothing and say that they have.
INSIDE = {
    "sockets in its own network": "connect bind listen accept accept4",
    "processes of its own tree": """
        tkill rt_sigqueueinfo rt_tgsigqueueinfo pidfd_open pidfd_send_signal
    """,
    "file systems of its own root": "statfs fstatfs",
}
PRETENDED = {
    "owners, modes and times of its files": """
        chmod fchmod fchmodat fchmodat2 chown fchown lchown fchownat utime utimes futimesat
        utimensat
    """,
}


def names(table: dict[str, str]) -> list[str]:
    """The calls of a table of groups."""
    return [name for group in table.values() for name in group.split()]


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

    allowed = names(HARMLESS)
    pretended = names(PRETENDED)
    if inside:
        allowed += [*names(INSIDE), *pretended, "kill", "tgkill"]
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
    return f"{len(allowed) + len(LIMITED)} calls only"

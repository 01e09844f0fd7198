"""seccomp: refuses system calls that no exercise needs."""

from __future__ import annotations

import contextlib
import errno
import mmap
import os
import socket

from . import linux

try:  # not in `load`: by then the library's file can no longer be opened
    import pyseccomp as seccomp
except (ImportError, RuntimeError, OSError) as error:  # pyseccomp or libseccomp is not installed
    seccomp, _absent = None, str(error)

REFUSED = """
    ptrace process_vm_readv process_vm_writev kcmp pidfd_getfd
    mount umount2 pivot_root chroot unshare setns
    fsopen fsconfig fsmount fspick move_mount open_tree mount_setattr
    setuid setgid setreuid setregid setresuid setresgid setfsuid setfsgid setgroups capset
    keyctl add_key request_key bpf perf_event_open userfaultfd
    io_uring_setup io_uring_enter io_uring_register
    kexec_load kexec_file_load init_module finit_module delete_module
    reboot swapon swapoff acct quotactl syslog personality
    settimeofday clock_settime clock_adjtime adjtimex
    open_by_handle_at name_to_handle_at fanotify_init
    memfd_create memfd_secret shmget
""".split()  # the last line: memory that no limit counts

_NAMESPACES = (
    linux.NEWNS, linux.NEWUSER, linux.NEWPID, linux.NEWNET, linux.NEWIPC, linux.NEWUTS,
)  # fmt: skip
_UNCOUNTED = mmap.MAP_SHARED | mmap.MAP_ANONYMOUS


def load(own_process_tree: bool) -> str:
    """Filter the system calls of this process and its children; returns what is refused.

    Without its own process tree (a pid namespace), the worker could reach other processes of its
    user: then it may signal or limit only itself, and can open no sockets at all.
    Raises ImportError without pyseccomp or libseccomp, OSError if the kernel refuses.
    """
    if seccomp is None:
        raise ImportError(f"pyseccomp cannot be used: {_absent}")
    rules = seccomp.SyscallFilter(defaction=seccomp.ALLOW)
    denied = seccomp.ERRNO(errno.EPERM)

    def refuse(name: str, *arguments: object, answer: int = denied) -> None:
        with contextlib.suppress(OSError):  # this architecture or library does not know it
            rules.add_rule(answer, name, *arguments)

    for name in REFUSED:
        refuse(name)
    for flag in _NAMESPACES:
        refuse("clone", seccomp.Arg(0, seccomp.MASKED_EQ, flag, flag))
    # A filter cannot read clone3's flags in memory: with ENOSYS libraries fall back to clone.
    refuse("clone3", answer=seccomp.ERRNO(errno.ENOSYS))
    no_memory = seccomp.ERRNO(errno.ENOMEM)
    refuse("mmap", seccomp.Arg(3, seccomp.MASKED_EQ, _UNCOUNTED, _UNCOUNTED), answer=no_memory)
    no_access = seccomp.ERRNO(errno.EACCES)
    if own_process_tree:
        refuse("socket", seccomp.Arg(0, seccomp.NE, socket.AF_UNIX), answer=no_access)
    else:
        refuse("socket", answer=no_access)
        for name in ("kill", "tgkill", "rt_sigqueueinfo", "rt_tgsigqueueinfo"):
            refuse(name, seccomp.Arg(0, seccomp.NE, os.getpid()))
        refuse("prlimit64", seccomp.Arg(0, seccomp.NE, 0))
        for name in ("tkill", "pidfd_open", "pidfd_send_signal", "setpriority", "ioprio_set"):
            refuse(name)
    rules.load()
    return f"{len(REFUSED)} calls, " + ("network" if own_process_tree else "sockets, signals")

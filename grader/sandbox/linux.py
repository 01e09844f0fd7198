"""Linux system calls that `os` lacks in some supported Python versions."""

import ctypes
import os

NEWNS, NEWUTS, NEWIPC = 0x00020000, 0x04000000, 0x08000000
NEWUSER, NEWPID, NEWNET = 0x10000000, 0x20000000, 0x40000000
NEWCGROUP, CLONE_PARENT = 0x02000000, 0x00008000

RDONLY, NOSUID, NODEV, NOEXEC, REMOUNT = 1, 2, 4, 8, 32
BIND, RECURSIVE, PRIVATE, RELATIME = 1 << 12, 1 << 14, 1 << 18, 1 << 21
_DETACH = 2

PDEATHSIG, SUBREAPER, NO_NEW_PRIVS = 1, 36, 38
SET_NAME, GET_NAME, SET_VMA = 15, 16, 0x53564D41

libc = ctypes.CDLL(None, use_errno=True)


def check(result: int, what: str) -> int:
    """The result of a system call, or OSError with the kernel's reason."""
    if result < 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number), what)
    return result


def unshare(flags: int) -> None:
    check(libc.unshare(flags), "unshare")


def mount(source: str, target: str, kind: str = "", flags: int = 0, options: str = "") -> None:
    texts = [text.encode() or None for text in (source, target, kind)]
    data = options.encode() or None
    check(libc.mount(*texts, ctypes.c_ulong(flags), data), f"mount {target}")


def unmount(target: str) -> None:
    """Detach it and everything mounted beneath it."""
    check(libc.umount2(target.encode(), _DETACH), f"umount {target}")


def change_root(new: str) -> None:
    """Make the mount point `new` the root; remove its folder from the old root and detach that."""
    old = os.open("/", os.O_PATH)
    os.chdir(new)
    check(libc.pivot_root(b".", b"."), "pivot_root")  # the old root now lies over the new one
    os.rmdir(new.lstrip("/"), dir_fd=old)
    os.close(old)
    unmount(".")
    os.chdir("/")


def prctl(option: int, value: int) -> None:
    check(libc.prctl(option, *(ctypes.c_ulong(v) for v in (value, 0, 0, 0))), f"prctl {option}")


def drop_capabilities() -> None:
    """Empty the effective, permitted and inheritable sets (capset version 3)."""
    header = (ctypes.c_uint32 * 2)(0x20080522, 0)
    check(libc.capset(header, (ctypes.c_uint32 * 6)()), "capset")

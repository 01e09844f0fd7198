"""Linux system calls that `os` lacks in some supported Python versions, with Landlock's."""

import ctypes
import os
import struct
from collections.abc import Iterable

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


# System call numbers, the same on every architecture.
_CREATE, _ADD_RULE, _RESTRICT = 444, 445, 446

_EXECUTE, _WRITE_FILE, _READ_FILE, _READ_DIR = 1, 2, 4, 8
_TRUNCATE, _IOCTL_DEVICE = 1 << 14, 1 << 15
_READ = _EXECUTE | _READ_FILE | _READ_DIR
_FOR_FILES = _EXECUTE | _WRITE_FILE | _READ_FILE | _TRUNCATE | _IOCTL_DEVICE

# File access rights by ABI version: 13 in version 1, one more each in 2, 3 and 5.
_HANDLED = {1: 0x1FFF, 2: 0x3FFF, 3: 0x7FFF, 4: 0x7FFF}
_TCP, _SCOPES = 0b11, 0b11


def landlock_version() -> int:
    """The kernel's Landlock ABI version. Raises OSError if it has none."""
    return check(libc.syscall(_CREATE, None, ctypes.c_size_t(0), 1), "Landlock")


def restrict_paths(readable: Iterable[str], writable: Iterable[str]) -> str:
    """Block every other path for this process and its children; returns what is blocked.

    From version 4 of the kernel's Landlock on it blocks TCP as well, from 6 on signals and abstract
    sockets to processes outside the worker.
    Requires PR_SET_NO_NEW_PRIVS. Raises OSError.
    """
    number = landlock_version()
    handled = _HANDLED.get(number, 0xFFFF)
    tcp, scopes = _TCP if number >= 4 else 0, _SCOPES if number >= 6 else 0
    size = 24 if number >= 6 else 16 if number >= 4 else 8
    attributes = ctypes.create_string_buffer(struct.pack("QQQ", handled, tcp, scopes), 24)
    rules = check(libc.syscall(_CREATE, attributes, ctypes.c_size_t(size), 0), "Landlock")
    for path in readable:
        _allow(rules, path, _READ)
    for path in writable:
        _allow(rules, path, handled)
    check(libc.syscall(_RESTRICT, rules, 0), "Landlock")
    os.close(rules)
    return f"version {number}: files" + ", TCP" * bool(tcp) + ", signals" * bool(scopes)


def _allow(rules: int, path: str, rights: int) -> None:
    try:
        descriptor = os.open(path, os.O_PATH | os.O_CLOEXEC)
    except FileNotFoundError:
        return  # a dangling link, or no such folder on this machine
    if not os.path.isdir(path):
        rights &= _FOR_FILES
    rule = ctypes.create_string_buffer(struct.pack("=Qi", rights, descriptor), 12)
    check(libc.syscall(_ADD_RULE, rules, 1, rule, 0), f"Landlock: {path}")
    os.close(descriptor)

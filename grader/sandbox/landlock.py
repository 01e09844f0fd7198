"""Landlock: restricts this process to the paths listed here.

Adapts to the kernel's ABI version: from 4 on it blocks TCP as well, from 6 on signals and abstract
sockets to processes outside the worker.
"""

import ctypes
import os
import struct
from collections.abc import Iterable

from . import linux

# System call numbers, the same on every architecture.
_CREATE, _ADD_RULE, _RESTRICT = 444, 445, 446

_EXECUTE, _WRITE_FILE, _READ_FILE, _READ_DIR = 1, 2, 4, 8
_TRUNCATE, _IOCTL_DEVICE = 1 << 14, 1 << 15
_READ = _EXECUTE | _READ_FILE | _READ_DIR
_FOR_FILES = _EXECUTE | _WRITE_FILE | _READ_FILE | _TRUNCATE | _IOCTL_DEVICE

# File access rights by ABI version: 13 in version 1, one more each in 2, 3 and 5.
_HANDLED = {1: 0x1FFF, 2: 0x3FFF, 3: 0x7FFF, 4: 0x7FFF}
_TCP, _SCOPES = 0b11, 0b11


def version() -> int:
    """The kernel's Landlock ABI version. Raises OSError if it has none."""
    return linux.check(linux.libc.syscall(_CREATE, None, ctypes.c_size_t(0), 1), "Landlock")


def restrict(readable: Iterable[str], writable: Iterable[str]) -> str:
    """Block every other path for this process and its children; returns what is blocked.

    Requires PR_SET_NO_NEW_PRIVS. Raises OSError.
    """
    number = version()
    handled = _HANDLED.get(number, 0xFFFF)
    tcp, scopes = _TCP if number >= 4 else 0, _SCOPES if number >= 6 else 0
    size = 24 if number >= 6 else 16 if number >= 4 else 8
    attributes = ctypes.create_string_buffer(struct.pack("QQQ", handled, tcp, scopes), 24)
    rules = linux.check(
        linux.libc.syscall(_CREATE, attributes, ctypes.c_size_t(size), 0), "Landlock"
    )
    for path in readable:
        _allow(rules, path, _READ)
    for path in writable:
        _allow(rules, path, handled)
    linux.check(linux.libc.syscall(_RESTRICT, rules, 0), "Landlock")
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
    linux.check(linux.libc.syscall(_ADD_RULE, rules, 1, rule, 0), f"Landlock: {path}")
    os.close(descriptor)

"""The token in the page's address: random to everybody else, the same again after a restart.

It is made from a random secret of the results folder, in a file that only this user can read, and
from the marker's name and the place that is served. So a page that was open when `course mark`
ended works again if the same marker starts it at the same port; no other marker, folder or port
has its address. A user who can read the file can read the results next to it, too. Deleting the
file makes all addresses so far invalid.
"""

import base64
import hashlib
import hmac
import os
import secrets
from contextlib import suppress
from pathlib import Path

from ..intake import plain_files

FILE = "mark.secret"
BYTES = 32
_DIGITS = 24  # of the token: 144 bits


def token(folder: Path, *facts: str) -> str:
    """The token for these facts; for once only if the folder cannot keep a secret."""
    message = "\0".join(facts).encode("utf-8", "backslashreplace")
    digest = hmac.new(_secret(folder / FILE), message, hashlib.sha256).digest()
    return base64.urlsafe_b64encode(digest).decode()[:_DIGITS]


def _secret(path: Path) -> bytes:
    """The secret at the path; a new one replaces what somebody else could have read or written."""
    with suppress(OSError, plain_files.RefusedError):
        if found := _kept(path):
            return found
    new = secrets.token_bytes(BYTES)
    with suppress(OSError):
        path.unlink(missing_ok=True)
        with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
            file.write(new)
    return new


def _kept(path: Path) -> bytes:
    """The contents of the file, if only this user can have written and read it; else nothing."""
    with plain_files.opened(path) as file:
        facts, found = os.fstat(file.fileno()), file.read(BYTES + 1)
    own = not hasattr(os, "getuid") or (facts.st_uid == os.getuid() and not facts.st_mode & 0o077)
    return found if own and len(found) == BYTES else b""

"""Opens the browser without showing its address to others on this machine.

A list of processes shows with which address a browser was started, and the address is all that a
stranger would need. So the browser is given a file that only this user can read and that leads on.
"""

from __future__ import annotations

import os
import tempfile
import webbrowser
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

LEADS_ON = """<!doctype html><html lang="en"><meta charset="utf-8"><title>course mark</title>
<meta http-equiv="refresh" content="0; url={address}"><a href="{address}">Go on</a></html>
"""


@contextmanager
def opened(address: str, folder: Path) -> Iterator[None]:
    """Open the browser at the address; the file lies in the folder, if there is one, meanwhile."""
    place = folder.resolve() if folder.is_dir() else None
    number, name = tempfile.mkstemp(".html", "mark-", place)  # for this user alone
    try:
        with os.fdopen(number, "w", encoding="utf-8") as file:
            file.write(LEADS_ON.format(address=address))
        webbrowser.open(Path(name).as_uri())
        yield
    finally:
        with suppress(OSError):
            os.unlink(name)

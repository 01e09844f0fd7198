"""What goes wrong with the results store, each in one sentence with the way out."""

from __future__ import annotations


class GradebookError(Exception):
    """Why the store cannot be read or written, in one sentence. Rows written before are safe."""


def damaged(where: str, text: str) -> str:
    """A file that is there and cannot be read: what was found, and the way out."""
    return (
        f"{where} is damaged, or not a gradebook of this course ({text}); nothing was changed: "
        "put a copy of it in its place, or move it away, grade again and give your files of marks "
        "with --manual"
    )


def sentence(error: Exception, where: str, wait_seconds: float) -> str:
    """What a database's error means for the person who grades."""
    text = str(getattr(error, "orig", None) or error).strip().splitlines()[0]
    safe = "what was stored before is safe"
    if "locked" in text or "busy" in text:
        return (
            f"the gradebook {where} is in use by another program and stayed so for "
            f"{wait_seconds:g} s; end that program and run again, {safe}"
        )
    if "full" in text or "No space left" in text:
        return f"no space left for the gradebook {where}; free some and run again, {safe}"
    if "not a database" in text or "malformed" in text:
        return damaged(where, text)
    if isinstance(error, ImportError):
        return f"the gradebook {where} needs a driver that is not installed: {text}"
    if any(
        sign in text
        for sign in ("readonly", "unable to open", "directory", "File exists", "denied")
    ):
        return f"the gradebook {where} cannot be written here ({text}); name a writable place"
    return f"the gradebook {where} cannot be used: {text}; {safe}"

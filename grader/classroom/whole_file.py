"""Writes a file whole or not at all."""

from __future__ import annotations

from pathlib import Path


def replace(path: Path, data: str | bytes) -> None:
    """Write to a new file, then rename: if the disk is full, the last run's file stays intact."""
    fresh = path.with_suffix(path.suffix + ".new")
    try:
        fresh.write_bytes(data.encode("utf-8") if isinstance(data, str) else data)
        fresh.replace(path)
    except OSError:
        fresh.unlink(missing_ok=True)
        raise

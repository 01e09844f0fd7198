"""Read files from the Hugging Face hub at pinned commits, whole or only the first rows."""

import contextlib
import io
import json
import os
import urllib.request
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from .registry import HubFile, HubPath, Unavailable

HUB_TIMEOUT = 5.0  # seconds until the next source is tried
READ_TIMEOUT = 60.0  # seconds
BUFFER = 1 << 20  # minimum bytes per request

Fields = tuple[Any, ...]


def download(wanted: HubPath) -> Path:
    """The path of the file in the hub's cache, downloading it if needed."""
    import huggingface_hub as hub
    from huggingface_hub.errors import LocalEntryNotFoundError

    def fetch(local: bool) -> Path:
        return Path(
            hub.hf_hub_download(
                wanted.id,
                wanted.file,
                repo_type=wanted.kind,
                revision=wanted.revision,
                local_files_only=local,
                token=False,  # public data: an expired login must not matter
            )
        )

    with contextlib.suppress(LocalEntryNotFoundError):
        return fetch(local=True)
    with _asking(wanted):
        # Check first: without a network, a download retries for minutes.
        hub.get_hf_file_metadata(_url(wanted), timeout=HUB_TIMEOUT, token=False)
        return fetch(local=False)


def top(wanted: HubFile, rows: int) -> list[Fields]:
    """The first `rows` rows of a Parquet file without an empty side; the rest is not fetched.

    The result is not cached, so every call needs the network.
    """
    import huggingface_hub as hub
    from pyarrow import parquet

    found: list[Fields] = []
    with _asking(wanted):
        about = hub.get_hf_file_metadata(_url(wanted), timeout=HUB_TIMEOUT, token=False)
        remote = RemoteFile(about.location, about.size or 0)
        with parquet.ParquetFile(io.BufferedReader(remote, BUFFER)) as file:
            for group in range(file.num_row_groups):
                part = file.read_row_group(group, list(wanted.columns)).to_pylist()
                pairs = _fields(part, wanted.columns)
                found += [pair for pair in pairs if all(map(str.strip, pair))]
                if len(found) >= rows:
                    break
    return found[:rows]


def about(wanted: HubFile) -> tuple[str, int, str | None]:
    """(address, bytes, sha256) of a file, as the hub states them for the commit.

    The checksum is that of a large file's content, which the commit names; None for a small file.
    """
    import huggingface_hub as hub

    with _asking(wanted):
        found = hub.get_hf_file_metadata(_url(wanted), timeout=HUB_TIMEOUT, token=False)
    checksum = (found.etag or "").strip('"')
    is_sha256 = len(checksum) == 64 and not set(checksum) - set("0123456789abcdef")
    return found.location, found.size or 0, checksum if is_sha256 else None


def columns(path: Path, names: tuple[str, ...]) -> list[Fields]:
    """The columns of a Parquet or JSON-lines file; "translation.en" is a nested column."""
    if path.suffix == ".parquet":
        from pyarrow import parquet

        with parquet.ParquetFile(path) as file:
            return _fields(file.read(list(names)).to_pylist(), names)
    lines = path.read_text(encoding="utf-8").split("\n")
    return _fields((json.loads(line) for line in lines if line), names)


def _fields(records: Iterable[dict[str, Any]], names: tuple[str, ...]) -> list[Fields]:
    def value(record: dict[str, Any], name: str) -> Any:
        for key in name.split("."):
            record = record[key]
        return record

    return [tuple(value(record, name) for name in names) for record in records]


class RemoteFile(io.RawIOBase):
    """A seekable file over HTTP, read by range requests."""

    def __init__(self, address: str, size: int) -> None:
        self._address = address
        self._size = size
        self._position = 0

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def tell(self) -> int:
        return self._position

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        start = {io.SEEK_SET: 0, io.SEEK_CUR: self._position, io.SEEK_END: self._size}[whence]
        self._position = start + offset
        return self._position

    def readinto(self, buffer: Any) -> int:
        """Fill the buffer from the current position; returns the number of bytes read."""
        end = min(self._position + len(buffer), self._size)
        if self._position >= end:
            return 0
        request = urllib.request.Request(
            self._address, headers={"Range": f"bytes={self._position}-{end - 1}"}
        )
        with urllib.request.urlopen(request, timeout=READ_TIMEOUT) as answer:
            if answer.status != 206:
                raise OSError("the server does not send parts of a file")
            content = answer.read()
        buffer[: len(content)] = content
        self._position += len(content)
        return len(content)


def _url(wanted: HubPath) -> str:
    import huggingface_hub as hub

    return hub.hf_hub_url(wanted.id, wanted.file, repo_type=wanted.kind, revision=wanted.revision)


@contextlib.contextmanager
def _asking(wanted: HubPath) -> Iterator[None]:
    """Silence the hub's output, and turn any error of the hub or the network into Unavailable."""
    from huggingface_hub.errors import HfHubHTTPError

    if os.environ.get("HF_HUB_OFFLINE", "0").upper() in ("1", "ON", "YES", "TRUE"):
        raise Unavailable(f"{wanted.id} is not on this machine, and HF_HUB_OFFLINE is set")
    try:
        with _quiet_hub():
            yield
    except HfHubHTTPError as error:
        status = error.response.status_code if error.response is not None else "an error"
        raise Unavailable(f"the hub answers {status} for {wanted.id}/{wanted.file}") from None
    except Exception as error:  # networks fail in many ways: try the next source
        raise Unavailable(
            f"{wanted.id} is not on this machine and could not be downloaded, because the "
            f"network or the hub does not answer ({type(error).__name__})"
        ) from None


@contextlib.contextmanager
def _quiet_hub() -> Iterator[None]:
    """Suppress progress bars and warnings on stderr, which would fail a check cell."""
    from huggingface_hub import logging
    from huggingface_hub.utils import (
        are_progress_bars_disabled,
        disable_progress_bars,
        enable_progress_bars,
    )

    had_bars, level = not are_progress_bars_disabled(), logging.get_verbosity()
    logging.set_verbosity_error()
    if had_bars:
        disable_progress_bars()
    try:
        yield
    finally:
        logging.set_verbosity(level)
        if had_bars:
            enable_progress_bars()

"""Folders with small data sources, and a hub on this machine."""

import gzip
import http.server
import threading

import pytest
from checkout import place
from data_world import ROWS, Hub, World, package_archive, sha256, text_of

from course_lib.data import local_files


@pytest.fixture
def folders(tmp_path, monkeypatch):
    """A mirror and a cache that are empty; no network is used."""
    monkeypatch.setenv("COURSE_DATA", str(tmp_path / "mirror"))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setenv("LOCALAPPDATA", str(tmp_path / "cache"))
    return tmp_path


@pytest.fixture
def world(folders):
    """A mirror, a cache with a package, and a registry of them."""
    for split, rows in ROWS.items():
        place(folders / f"mirror/films/{split}.tsv.gz", gzip.compress(text_of(rows)))
    archive = package_archive()
    place(local_files.cache_folder() / "ratings-1.0.tar.gz", archive)
    return World(folders, sha256(archive))


@pytest.fixture
def hub(monkeypatch):
    """A hub at an address of this machine, whose `files` a test gives."""
    monkeypatch.delenv("HF_HUB_OFFLINE", raising=False)

    class Here(Hub):
        files: dict[str, bytes] = {}
        asked: list[tuple[str, int, int]] = []  # each file, its first byte, how many

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Here)
    threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
    Here.address = f"http://127.0.0.1:{server.server_port}"
    yield Here
    server.shutdown()
    server.server_close()

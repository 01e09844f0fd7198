"""Small data sources for tests: a mirror, a package in the cache, and a registry of both."""

import gzip
import hashlib
import io
import json
import os
import tarfile
from pathlib import Path

import pytest
from checkout import ROOT

from course_lib.data import local_files
from course_lib.data.datasets import load
from course_lib.data.grammar import reviews

MIRROR = Path(os.environ.get("COURSE_DATA") or ROOT.parent / "shared" / "data")
needs_mirror = pytest.mark.skipif(
    not (MIRROR / "sst2").is_dir(), reason="no local mirror: set COURSE_DATA to a folder with sst2"
)
REVISION = "0123456789abcdef" * 2 + "01234567"
ROWS = {"train": [("a fine film", 1), ("dull", 0), ("«très» 好 👍", 1)], "test": [("weak .", 0)]}


def sha256(content):
    return hashlib.sha256(content).hexdigest()


def text_of(rows):
    return "".join(f"{text}\t{label}\n" for text, label in [("sentence", "label"), *rows]).encode()


def package_archive():
    """A nested archive like the real one, with lines of id, mean rating, text."""
    lines = [(2.5, "a fine film"), (-3, "dull"), (0.4, "so so"), (-1, "A fine film!")]
    lines += [(1 if i % 2 else -1, f"number {i} of many") for i in range(60)]
    table = "\r\n".join(f"{i}\t{rating}\t{text}" for i, (rating, text) in enumerate(lines))
    content = table.encode()
    for name in ("inner/ratings.txt", "outer/inner.tar.gz"):
        packed = io.BytesIO()
        with tarfile.open(fileobj=packed, mode="w:gz") as tar:
            member = tarfile.TarInfo(name)
            member.size = len(content)
            tar.addfile(member, io.BytesIO(content))
        content = packed.getvalue()
    return content


@pytest.fixture
def world(tmp_path, monkeypatch):
    """A mirror, a cache with a package, and a registry of them; no network is used."""
    monkeypatch.setenv("COURSE_DATA", str(tmp_path / "mirror"))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setenv("LOCALAPPDATA", str(tmp_path / "cache"))
    (tmp_path / "mirror" / "films").mkdir(parents=True)
    for split, rows in ROWS.items():
        (tmp_path / "mirror" / "films" / f"{split}.tsv.gz").write_bytes(
            gzip.compress(text_of(rows))
        )
    archive = package_archive()
    local_files.cache_folder().mkdir(parents=True)
    (local_files.cache_folder() / "ratings-1.0.tar.gz").write_bytes(archive)
    return World(tmp_path, sha256(archive))


class World:
    """A small registry that a test may change before it is read."""

    def __init__(self, folder, archive_sha256):
        self.folder = folder
        shared = {"title": "t", "licence": "l", "citation": "c", "columns": ["sentence", "label"]}
        hub = {"id": "someone/films", "revision": REVISION, "columns": ["text", "label"]}
        files = {"train": "data/train.parquet", "test": "test.jsonl"}
        splits = [
            {
                "name": split,
                "rows": len(rows),
                "mirror": {"file": f"films/{split}.tsv.gz", "sha256": sha256(text_of(rows))},
                "hub": {**hub, "file": files[split]},
            }
            for split, rows in ROWS.items()
        ]
        self.films = {
            **shared,
            "name": "films",
            "sources": ["mirror", "hub", "package", "generated"],
            "stand_ins": {"package": "ratings", "generated": "made_up"},
            "splits": splits,
        }
        self.ratings = {
            **shared,
            "name": "ratings",
            "sources": ["package"],
            "notices": {"always": "other sentences"},
            "package": {
                "requirement": "ratings==1.0",
                "file": "ratings-1.0.tar.gz",
                "sha256": archive_sha256,
                "members": ["outer/inner.tar.gz", "inner/ratings.txt"],
                "least_rating": 0.5,
            },
            "splits": [
                {"name": "train", "rows": 55},
                {"name": "validation", "rows": 2},
                {"name": "test", "rows": 5},
            ],
        }
        sizes = reviews.SIZES["sentences"].items()
        self.made_up = {
            **shared,
            "name": "made_up",
            "sources": ["generated"],
            "generated": "sentences",
            "splits": [{"name": name, "rows": rows} for name, rows in sizes],
        }

    def load(self, name="films", sources=None):
        return load(name, sources, registry=self.registry())

    def registry(self):
        """Write TOML manually: a JSON value is an inline TOML value except for its colons."""

        def value(x):
            if isinstance(x, dict):
                return "{" + ", ".join(f"{k} = {value(v)}" for k, v in x.items()) + "}"
            if isinstance(x, list):
                return "[" + ", ".join(map(value, x)) + "]"
            return json.dumps(x)

        tables = [
            "[[datasets]]\n" + "".join(f"{key} = {value(x)}\n" for key, x in entry.items())
            for entry in (self.films, self.ratings, self.made_up)
        ]
        text = "\n".join(tables)
        path = self.folder / f"{sha256(text.encode())[:8]}.toml"  # one that was read is kept
        path.write_text(text, encoding="utf-8")
        return path

    def without_mirror(self, monkeypatch):
        monkeypatch.delenv("COURSE_DATA")

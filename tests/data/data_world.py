"""Small data sources for tests: a mirror, a package, a hub, and a registry of them."""

import hashlib
import http.server
import io
import json
import os
import tarfile
from pathlib import Path

import pytest
from checkout import ROOT, place

from course_lib.data.datasets import load
from course_lib.data.grammar import reviews
from grader.course import toml

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


def parquet_of(columns, **how):
    """A Parquet file with these columns."""
    from pyarrow import Table, parquet

    packed = io.BytesIO()
    parquet.write_table(Table.from_pydict(columns), packed, **how)
    return packed.getvalue()


def registry_of(path, entries):
    """Write TOML manually: a JSON value is an inline TOML value except for its colons."""

    def value(x):
        if isinstance(x, dict):
            return "{" + ", ".join(f"{k} = {value(v)}" for k, v in x.items()) + "}"
        return "[" + ", ".join(map(value, x)) + "]" if isinstance(x, list) else json.dumps(x)

    tables = (
        "[[datasets]]\n" + "".join(f"{key} = {value(x)}\n" for key, x in entry.items())
        for entry in entries
    )
    text = "\n".join(tables)
    return place(path / f"{sha256(text.encode())[:8]}.toml", text)  # one that was read is kept


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


SHARED = 'title = "t"\nlicence = "l"\ncitation = "c"\ncolumns = ["sentence", "label"]\n'
ENTRIES = f"""
[films]
name = "films"
sources = ["mirror", "hub", "package", "generated"]
stand_ins = {{package = "ratings", generated = "made_up"}}
{SHARED}
[ratings]
name = "ratings"
sources = ["package"]
notices = {{always = "other sentences"}}
{SHARED}
splits = [
  {{name = "train", rows = 55}}, {{name = "validation", rows = 2}}, {{name = "test", rows = 5}}
]
[ratings.package]
requirement = "ratings==1.0"
file = "ratings-1.0.tar.gz"
members = ["outer/inner.tar.gz", "inner/ratings.txt"]
least_rating = 0.5
[made_up]
name = "made_up"
sources = ["generated"]
generated = "sentences"
{SHARED}
"""


class World:
    """A small registry that a test may change before it is read."""

    def __init__(self, folder, archive_sha256):
        self.folder = folder
        self.films, self.ratings, self.made_up = toml.loads(ENTRIES).values()
        files = {"train": "data/train.parquet", "test": "test.jsonl"}
        hub = {"id": "someone/films", "revision": REVISION, "columns": ["text", "label"]}
        self.films["splits"] = [
            {
                "name": split,
                "rows": len(rows),
                "mirror": {"file": f"films/{split}.tsv.gz", "sha256": sha256(text_of(rows))},
                "hub": {**hub, "file": files[split]},
            }
            for split, rows in ROWS.items()
        ]
        self.ratings["package"]["sha256"] = archive_sha256
        sizes = reviews.SIZES["sentences"].items()
        self.made_up["splits"] = [{"name": name, "rows": rows} for name, rows in sizes]

    def load(self, name="films", sources=None):
        return load(name, sources, registry=self.registry())

    def registry(self):
        return registry_of(self.folder, (self.films, self.ratings, self.made_up))


class Hub(http.server.BaseHTTPRequestHandler):
    """Answers what is asked for the files of one data set or model at one commit.

    It sends parts, if asked; a connection ends after `most` bytes.
    """

    repository = "datasets/someone/films"
    stated: dict[str, str] = {}  # checksums that are not those of the files
    most: int | None = None
    parts = True  # whether a Range is respected

    def do_HEAD(self):  # noqa: N802
        prefix, _, name = self.path.partition(f"/resolve/{REVISION}/")
        content = self.files.get(name) if prefix == f"/{self.repository}" else None
        asked = self.headers.get("Range") if self.parts else None
        start, _, end = (asked or "bytes=0-").removeprefix("bytes=").partition("-")
        part = (content or b"")[int(start) : int(end) + 1 if end else None]
        self.send_response(404 if content is None else 206 if asked else 200)
        self.send_header("Content-Length", str(len(part)))
        self.send_header("ETag", f'"{self.stated.get(name) or sha256(content or b"")}"')
        self.send_header("X-Repo-Commit", REVISION)
        if self.command == "GET":  # before the answer, after which a test may empty the list
            self.asked.append((name, int(start), len(part)))
        self.end_headers()
        if self.command == "GET":
            self.wfile.write(part[: self.most])

    do_GET = do_HEAD  # noqa: N815

    def log_message(self, *args):
        """Not on the tests' stderr."""

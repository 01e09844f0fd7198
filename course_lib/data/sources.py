"""Read examples from a local mirror, the Hugging Face hub, or a package.

Rows are (sentence, label), (English, French), (text,) or (premise, hypothesis, label).
`Unavailable` means that the next source may be tried; any other `DataError`, such as a wrong
checksum, needs someone to fix it.
"""

import gzip
import hashlib
import io
import tarfile
import zlib
from typing import Any

from . import hub
from .local_files import compare, mirror_folder, package_archive
from .registry import DataError, HubFile, MirrorFile, PackageFile, Split, Unavailable

Row = tuple[Any, ...]  # a text, and perhaps its label, 0 or 1, or its translation


def from_mirror(split: Split, wanted: MirrorFile) -> list[Row]:
    """One split from a gzip TSV file of the mirror, whose text must match its checksum."""
    folder = mirror_folder()
    path = folder / wanted.file
    if not path.exists():
        if not path.parent.is_dir():
            raise Unavailable(f"COURSE_DATA has no folder {path.parent.name}")
        raise DataError(
            f"the mirror has no split {split.name}: put it at {path}, or unset COURSE_DATA"
        )
    try:
        content = gzip.decompress(path.read_bytes())
    except (OSError, EOFError, zlib.error) as error:
        raise DataError(
            f"{path} cannot be read ({error}): copy it again, or unset COURSE_DATA"
        ) from None
    compare(content, wanted.sha256, path, "copy it again, or unset COURSE_DATA")
    first, *lines = content.decode("utf-8").removesuffix("\n").split("\n")
    header = first.split("\t")
    fields = [line.split("\t") for line in lines if line or len(header) == 1]
    if header[-1] == "label":
        return checked(split, [(text, int(label)) for text, label in fields], str(path))
    return checked(split, [tuple(row) for row in fields], str(path))


def from_hub(split: Split, wanted: HubFile, classes: int = 2) -> list[Row]:
    """One split from one file of the hub at a pinned commit; needs the network once."""
    if wanted.first:
        found = hub.top(wanted, wanted.first)
    else:
        path = hub.download(wanted)
        if wanted.sha256:
            compare(path.read_bytes(), wanted.sha256, path, "delete it and load again")
        others = (wanted.model_copy(update={"file": name}) for name in wanted.more_files)
        paths = [path, *map(hub.download, others)]
        found = [row for one in paths for row in hub.columns(one, wanted.columns)]
    rows: list[Row] = [tuple(map(_clean, row)) for row in found]
    if wanted.per_class:
        rows = _ranked(rows, *wanted.per_class)
    if wanted.ranks:
        rows = _ranked_pairs(rows, *wanted.ranks)
    return checked(split, rows, f"{wanted.id} on the hub", classes, wanted.unlabeled)


def from_package(wanted: PackageFile) -> dict[str, list[Row]]:
    """All splits of the rated snippets inside a source distribution.

    A line is id, mean rating from -4 to 4, text. The label is the rating's sign; ratings near zero
    are left out. The split is decided by the text itself: 8 : 1 : 1.
    """
    content = package_archive(wanted)
    for member in wanted.members:
        with tarfile.open(fileobj=io.BytesIO(content)) as tar:
            file = tar.extractfile(member)
            assert file is not None, member  # guaranteed by the checksum
            content = file.read()
    splits: dict[str, list[Row]] = {"train": [], "validation": [], "test": []}
    seen = set()
    for line in content.decode("utf-8").rstrip().split("\n"):
        _, rating, text = line.split("\t")
        key = "".join(filter(str.isalnum, text.casefold()))
        if abs(float(rating)) < wanted.least_rating or key in seen:
            continue
        seen.add(key)
        bucket = int(hashlib.sha256(key.encode()).hexdigest()[:8], 16) % 10
        name = {0: "validation", 1: "test"}.get(bucket, "train")
        splits[name].append((text.strip(), int(float(rating) > 0)))
    return splits


def checked(
    split: Split, rows: list[Row], origin: str, classes: int = 2, unlabeled: bool = False
) -> list[Row]:
    """Return the rows. Raises DataError for a wrong count, a wrong label or an empty side.

    Rows of a text alone may be empty, and are left out once they are counted; so are rows with
    the label -1 of data that has some `unlabeled`.
    """
    known = {*range(classes), *([-1] if unlabeled else [])}
    strange = sorted({row[-1] for row in rows if not isinstance(row[-1], str)} - known)
    if strange == [-1]:
        raise DataError(
            f"the split {split.name} of {origin} has labels of -1, which are withheld there: "
            "take it from a source that has them (SetFit/sst2 for SST-2's test split)"
        )
    if strange:
        raise DataError(
            f"the split {split.name} of {origin} has the label {strange[0]!r}, not 0 to "
            f"{classes - 1}: correct the file or data/registry.toml"
        )
    for number, row in enumerate(rows):
        if len(row) == 2 and (row[1] == "" or (row[0] == "" and isinstance(row[1], str))):
            raise DataError(
                f"pair {number} of the split {split.name} of {origin} has an empty side: "
                "correct the file or data/registry.toml"
            )
    if len(rows) != split.rows:
        raise DataError(
            f"the split {split.name} of {origin} has {len(rows):,} rows instead of "
            f"{split.rows:,}: fetch it again, or correct data/registry.toml"
        )
    return [row for row in rows if row[-1] != -1 and (len(row) > 1 or row[0])]


def _clean(value: Any) -> Any:
    return value.replace("<br />", " ").strip() if isinstance(value, str) else value


def _ranked(rows: list[Row], first: int, last: int) -> list[Row]:
    """The texts of each class from rank `first` to `last` by sha256, a reproducible sample."""
    unique: dict[str, Any] = dict(rows)
    order = sorted(unique, key=lambda text: hashlib.sha256(text.encode()).hexdigest())
    classes = ([text for text in order if unique[text] == label] for label in (0, 1))
    chosen = {text for texts in classes for text in texts[first:last]}
    return [(text, unique[text]) for text in order if text in chosen]


def _ranked_pairs(rows: list[Row], first: int, last: int) -> list[Row]:
    """The pairs from rank `first` to `last` by the sha256 of the first side, without duplicates."""
    unique = {text: other for text, other in rows if text and other}
    order = sorted(unique, key=lambda text: hashlib.sha256(text.encode()).hexdigest())
    return [(text, unique[text]) for text in order[first:last]]

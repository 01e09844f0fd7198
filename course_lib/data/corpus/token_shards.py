"""Shards: files of tokenized sentence pairs, and the manifest that says what they hold.

FOLDER/manifest.json         what was prepared, from which files, with a checksum of each
       tokenizer.json
       00000-0000.safetensors, …     the pairs of a training file, in its order
"""

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from ..registry import DataError
from .streamed_file import sha256_of

MANIFEST = "manifest.json"
MOST_TOKENS = 1 << 16  # of a vocabulary: ids are stored in 16 bits
AGAIN = "prepare the corpus again, which makes anew what is missing or damaged"
SIDES = ("source", "target")

Ids = Sequence[Sequence[int]]


@dataclass(frozen=True)
class Shard:
    """One file of a corpus, with its checksum."""

    name: str
    sha256: str
    pairs: int


@dataclass(frozen=True)
class Prepared:
    """The result of preparing one training file."""

    file: str
    sha256: str
    left_out: int  # pairs with an empty side, or a side that is too long
    shards: list[Shard]

    @property
    def pairs(self) -> int:
        return sum(shard.pairs for shard in self.shards)


@dataclass
class Manifest:
    """`identity` says what was asked for: a folder serves one corpus, prepared in one way."""

    identity: dict[str, Any]
    tokenizer_sha256: str = ""
    files: list[Prepared] = field(default_factory=list)

    @property
    def shards(self) -> list[Shard]:
        return [shard for file in self.files for shard in file.shards]

    def write(self, folder: Path) -> None:
        """Replace the manifest of the folder: it is never half-written."""
        draft = folder / f"{MANIFEST}.part"
        draft.write_text(json.dumps(asdict(self), indent=1) + "\n", encoding="utf-8")
        draft.replace(folder / MANIFEST)

    @classmethod
    def read(cls, folder: Path) -> "Manifest | None":
        """The manifest of the folder, if there is one. Raises DataError for an unreadable one."""
        path = folder / MANIFEST
        if not path.exists():
            return None
        try:
            found = json.loads(path.read_text(encoding="utf-8"))
            files = [
                Prepared(**{**file, "shards": [Shard(**shard) for shard in file["shards"]]})
                for file in found["files"]
            ]
            return cls(found["identity"], found["tokenizer_sha256"], files)
        except (ValueError, KeyError, TypeError) as error:
            raise DataError(
                f"{path} cannot be read ({error}): delete it, and prepare the corpus again"
            ) from None


def write_shard(path: Path, source_ids: Ids, target_ids: Ids) -> Shard:
    """Write pairs of token ids below 65,536."""
    from safetensors.numpy import save_file

    arrays: dict[str, np.ndarray] = {}
    for side, sequences in zip(SIDES, (source_ids, target_ids), strict=True):
        arrays[side] = np.array([id for ids in sequences for id in ids], dtype=np.uint16)
        arrays[f"{side}_lengths"] = np.array([len(ids) for ids in sequences], dtype=np.uint16)
    draft = path.with_name(f"{path.name}.part")
    save_file(arrays, draft)
    draft.replace(path)
    return Shard(path.name, sha256_of(path), len(source_ids))


def read_shard(folder: Path, shard: Shard) -> tuple[list[list[int]], list[list[int]]]:
    """(source ids, target ids) of a shard. Raises DataError for a missing or damaged one."""
    arrays = _arrays(folder, shard)
    source_ids, target_ids = (_split(arrays[side], arrays[f"{side}_lengths"]) for side in SIDES)
    return source_ids, target_ids


def read_lengths(folder: Path, shard: Shard) -> np.ndarray:
    """The lengths (pairs, 2) of both sides. Raises DataError as `read_shard` does."""
    arrays = _arrays(folder, shard)
    return np.stack([arrays[f"{side}_lengths"].astype(np.int64) for side in SIDES], axis=1)


def _arrays(folder: Path, shard: Shard) -> dict[str, np.ndarray]:
    from safetensors.numpy import load_file

    if not is_whole(folder, shard):
        raise DataError(
            f"{folder / shard.name}, a shard of the corpus, is missing or damaged: {AGAIN}"
        )
    return load_file(folder / shard.name)


def is_whole(folder: Path, shard: Shard) -> bool:
    """Whether the shard is there, with the checksum of the manifest."""
    path = folder / shard.name
    return path.exists() and sha256_of(path) == shard.sha256


def _split(ids: np.ndarray, lengths: np.ndarray) -> list[list[int]]:
    ends = np.cumsum(lengths.astype(np.int64))[:-1]
    return [part.tolist() for part in np.split(ids, ends)]

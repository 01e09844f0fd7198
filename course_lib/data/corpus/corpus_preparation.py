"""Prepare a corpus of millions of pairs: fetch its files, learn a vocabulary, write token shards.

    manifest = prepare(read().corpus("wmt14_en_de"), Path("shards"), How(vocab_size=37_000))

No more than the pairs of a shard are in memory at once, but for those that the vocabulary is
learned from. Every call resumes where an earlier one was interrupted. Files of the hub are removed
when their shards are written.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from ..registry import Corpus, DataError, HubFile
from ..tokenization import TextTokenizer
from ..tokenizer import Tokenizer
from .streamed_file import fetch, sha256_of
from .token_shards import MOST_TOKENS, Manifest, Prepared, Shard, is_whole, write_shard

TOKENIZER, FILES = "tokenizer.json", "files"
ROWS = 2_000  # read at once
Pairs = list[tuple[str, str]]


@dataclass(frozen=True)
class How:
    """The part of a corpus to prepare, and the settings; part of the manifest's identity."""

    vocab_size: int
    pairs_a_shard: int = 50_000
    vocabulary_pairs: int = 1_000_000  # evenly spread over the corpus, to learn the vocabulary from
    longest: int = 256  # tokens of a side; the paper does not say what it left out


def prepare(corpus: Corpus, folder: Path, how: How, log: Callable[[str], None] = print) -> Manifest:
    """The manifest of `folder`, once all shards of the corpus are there and whole.

    Raises DataError, one sentence, when the hub cannot be reached, a checksum or a count is wrong,
    or the folder holds another corpus, or the same prepared in another way.
    """
    if not 5 < how.vocab_size <= MOST_TOKENS:
        raise DataError(f"a vocabulary of {how.vocab_size}: give between 6 and {MOST_TOKENS:,}")
    folder.mkdir(parents=True, exist_ok=True)
    manifest = _manifest(corpus, folder, how)
    whole = [f for f in manifest.files if all(is_whole(folder, shard) for shard in f.shards)]
    manifest.files = whole
    tokenizer = _tokenizer(corpus, folder, how, manifest, log)
    for number, file in enumerate(corpus.files):
        if file.file in {prepared.file for prepared in manifest.files}:
            continue
        path, checksum = fetch(file, folder / FILES, log)
        shards, left_out = _shards(path, file, folder, number, tokenizer, how)
        manifest.files.append(Prepared(file.file, checksum, left_out, shards))
        manifest.files.sort(key=lambda prepared: prepared.file)
        manifest.write(folder)
        path.unlink()
        log(f"{file.file}: {manifest.files[-1].pairs:,} pairs in shards")
    rows = sum(file.pairs + file.left_out for file in manifest.files)
    if rows != corpus.rows:
        raise DataError(
            f"{corpus.name} has {rows:,} training pairs instead of {corpus.rows:,}: correct "
            "data/registry.toml"
        )
    return manifest


def _manifest(corpus: Corpus, folder: Path, how: How) -> Manifest:
    """The manifest of the folder, or a new one. Raises DataError for that of something else."""
    wanted = {"corpus": corpus.name, "revision": corpus.revision, **vars(how)}
    found = Manifest.read(folder) or Manifest(wanted)
    for name, value in wanted.items():
        if found.identity.get(name) != value:
            raise DataError(
                f"{folder} holds what was prepared in another way ({name} was "
                f"{found.identity.get(name)!r} and is {value!r}): choose another folder"
            )
    return found


def _tokenizer(
    corpus: Corpus, folder: Path, how: How, manifest: Manifest, log: Callable[[str], None]
) -> TextTokenizer:
    """The corpus's vocabulary (§5.1: shared by both languages), learned once from all its files.

    Raises DataError when it is damaged: what was tokenized by it could not be read.
    """
    path = folder / TOKENIZER
    if manifest.tokenizer_sha256:
        if not path.exists() or sha256_of(path) != manifest.tokenizer_sha256:
            raise DataError(f"{path} is missing or damaged: delete {folder} and prepare it again")
        return TextTokenizer.load(path)
    files = [(fetch(file, folder / FILES, log)[0], file) for file in corpus.files]
    log(f"learning a vocabulary of {how.vocab_size:,} tokens")
    tokenizer = TextTokenizer.train(
        _sample(files, max(1, corpus.rows // how.vocabulary_pairs)),
        kind="bpe",
        vocab_size=how.vocab_size,
        lowercase=False,
        reversible=True,
    )
    tokenizer.save(path)
    manifest.tokenizer_sha256 = sha256_of(path)
    manifest.write(folder)
    return tokenizer


def _sample(files: list[tuple[Path, HubFile]], every: int) -> Iterator[str]:
    """Both sides of every so many-th pair of all files."""
    for path, file in files:
        for pairs in _pairs(path, file):
            for pair in pairs[::every]:
                yield from pair


def _shards(
    path: Path, file: HubFile, folder: Path, number: int, tokenizer: Tokenizer, how: How
) -> tuple[list[Shard], int]:
    """The shards of one file, in its order, and how many pairs were left out."""
    shards, waiting, left_out = list[Shard](), list[tuple[list[int], list[int]]](), 0

    def write(count: int) -> None:
        name = f"{number:05}-{len(shards):04}.safetensors"
        source_ids, target_ids = zip(*waiting[:count], strict=True)
        shards.append(write_shard(folder / name, source_ids, target_ids))
        del waiting[:count]

    for pairs in _pairs(path, file):
        real = [pair for pair in pairs if all(map(str.strip, pair))]
        sides = (tokenizer.encode(side, 1 << 20) for side in zip(*real, strict=True))
        tokens = list(zip(*sides, strict=True))
        kept = [pair for pair in tokens if max(map(len, pair)) <= how.longest]
        left_out += len(pairs) - len(kept)
        waiting += kept
        while len(waiting) >= how.pairs_a_shard:
            write(how.pairs_a_shard)
    if waiting:
        write(len(waiting))
    return shards, left_out


def _pairs(path: Path, file: HubFile) -> Iterator[Pairs]:
    """The pairs of a Parquet file, some thousand at a time."""
    from pyarrow import parquet

    with parquet.ParquetFile(path) as opened:
        for batch in opened.iter_batches(ROWS, columns=list(file.columns)):
            sides = [_column(batch.to_pylist(), name) for name in file.columns]
            yield list(zip(*sides, strict=True))


def _column(records: list[dict], name: str) -> list[str]:
    """One column, "translation.en" being nested; what is missing is empty."""
    values: list = records
    for key in name.split("."):
        values = [value and value[key] for value in values]
    return [value or "" for value in values]

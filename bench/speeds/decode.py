"""Our beam search, with and without cache, against CTranslate2 on the same weights and data."""

import json
import random
import time
from collections.abc import Callable, Sequence
from functools import partial
from importlib.metadata import version
from pathlib import Path

import torch

from bench.record import Log, Measures, Row, of_rows, of_values, origin
from course_lib.data import datasets
from course_lib.data.tokenizer import END
from course_lib.decoding.cache import encoded, uncached_step
from course_lib.decoding.in_ctranslate2 import CTranslate2Search
from course_lib.decoding.search import Hypothesis
from course_lib.decoding.translator import Decoding, Translator, search
from course_lib.transformer import Transformer
from grader.authoring import results_file

Search = Callable[..., list[list[Hypothesis]]]  # of sentences as ids
BEAM = {"width": 5, "length_penalty": 1.0, "max_tokens": 100}
ROUNDS = 5
DATASET, SPLIT, SOURCE = "multi30k_en_fr", "test_2016_flickr", "en"
NAME = "bench_decode"


def uncached(model: Transformer) -> Decoding:
    """Decoding for a search that runs the decoder on the whole prefix at every step."""
    return lambda source_ids: encoded(model, source_ids), uncached_step(model)


def run(folder: Path, n_sentences: int, beside: bool, log: Log, threads: int = 1) -> Measures:
    """In each round all contenders translate another part of the test split, one after another.

    Measured without one-time costs such as loading: on one thread in CPU time, which other
    processes disturb less, and on several `threads` of each contender in wall-clock time. Writes
    `results/bench_decode.json`. Raises TranslationError if CTranslate2 is to be `beside` and is not
    installed.
    """
    torch.set_num_threads(threads)
    clock = time.process_time if threads == 1 else time.perf_counter
    translator = Translator.load(folder)
    data = datasets.load(DATASET, sources=("mirror",))
    texts = list(data[SPLIT][:n_sentences][SOURCE])
    random.Random(0).shuffle(texts)
    ids = translator.tokenizer.encode(texts)
    model = translator.model
    contenders: dict[str, Search] = {
        "cached": partial(search, model),
        "uncached": partial(search, model, decoding=uncached),
    }
    if beside:
        contenders["ctranslate2"] = CTranslate2Search(model)
    for translate in contenders.values():  # warms it up
        translate([[END + 2, END + 3]], **BEAM)
    rows = [_round(contenders, ids[number::ROUNDS], clock, log) for number in range(ROUNDS)]
    measures = of_values({"threads": [threads]}) | of_rows(rows)
    about = origin(data) | {
        "name": f"{data.name}, {len(texts)} sentences of {SPLIT}",
        "model": json.dumps(translator.arguments),
        "search": json.dumps(BEAM),
        **({"ctranslate2": version("ctranslate2")} if beside else {}),
    }
    command = f"course bench decode --model FOLDER --sentences {n_sentences} --threads {threads}"
    results_file.write(NAME, command + ("" if beside else " --no-ctranslate2"), measures, about)
    return measures


def _round(
    contenders: dict[str, Search],
    sentences: Sequence[Sequence[int]],
    clock: Callable[[], float],
    log: Log,
) -> Row:
    """Sentences per second of each contender, and the percentage of translations equal to ours."""
    row, made = {}, {}
    for name, translate in contenders.items():
        started = clock()
        made[name] = [found[0].tokens for found in translate(sentences, **BEAM)]
        row[f"{name}_sentences_per_second"] = len(sentences) / (clock() - started)
    for name, translations in made.items():
        if name != "cached":
            same = sum(a == b for a, b in zip(translations, made["cached"], strict=True))
            row[f"identical_to_{name}"] = 100 * same / len(sentences)
            own = row["cached_sentences_per_second"]
            row[f"speedup_over_{name}"] = own / row[f"{name}_sentences_per_second"]
    log(", ".join(f"{name} {row[f'{name}_sentences_per_second']:.1f}/s" for name in contenders))
    return row

"""`course translate …`."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from . import EXIT_OK
from .problems import UsageProblem

WIDTH = 24  # characters of a bar of weight 1
LEAST = 0.1  # smaller attention weights are not shown


@dataclass(frozen=True)
class Options:
    """How to translate, and what to show."""

    model: Path
    width: int
    length_penalty: float | None
    best: int
    words: bool
    as_json: bool


def run(texts: Sequence[str], options: Options) -> int:
    from course_lib.decoding.translator import TranslationError, Translator

    if options.best > options.width:
        raise UsageProblem(
            f"--best {options.best} with --width {options.width}: give a --width at least as large"
        )
    try:
        translator = Translator.load(options.model)
    except TranslationError as error:
        raise UsageProblem(str(error)) from None
    lines = texts or [line.rstrip("\n") for line in sys.stdin]
    sources = [line for line in lines if line.strip()]
    if broken := [text for text in sources if not _is_text(text)]:
        raise UsageProblem(f"{broken[0][:40]!r} is not UTF-8: save the sentences as UTF-8")
    if not sources:
        raise UsageProblem("nothing to translate: give sentences, or one per line on stdin")
    found = translator.search(sources, options.width, options.length_penalty, n_best=options.best)
    for source, hypotheses in zip(sources, found, strict=True):
        made = [(translator.tokenizer.decode(h.tokens), h.score) for h in hypotheses]
        entry = {"source": source, "translations": [{"text": t, "score": s} for t, s in made]}
        if options.words and made:
            entry["words"] = _words(translator, source, made[0][0])
        _print(entry, options)
    return EXIT_OK


def _is_text(text: str) -> bool:
    """False if the bytes were not UTF-8: they arrive as lone surrogates, which do not encode."""
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True


def _words(translator: Any, source: str, target: str) -> list[dict[str, Any]]:
    """For each word of the translation, the three source words it attends to most."""
    from course_lib.analysis.translator_alignment import align

    seen = align(translator, source, target)
    return [
        {
            "word": word,
            "from": [[seen.source[i], round(float(row[i]), 3)] for i in (-row).argsort()[:3]],
        }
        for word, row in zip(seen.target, seen.weights, strict=True)
    ]


def _print(entry: dict[str, Any], options: Options) -> None:
    if options.as_json:
        print(json.dumps(entry, ensure_ascii=False))
        return
    if options.best == 1:
        print(entry["translations"][0]["text"] if entry["translations"] else "")
    else:
        print(entry["source"])
        for made in entry["translations"]:
            print(f"  {made['score']:7.3f}  {made['text']}")
    for row in entry.get("words", []):
        first, *others = row["from"]
        bar = "█" * round(WIDTH * first[1])
        also = "".join(f", {word} {weight:.2f}" for word, weight in others if weight >= LEAST)
        print(f"  {row['word']:>14}  {bar:{WIDTH}}  {first[0]} {first[1]:.2f}{also}")

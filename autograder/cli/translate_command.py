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
LEAST = 0.1  # a smaller weight is not told


@dataclass(frozen=True)
class Asked:
    """How to translate, and what to show."""

    model: Path
    width: int
    length_penalty: float | None
    best: int
    words: bool
    as_json: bool


def run(texts: Sequence[str], asked: Asked) -> int:
    from course_lib.decoding.translator import TranslationError, Translator

    if asked.best > asked.width:
        raise UsageProblem(
            f"--best {asked.best} from a beam of {asked.width}: give a --width at least as large"
        )
    try:
        translator = Translator.load(asked.model)
    except TranslationError as error:
        raise UsageProblem(str(error)) from None
    wanted = [text for text in (texts or _lines()) if text.strip()]
    if broken := [text for text in wanted if not _is_text(text)]:
        raise UsageProblem(f"{broken[0][:40]!r} is no UTF-8: save the sentences in that encoding")
    if not wanted:
        raise UsageProblem("there is nothing to translate: give sentences, or one a line")
    found = translator.search(wanted, asked.width, asked.length_penalty, n_best=asked.best)
    for text, hypotheses in zip(wanted, found, strict=True):
        made = [(translator.tokenizer.decode(h.tokens), h.score) for h in hypotheses]
        told = {"source": text, "translations": [{"text": t, "score": s} for t, s in made]}
        if asked.words and made:
            told["words"] = _words(translator, text, made[0][0])
        _tell(told, asked)
    return EXIT_OK


def _lines() -> list[str]:
    return [line.rstrip("\n") for line in sys.stdin]


def _is_text(text: str) -> bool:
    """Bytes that are no UTF-8 come as lone surrogates, which nothing can encode."""
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True


def _words(translator: Any, source: str, target: str) -> list[dict[str, Any]]:
    """For each word of the translation, the source words it looked at, the most first."""
    from course_lib.analysis.translator_alignment import align

    seen = align(translator, source, target)
    return [
        {
            "word": word,
            "from": [[seen.source[i], round(float(row[i]), 3)] for i in (-row).argsort()[:3]],
        }
        for word, row in zip(seen.target, seen.weights, strict=True)
    ]


def _tell(told: dict[str, Any], asked: Asked) -> None:
    if asked.as_json:
        print(json.dumps(told, ensure_ascii=False))
        return
    if asked.best == 1:
        print(told["translations"][0]["text"] if told["translations"] else "")
    else:
        print(told["source"])
        for made in told["translations"]:
            print(f"  {made['score']:7.3f}  {made['text']}")
    for row in told.get("words", []):
        first, *others = row["from"]
        bar = "█" * round(WIDTH * first[1])
        also = "".join(f", {word} {weight:.2f}" for word, weight in others if weight >= LEAST)
        print(f"  {row['word']:>14}  {bar:{WIDTH}}  {first[0]} {first[1]:.2f}{also}")

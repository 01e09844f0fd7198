"""Measures the live page's statements about its switches and heads, on its own sentences.

`course site claims` measures the committed model on generated sentences that it did not see and
writes `lectures/live_model/claims.json`, from which the page takes every sentence and number.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from course_lib.data.grammar.long_sentence_pairs import pairs
from course_lib.data.grammar.sentence_pairs import words
from course_lib.decoding.translator import Translator
from course_lib.training.saved_model import TRANSLATOR_WEIGHTS

from . import head_targets, live_model
from .live_model import Log
from .switches import SCALE, SWITCHES, heads, translations, without

FILE = "claims.json"
README_SENTENCE = "Two dogs play in the snow."
MEASURED_ON = 500  # sentences, the whole test split
LOOKED_AT = 60  # of them, for what heads look at
SHOWN = 3  # sentences of a switch, at least
SHORTEST, LONGEST = 8, 15  # words of a sentence that is shown
CLEAR = 0.3  # of a head's weight at one kind of place: then it is named
Claim = dict[str, Any]


def measure(folder: Path = live_model.FOLDER, log: Log = print) -> Claim:
    """All claims of a folder's model. Raises ValueError if a switch changes too few sentences."""
    translator = Translator.load(folder)
    test = pairs("test")[:MEASURED_ON]
    sentences = [english for english, _, _ in test]
    found = translations(translator, sentences)
    right = [i for i, (_, french, _) in enumerate(test) if found[i] == french]
    log(f"{len(right)} of {len(test)} sentences are right")
    look = head_targets.measured(translator, test[:LOOKED_AT])
    claims: Claim = {
        "model": fingerprint(folder),
        "sentences": len(test),
        "right": len(right),
        "switches": {},
        "heads": {},
    }
    for off in [*SWITCHES, *heads(translator.model)]:
        other = translations(translator, [sentences[i] for i in right], off)
        rows = [
            {"en": sentences[i], "fr": found[i], "without": text}
            for i, text in zip(right, other, strict=True)
            if text != found[i]
        ]
        claim: Claim = {"changed": len(rows)}
        if off in SWITCHES:
            claim["only_order"] = sum(_bag(row["fr"]) == _bag(row["without"]) for row in rows)
            claim["shown"] = _short(rows, SHOWN)
            claims["switches"][off] = claim
            if len(claim["shown"]) < SHOWN:
                raise ValueError(f"without {off} only {len(rows)} translations change")
        else:
            claims["heads"][off] = {**claim, **look[off], "shown": _short(rows, 1)}
            claims["heads"][off]["said"] = sentence(claims["heads"][off], len(right))
        log(f"without {off}: {len(rows)} change")
    greedy = translator.translate([sentences[i] for i in right], width=1)
    claims["greedy"] = sum(text != found[i] for i, text in zip(right, greedy, strict=True))
    claims["spread"] = _spread(translator, test[:LOOKED_AT])
    claims["examples"] = _examples(claims)
    return claims


def sentence(claim: Claim, of: int) -> str:
    """One sentence on what a head looks at, and one on what is lost without it."""
    if claim["share"] >= CLEAR:
        at = f"{round(100 * claim['share'])}% of its weight is on {claim['at']}."
    else:
        at = f"It spreads its weight over about {claim['spread']:.0f} words."
    if not claim["changed"]:
        return f"{at} Off, it has no visible effect on {of} sentences."
    return f"{at} Off, {claim['changed']} of {of} sentences change."


def fingerprint(folder: Path) -> str:
    """Of the weights that were measured."""
    return hashlib.sha256((folder / TRANSLATOR_WEIGHTS).read_bytes()).hexdigest()


def read(folder: Path = live_model.FOLDER) -> Claim:
    """The claims that `write` wrote."""
    return json.loads((folder / FILE).read_text(encoding="utf-8"))


def write(folder: Path = live_model.FOLDER, log: Log = print) -> Claim:
    """Measure, and write the file."""
    claims = measure(folder, log)
    text = json.dumps(claims, ensure_ascii=False, indent=1)
    (folder / FILE).write_text(text + "\n", encoding="utf-8")
    return claims


def _bag(text: str) -> list[str]:
    return sorted(text.lower().split())


def _short(rows: Sequence[Claim], n: int) -> list[Claim]:
    """The n shortest, but no shorter than a sentence with something to exchange in it."""
    fitting = sorted(rows, key=lambda row: len(words(row["en"])))
    return [row for row in fitting if SHORTEST <= len(words(row["en"])) <= LONGEST][:n]


def _spread(translator: Translator, test: Sequence[head_targets.Sentence]) -> dict[str, float]:
    """Over how many words a head spreads its weight on average, as it is and without √d_k."""
    other = Translator(without(translator.model, SCALE), translator.tokenizer)
    found = {}
    for name, one in (("with", translator), ("without", other)):
        spreads = [head["spread"] for head in head_targets.measured(one, test).values()]
        found[name] = round(sum(spreads) / len(spreads), 1)
    return found


def _examples(claims: Claim) -> list[str]:
    """The page's own sentences: README's, and those that show what a switch does."""
    shown = [row["en"] for claim in claims["switches"].values() for row in claim["shown"]]
    return list(dict.fromkeys([README_SENTENCE, *shown]))

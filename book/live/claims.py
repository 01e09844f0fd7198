"""Measures the live page's statements about its switches and heads, on sentences it never saw.

`COURSE_DATA=… course site claims` measures the committed model on real sentences of the test split
and writes `lectures/live_model/claims.json`, from which the page takes every sentence and number.
What a head looks at is measured on generated sentences, whose words are linked.
"""

import hashlib
import json
from collections.abc import Sequence
from difflib import SequenceMatcher
from html import escape
from pathlib import Path
from typing import Any

from course_lib.data.grammar.long_sentence_pairs import pairs
from course_lib.decoding.translator import Translator
from course_lib.evaluation.translation import bleu
from course_lib.training.saved_model import TRANSLATOR_WEIGHTS

from . import head_targets, live_model
from .live_model import Log
from .sentences import load, words
from .switches import BEAM, POSITIONS, SCALE, SWITCHES, WIDTH, heads, translations, without

FILE = "claims.json"
README_SENTENCE = "Two dogs play in the snow."
MEASURED_ON = 500  # real sentences of the test split
ENOUGH = 0.3  # of them change with a switch; one that changes fewer is no experiment
LOOKED_AT = 60  # generated sentences, for what heads look at
SHOWN = 3  # sentences of a switch, at least
SHORTEST, LONGEST = 5, 9  # words of a sentence that is shown
CLEAR = 0.3  # of a head's weight at one kind of place: then it is named
Claim = dict[str, Any]


def measure(folder: Path = live_model.FOLDER, log: Log = print) -> Claim:
    """All claims of a folder's model. Raises ValueError if a switch changes too few sentences."""
    translator = Translator.load(folder)
    test = load()["test"][:MEASURED_ON]
    sentences, references = test["en"], test["fr"]
    found = translations(translator, sentences)
    look = head_targets.measured(translator, pairs("test")[:LOOKED_AT])
    claims: Claim = {
        "model": fingerprint(folder),
        "sentences": len(sentences),
        "right": sum(map(str.__eq__, found, references)),
        "bleu": round(bleu(found, references).value, 1),
        "switches": {},
        "heads": {},
    }
    for off in [*SWITCHES, *heads(translator.model)]:
        other = translations(translator, sentences, off)
        rows = [
            {"en": english, "fr": text, "without": changed, "right": text == reference}
            for english, text, changed, reference in zip(
                sentences, found, other, references, strict=True
            )
            if text != changed
        ]
        claim: Claim = {"changed": len(rows), "bleu": round(bleu(other, references).value, 1)}
        if off in SWITCHES:
            claim["only_order"] = sum(_bag(row["fr"]) == _bag(row["without"]) for row in rows)
            claims["switches"][off] = {**claim, "shown": _short(rows, SHOWN)}
            if len(rows) < ENOUGH * len(sentences):
                raise ValueError(f"without {off} only {len(rows)} translations change")
        else:
            claims["heads"][off] = {**claim, **look[off], "shown": _short(rows, 1)}
            claims["heads"][off]["said"] = sentence(claims["heads"][off], len(sentences))
        log(f"without {off}: {len(rows)} of {len(sentences)} change, BLEU {claim['bleu']}")
    claims["spread"] = _spread(translator, pairs("test")[:LOOKED_AT])
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
    return f"{at} Off, {claim['changed']} of {of} sentences change, and BLEU is {claim['bleu']}."


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
    """The n shortest that were right, but no shorter than a sentence with something to exchange."""
    fitting = [row for row in rows if row["right"] and SHORTEST <= len(words(row["en"])) <= LONGEST]
    fitting.sort(key=lambda row: len(words(row["en"])))
    return [{name: row[name] for name in ("en", "fr", "without")} for row in fitting[:n]]


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


NAMES = {
    "encoder": "encoder, layer {0}, head {1}",
    "self": "decoder, layer {0}, self-attention, head {1}",
    "cross": "decoder, layer {0}, cross-attention, head {1}",
}


def html(claims: dict[str, Any], name: str) -> str:
    """Of a switch or of "heads". Raises ValueError for another name."""
    if name in SWITCHES:
        inside = _switch(claims, name)
    elif name == "heads":
        inside = _heads(claims)
    else:
        raise ValueError(f"no claim {name!r}: use one of {', '.join(SWITCHES)}, heads")
    return f'<div class="live-claims">{inside}</div>'


def _switch(claims: dict[str, Any], name: str) -> str:
    claim, of = claims["switches"][name], claims["sentences"]
    measured = (
        f"Measured: {claim['changed']} of {of} translations change, and BLEU goes from "
        f"{claims['bleu']} to {claim['bleu']}."
    )
    if name == POSITIONS and claim["only_order"]:
        measured += f" In {claim['only_order']} of them only the order of the words changes."
    if name == SCALE:
        spread = claims["spread"]
        measured += (
            f" A head spreads its weight over {spread['with']} words on average, and over "
            f"{spread['without']} without √dₖ."
        )
    rows = "".join(_row(row, name) for row in claim["shown"])
    titles = (f"Width {WIDTH}", "Width 1") if name == BEAM else ("On", "Off")
    return f"<p>{measured}</p>{_table(rows, titles)}"


def _heads(claims: dict[str, Any]) -> str:
    of = claims["sentences"]
    rows = []
    for place, claim in claims["heads"].items():
        stack, layer, *kind, head = place.split()
        name = NAMES[kind[0] if kind else stack].format(layer, head)
        shown = "".join(_row(row, place) for row in claim["shown"])
        rows.append(f"<dt>{name.capitalize()}</dt><dd>{escape(claim['said'])}{_table(shown)}</dd>")
    return (
        f"<p>Measured on {of} sentences, one head off at a time:</p>"
        f"<details><summary>All {len(rows)} heads</summary><dl>{''.join(rows)}</dl></details>"
    )


def _table(rows: str, titles: tuple[str, str] = ("On", "Off")) -> str:
    if not rows:
        return ""
    head = "".join(f'<th scope="col">{title}</th>' for title in ("English", *titles, "See it"))
    return (
        '<div class="live-scroll" tabindex="0" role="group" aria-label="Sentences that change">'
        f'<table class="table"><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table></div>'
    )


def _row(row: dict[str, str], off: str) -> str:
    english = escape(row["en"], quote=True)
    return (
        f'<tr><td lang="en">{english}</td><td lang="fr">{escape(row["fr"])}</td>'
        f'<td lang="fr">{_marked(row["fr"], row["without"])}</td>'
        f'<td><button type="button" class="live-try" disabled data-sentence="{english}" '
        f'data-off="{off}" aria-label="See it: {english}">▶</button></td></tr>'
    )


def _marked(before: str, after: str) -> str:
    """The second text with the words in bold that the first does not have there."""
    left, right = before.split(), after.split()
    found = []
    for kind, _, _, start, end in SequenceMatcher(None, left, right, False).get_opcodes():
        text = escape(" ".join(right[start:end]))
        if text:
            found.append(text if kind == "equal" else f"<strong>{text}</strong>")
    return " ".join(found)

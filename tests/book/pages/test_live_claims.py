"""What the live page claims of its switches and heads is so, on its own sentences."""

import re
from html import unescape

import pytest
import torch
from checkout import ROOT
from live_scripts import asked, translate

from book.live import claims, live_model, looks, told
from book.live.switches import SWITCHES, heads, translations
from course_lib.data.grammar.long_sentence_pairs import pairs
from course_lib.decoding.translator import Translator
from course_lib.masks import padding_mask

pytestmark = pytest.mark.xdist_group("long grammar")  # its corpus is made once
CLAIMS = claims.read()
EVERY = [(name, "switches") for name in SWITCHES] + [(name, "heads") for name in CLAIMS["heads"]]


@pytest.fixture(scope="module")
def translator():
    return Translator.load(live_model.FOLDER)


@pytest.fixture(scope="module")
def known():
    return {english: french for english, french, _ in pairs("test")}


def test_the_claims_are_of_this_model(translator):
    assert CLAIMS["model"] == claims.fingerprint(live_model.FOLDER), "run `course site claims`"
    assert list(CLAIMS["heads"]) == heads(translator.model)
    assert list(CLAIMS["switches"]) == list(SWITCHES)


@pytest.mark.parametrize(("name", "kind"), EVERY)
def test_the_sentences_change_as_the_page_says(name, kind, translator, known):
    claim = CLAIMS[kind][name]
    rows = claim["shown"]
    wanted = claims.SHOWN if kind == "switches" else min(1, claim["changed"])
    assert len(rows) >= wanted
    assert claim["changed"] >= len(rows)
    english = [row["en"] for row in rows]
    assert translations(translator, english) == [row["fr"] for row in rows]
    assert [row["fr"] for row in rows] == [known[text] for text in english]  # they are right
    assert translations(translator, english, name) == [row["without"] for row in rows]
    for row in rows:
        assert set(row["fr"].split()) != set(row["without"].split())  # words change


def test_a_head_without_effect_is_called_so():
    for claim in CLAIMS["heads"].values():
        silent = "no visible effect" in claim["said"]
        assert silent == (claim["changed"] == 0)


def test_the_page_itself_shows_every_change():
    """By its own scripts, with the sentences that its buttons hand over."""
    buttons = re.findall(
        r'data-sentence="([^"]*)" data-off="([^"]*)"',
        unescape("".join(told.html(CLAIMS, name) for name in SWITCHES)),
    )
    messages = []
    for sentence, off in buttons:
        messages += [translate(sentence), translate(sentence, switches={off: False})]
    answers = asked({"ask": "answered", "messages": messages})
    rows = [row for claim in CLAIMS["switches"].values() for row in claim["shown"]]
    assert [one["translation"] for one in answers] == [
        text for row in rows for text in (row["fr"], row["without"])
    ]
    assert not any(one["unknown"] for one in answers)


def test_the_pages_own_examples_are_right(translator, known):
    first, *others = CLAIMS["examples"]
    assert first == claims.README_SENTENCE
    assert f'"{first}"' in " ".join((ROOT / "README.md").read_text("utf-8").split())
    assert translations(translator, [first]) == ["Deux chiens jouent dans la neige."]
    assert translations(translator, others) == [known[text] for text in others]
    shown = {row["en"] for claim in CLAIMS["switches"].values() for row in claim["shown"]}
    assert shown <= set(others)


def test_the_page_says_what_was_measured():
    text = told.html(CLAIMS, "scale")
    assert f"{CLAIMS['switches']['scale']['changed']} of {CLAIMS['right']} right" in text
    for name, claim in CLAIMS["switches"].items():
        few = claim["changed"] < told.WEAK * CLAIMS["right"]
        assert ("a weak switch" in told.html(CLAIMS, name)) == few, name
    with pytest.raises(ValueError, match="no claim 'size': use one of scale, positions, causal"):
        told.html(CLAIMS, "size")


def test_the_sizes_in_the_text_are_the_models(translator):
    numbers = {1: "one", 2: "two", 3: "three", 4: "four"}
    settings = translator.arguments
    layers, heads_ = (numbers[settings[name]] for name in ("n_layers", "n_heads"))
    text = (ROOT / "lectures/live.md").read_text("utf-8")
    assert f"{layers} layers, {heads_} heads, {settings['d_model']} features" in text


def test_without_the_scale_maps_are_sharper_and_heads_differ_in_what_they_are_worth():
    assert CLAIMS["spread"]["without"] < CLAIMS["spread"]["with"]
    changed = [claim["changed"] for claim in CLAIMS["heads"].values()]
    assert max(changed) > 10 * min(changed)


def test_without_the_mask_the_newest_word_sees_what_it_saw_before(translator, monkeypatch):
    row = CLAIMS["switches"]["causal"]["shown"][0]
    masked = looks.weights(translator, row["en"], row["fr"])
    monkeypatch.setattr("course_lib.transformer.target_mask", padding_mask)
    unmasked = looks.weights(translator, row["en"], row["fr"])
    first, second = "decoder 0 self", "decoder 1 self"
    torch.testing.assert_close(unmasked[first][:, -1], masked[first][:, -1])
    assert (unmasked[first][:, 0] - masked[first][:, 0]).abs().max() > 0.1
    assert (unmasked[second][:, -1] - masked[second][:, -1]).abs().max() > 0.01


def test_heads_look_at_what_the_page_says(translator):
    found = looks.measured(translator, pairs("test")[: claims.LOOKED_AT])
    for name, claim in CLAIMS["heads"].items():
        assert found[name]["at"] == claim["at"]
        assert found[name]["share"] == pytest.approx(claim["share"], abs=0.01)
        assert claims.said(claim, CLAIMS["right"]) == claim["said"]

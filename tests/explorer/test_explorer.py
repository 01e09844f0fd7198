"""The attention explorer: its data, its page, and the picture for viewers without scripts."""

import base64
import json
import re
from contextlib import nullcontext
from html import unescape

import numpy as np
import pytest
import torch

from course_lib.attention import MultiHeadAttention
from course_lib.data.tokenization import TextTokenizer
from course_lib.encoder import Encoder
from course_lib.explorer.maps import attention_maps
from course_lib.explorer.picture import described, picture
from course_lib.explorer.record import recorded
from course_lib.explorer.show import LIMIT, explorer, show_attention
from course_lib.transformer import Transformer
from grader.authoring.views import text_notebook
from grader.library import student_tree

WORDS = ["the", "cat", "ate"]
ROWS = np.array([[0.5, 0.25, 0.25], [0.0, 1.0, 0.0], [0.125, 0.25, 0.625]])


def random_weights(*shape):
    scores = np.exp(np.random.default_rng(1).standard_normal(shape))
    return scores / scores.sum(axis=-1, keepdims=True)


def data_of(page):
    """The maps that the page of an explorer holds."""
    document = unescape(re.search(r'srcdoc="([^"]*)"', page)[1])
    return json.loads(re.search(r'<script type="application/json".*?>(.*?)</script>', document)[1])


@pytest.mark.parametrize("shape", [(3, 3), (4, 3, 3), (2, 4, 3, 3)])
def test_weights_may_have_heads_and_layers_before_queries_and_keys(shape):
    weights = random_weights(*shape)
    maps = attention_maps(weights, WORDS)
    assert maps.weights.shape == (1,) * (4 - len(shape)) + shape
    assert maps.weights.reshape(shape) == pytest.approx(weights * 1000, abs=0.5)


def test_tensors_with_gradients_and_a_list_of_layers_are_taken():
    layers = [torch.tensor(ROWS[None], requires_grad=True) for _ in range(2)]
    maps = attention_maps(layers, WORDS)
    assert (maps.n_layers, maps.n_heads) == (2, 1)
    assert maps.strongest(1, 0) == [("the", "the", 0.5), ("cat", "cat", 1.0), ("ate", "ate", 0.625)]


@pytest.mark.parametrize(
    ("weights", "words", "said"),
    [
        (ROWS, WORDS[:2], r"of shape \(3, 3\) do not fit 2 queries and 2 keys: give \(2, 2\)"),
        (ROWS[0], WORDS, r"of shape \(3,\) do not fit"),
        (ROWS[None, None, None], WORDS, r"\(1, 1, 1, 3, 3\) do not fit"),
        (np.empty((0, 3, 3)), WORDS, "do not fit"),
        ([], WORDS, "do not fit"),
        (ROWS * np.nan, WORDS, "contain NaN"),
        (ROWS - 0.5, WORDS, "negative"),
        (ROWS * [[1], [1], [1.1]], WORDS, r"'ate' \(layer 0, head 0\) sum to 1.100.*dropout"),
        (ROWS.T, WORDS, r"'the' \(layer 0, head 0\) sum to 0.625"),
        ([ROWS, ROWS[None]], WORDS, "different shapes"),
    ],
)
def test_what_is_no_attention_is_refused_in_one_sentence(weights, words, said):
    with pytest.raises(ValueError, match=said):
        attention_maps(weights, words)


def test_a_row_whose_keys_are_all_masked_is_no_mistake():
    maps = attention_maps(ROWS * [[1], [0], [1]], WORDS)
    assert [query for query, _, _ in maps.strongest(0, 0)] == ["the", "ate"]


def test_too_many_weights_are_refused_and_so_are_none():
    words = ["w"] * 101
    maps = attention_maps(np.tile(np.eye(101), (4, 1, 1)), words)
    with pytest.raises(ValueError, match=rf"40,804 weights .* \({LIMIT:,}\): choose a shorter"):
        explorer(maps)
    with pytest.raises(ValueError, match="at least one"):
        explorer()


def test_the_page_holds_the_weights_and_refers_to_nothing_outside():
    cross = attention_maps(random_weights(2, 4, 3, 2), WORDS, ["a", "b"], "cross-attention")
    own = attention_maps(ROWS, WORDS)
    shown = explorer(own, cross)._repr_html_()
    first, second = data_of(shown)
    assert first["weights"] == [[[[500, 250, 250], [0, 1000, 0], [125, 250, 625]]]]
    assert (second["name"], second["queries"], second["keys"]) == (
        "cross-attention", WORDS, ["a", "b"],
    )  # fmt: skip
    assert np.array(second["weights"]).shape == (2, 4, 3, 2)
    assert set(re.findall(r"https?://[^&\"]*", unescape(shown))) == {"http://www.w3.org/2000/svg"}
    assert 'sandbox="allow-scripts"' in shown
    assert shown == explorer(own, cross)._repr_html_()
    assert len(shown) < 30_000


def test_words_are_text_whatever_they_contain():
    words = ["</script><b>", '"&quot;', "'<img src=x>"]
    shown = explorer(attention_maps(ROWS, words))._repr_html_()
    assert data_of(shown)[0]["queries"] == words
    assert "<b>" not in shown
    assert "<img src=x>" not in shown


def test_the_picture_has_a_frame_for_each_head_and_the_darkest_cells_are_the_largest_weights():
    maps = attention_maps(np.stack([ROWS, np.eye(3)]), WORDS)
    svg = picture([maps])
    assert svg.count('class="f"') == 2
    assert [svg.count(f">{word}<") for word in WORDS] == [3, 3, 3]  # once a row, twice a column
    shades = [
        (float(opacity), path.count("M"))
        for opacity, path in re.findall(r'fill-opacity="([^"]*)" d="([^"]*)"', svg)
    ]
    assert shades == [(0.1, 1), (0.2, 3), (0.5, 1), (0.6, 1), (1.0, 1), (1.0, 3)]
    assert described([maps]).splitlines() == [
        "attention, head 0: the → the 0.50, cat → cat 1.00, ate → ate 0.62",
        "attention, head 1: the → the 1.00, cat → cat 1.00, ate → ate 1.00",
    ]


def test_viewers_without_frames_and_terminals_get_the_picture_and_the_text():
    made = explorer(attention_maps(ROWS, WORDS))
    without_frames = re.sub(r"<iframe.*?</iframe>", "", made._repr_html_(), flags=re.DOTALL)
    drawn = re.search(r'src="data:image/svg\+xml;base64,([^"]*)" alt="([^"]*)"', without_frames)
    assert base64.b64decode(drawn[1]).decode() == picture(made.kinds)
    assert unescape(drawn[2]) == repr(made) == described(made.kinds)


def test_show_attention_displays_in_a_notebook(monkeypatch):
    shown = []
    monkeypatch.setattr("IPython.display.display", shown.append)
    show_attention(ROWS, WORDS, name="self-attention")
    assert shown == [explorer(*shown[0].kinds)]
    assert shown[0].kinds[0].name == "self-attention"


def test_recording_gives_what_every_attention_module_returned_and_leaves_no_hook():
    torch.manual_seed(0)
    model = Encoder(n_layers=2, d_model=8, n_heads=2, d_ff=16).eval()
    x = torch.randn(1, 3, 8)
    before, _ = model(x)
    with recorded(model, MultiHeadAttention) as found:
        during, _ = model(x)
    assert list(found) == ["layers.0.attention", "layers.1.attention"]
    _, weights = model.layers[0].attention(x, x, x, need_weights=True)
    assert torch.equal(found["layers.0.attention"], weights)
    assert torch.equal(before, during)
    again = dict(found)
    model(torch.randn(1, 3, 8))
    assert found == again


# In the notebooks.


@pytest.mark.parametrize("id", ["a1", "a2", "a4"])
def test_the_explorer_stands_after_the_students_own_attention(id, course):
    cells = text_notebook.read(course.assignment(id))
    (place,) = [
        n for n, cell in enumerate(cells) if re.search(r"\bshow_(attention|maps)\(", cell.text)
    ]
    assert "needs(" in cells[place].text
    written = [cell.argument for cell in cells[:place] if cell.directive == "component"]
    own = {"a1": "SelfAttention", "a2": "MultiHeadAttention", "a4": "Transformer"}[id]
    assert any(component.endswith(f":{own}") for component in written)


def test_assignment_4_shows_all_three_kinds_of_a_students_own_model(course, monkeypatch):
    """Its cell, run with a small model: nobody looks ahead, and queries and keys are not mixed."""
    (code,) = [
        c.text for c in text_notebook.read(course.assignment("a4")) if "show_maps(" in c.text
    ]
    sentences = ["a dog runs in the snow", "un chien court"]
    torch.manual_seed(0)
    model = Transformer(200, n_layers=2, d_model=8, n_heads=2, d_ff=16)
    model.tokenizer = TextTokenizer.train(
        sentences, kind="bpe", vocab_size=200, min_frequency=1, lowercase=False, reversible=True
    )
    shown = []
    monkeypatch.setattr("IPython.display.display", shown.append)
    names = {"torch": torch, "model": model, "MultiHeadAttention": MultiHeadAttention}
    names |= {"needs": nullcontext, "TRANSLATION": (), "validation": {"en": sentences[:1]}}
    exec(code, names | {"translate": lambda model, texts: sentences[1:]})
    encoder, decoder, cross = shown[0].kinds
    n_source, n_target = len(encoder.queries), len(decoder.queries)
    assert decoder.queries[0] == model.tokenizer.tokens([model.tokenizer.START])[0]
    assert (cross.queries, cross.keys) == (decoder.keys, encoder.keys)
    assert encoder.weights.shape == (2, 2, n_source, n_source)
    assert cross.weights.shape == (2, 2, n_target, n_source)
    assert not np.triu(decoder.weights, k=1).any()
    assert np.triu(encoder.weights, k=1).any()


def test_students_get_the_explorer_with_its_script_and_style(course, tmp_path):
    library = student_tree.write(course, tmp_path, "a1")
    names = {path.name for path in (library / "explorer").iterdir()}
    assert {"show.py", "maps.py", "page.py", "explorer.js", "explorer.css"} <= names
    assert (library / "drawings" / "palette.py").is_file()

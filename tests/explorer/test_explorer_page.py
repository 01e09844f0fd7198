"""The explorer in a real browser: keys, the pointer, what is said, and what axe-core finds."""

import numpy as np
import pytest
from browser import press, violations
from test_explorer import random_weights

from course_lib.analysis.attention_alignment import plot_alignment
from course_lib.explorer import translation_widget
from course_lib.explorer.maps import attention_maps
from course_lib.explorer.page import page
from course_lib.explorer.show import explorer
from course_lib.explorer.translation_widget import HINT, TranslationPage, show

pytestmark = pytest.mark.xdist_group("explorer_page")  # its browser is started once

SOURCE, TARGET = ["two", "dogs", "play"], ["START", "deux", "chiens", "jouent"]
CAUSAL = np.tril(random_weights(2, 2, 4, 4))
CAUSAL /= CAUSAL.sum(axis=-1, keepdims=True)
CROSS = np.array([[1, 0, 0], [0.7, 0.2, 0.1], [0.1, 0.8, 0.1], [0.0, 0.25, 0.75]])
KINDS = (
    attention_maps(CAUSAL, TARGET, name="self-attention"),
    attention_maps(CROSS, TARGET, SOURCE, "cross-attention"),
)
SAID = 'document.getElementById("said").textContent'


@pytest.fixture
def tab(chromium):
    made = chromium.new_page(viewport={"width": 900, "height": 800})
    yield made
    made.close()


@pytest.fixture
def opened(tab, tmp_path):
    """The page of the explorer, freshly opened."""
    path = tmp_path / "explorer.html"
    path.write_text(page(KINDS), encoding="utf-8")
    tab.goto(path.as_uri())
    return tab


def test_with_keys_alone_one_gets_to_every_kind_map_and_word(opened):
    press(opened, "Tab", "ArrowRight")  # to the second kind
    assert opened.evaluate(SAID) == "“START” attends to “two” 1.00."
    press(opened, "Tab", "ArrowDown", "ArrowDown")  # its one map is not offered; to the third word
    assert opened.evaluate(SAID) == "“chiens” attends to “dogs” 0.80, “two” 0.10, “play” 0.10."
    press(opened, "ArrowRight")
    assert (
        opened.evaluate(SAID)
        == "“play” is attended to by “jouent” 0.75, “deux” 0.10, “chiens” 0.10."
    )
    press(opened, "ArrowLeft", "ArrowDown", "ArrowDown", "ArrowDown")  # the last word is the end
    assert opened.evaluate(SAID) == "“jouent” attends to “play” 0.75, “dogs” 0.25."


def test_the_arrows_move_among_layers_and_heads(opened):
    focused = "document.activeElement.getAttribute('aria-label')"
    press(opened, "Tab", "Tab", "ArrowDown", "ArrowRight")
    assert opened.evaluate(focused) == "layer 1, head 1"
    press(opened, "ArrowDown", "ArrowRight")  # there is nothing further
    assert opened.evaluate(focused) == "layer 1, head 1"
    press(opened, "Tab", "ArrowDown")
    first, second = CAUSAL[1, 1, 1, :2]
    pairs = sorted([(first, "START"), (second, "deux")], reverse=True)
    told = ", ".join(f"“{word}” {weight:.2f}" for weight, word in pairs)
    assert opened.evaluate(SAID) == f"“deux” attends to {told}."


def test_hovering_shows_a_word_and_leaving_it_the_chosen_one(opened):
    chosen = opened.evaluate(SAID)
    place = opened.evaluate(
        """(() => {
            const box = document.querySelectorAll("#query label")[2].getBoundingClientRect();
            return [box.x + 20, box.y + 10];
        })()"""
    )
    opened.mouse.move(*place)
    assert opened.evaluate(SAID).startswith("“chiens” attends to ")
    opened.mouse.move(1, 1)
    assert opened.evaluate(SAID) == chosen


def test_numbers_and_bars_are_the_weights_of_the_chosen_word(opened):
    numbers = """[...document.querySelectorAll("#key .weight")].map((one) => one.textContent)"""
    press(opened, "Tab", "ArrowRight", "Tab", "ArrowDown")
    assert opened.evaluate(numbers) == ["0.70", "0.20", "0.10"]
    bars = """[...document.querySelectorAll("#key label")].map(
        (one) => one.style.getPropertyValue("--share"))"""
    assert opened.evaluate(bars) == ["70%", "20%", "10%"]
    press(opened, "ArrowUp")
    assert opened.evaluate(numbers) == ["1.00", "0", "0"]


def test_of_equal_words_the_sentence_says_which(tab, tmp_path):
    words, path = ["the", "cat", "the"], tmp_path / "twice.html"
    weights = np.array([[0.5, 0, 0.5], [0, 1, 0], [0, 0, 0]])
    path.write_text(page([attention_maps(weights, words)]), encoding="utf-8")
    tab.goto(path.as_uri())
    assert tab.evaluate(SAID) == "“the” (1) attends to “the” (1) 0.50, “the” (3) 0.50."
    press(tab, "Tab", "ArrowDown")
    assert tab.evaluate(SAID) == "“cat” attends to “cat” 1.00."
    press(tab, "ArrowDown")
    assert tab.evaluate(SAID) == "“the” (3) attends to nothing: all is masked."


def test_focus_is_visible_and_what_is_chosen_is_announced(opened):
    press(opened, "Tab", "Tab", "Tab")
    width = """getComputedStyle(document.activeElement.closest("label")).outlineWidth"""
    assert opened.evaluate(width) == "3px"
    assert opened.evaluate('document.getElementById("said").getAttribute("role")') == "status"


def test_the_page_asks_for_nothing_and_fits_a_phone(opened):
    asked = []
    opened.on("request", lambda request: asked.append(request.url))
    opened.set_viewport_size({"width": 360, "height": 740})
    opened.reload()
    assert [address for address in asked if not address.startswith("file:")] == []
    assert opened.evaluate("document.documentElement.scrollWidth <= window.innerWidth")


def test_in_a_notebook_its_keys_stay_in_the_frame(tab, tmp_path):
    path = tmp_path / "notebook.html"
    watch = "<script>let heard = 0; addEventListener('keydown', () => heard += 1, true);</script>"
    path.write_text(f"<!doctype html>{watch}{explorer(*KINDS)._repr_html_()}", encoding="utf-8")
    tab.goto(path.as_uri())
    press(tab, "Tab")
    tab.wait_for_function("document.activeElement.tagName === 'IFRAME'")
    tab.frames[-1].wait_for_function("document.hasFocus()")
    press(tab, "Tab", "Tab", "ArrowDown", "ArrowDown")
    assert tab.evaluate("document.activeElement.tagName") == "IFRAME"
    assert tab.evaluate("heard") == 1  # the Tab that went into the frame


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing_to_mend_in_the_explorer(scheme, opened):
    opened.emulate_media(color_scheme=scheme)
    assert violations(opened) == []


# The translation widget: what it shows, and its error messages.


def look(text, width):
    """Every word in capitals, `width` times, each less likely than the one before."""
    if text == "boom":
        raise RuntimeError("no <model> is there")
    words = text.split()
    beam = [(-1.0 - i, " ".join(words).upper() + "!" * i) for i in range(width)]
    return beam, words, [word.upper() for word in words], np.eye(len(words))


@pytest.fixture
def widget():
    return TranslationPage(look, plot_alignment, "a cat", width=2)


def test_a_new_sentence_and_a_new_width_are_answered(widget):
    assert "<table>" not in widget.answer.value
    widget.text.value = "two dogs"
    assert "<b>TWO DOGS</b>" in widget.answer.value
    assert widget.answer.value.count("<td>") == 4
    assert "<td>-2.00</td><td>TWO DOGS!</td>" in widget.answer.value
    assert 'alt="where each word looks most: TWO at two, DOGS at dogs"' in widget.answer.value
    assert 'src="data:image/png;base64,iVBOR' in widget.answer.value
    widget.width.value = 3
    assert widget.answer.value.count("<td>") == 6


def test_text_is_shown_as_text(widget):
    widget.text.value = "<i>x</i> & y"
    assert "&lt;I&gt;X&lt;/I&gt; &amp; Y" in widget.answer.value
    assert "<I>" not in widget.answer.value


def test_what_fails_is_told_where_one_looks(widget):
    widget.text.value = "boom"
    assert widget.answer.value == "RuntimeError: no &lt;model&gt; is there"
    widget.text.value = "   "
    assert widget.answer.value == "Type a sentence."


def test_no_figure_is_left_open(widget):
    def failing(weights, source, target, ax):
        raise ValueError("wrong shape")

    before = translation_widget.plt.get_fignums()
    widget.text.value = "two dogs"
    TranslationPage(look, failing, "x").translate()
    assert translation_widget.plt.get_fignums() == before


def test_the_first_sentence_is_shown_to_those_who_cannot_click(monkeypatch, capsys):
    shown = []
    monkeypatch.setattr(
        translation_widget, "display", lambda thing, raw=False: shown.append((thing, raw))
    )
    show(look, plot_alignment, "a cat sleeps", width=2)
    printed = capsys.readouterr().out
    assert "a cat sleeps → A CAT SLEEPS\n" in printed
    assert "    -2.00  A CAT SLEEPS!\n" in printed
    assert "Figure: where each word looks most: A at a, CAT at cat, SLEEPS at sleeps" in printed
    (image, _), (fields, raw) = shown
    assert image.data.startswith(b"\x89PNG")
    assert image.alt.startswith("where each word looks most")
    assert raw
    assert fields["text/plain"] == HINT
    assert fields["application/vnd.jupyter.widget-view+json"]["model_id"]

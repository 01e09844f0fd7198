"""The translation widget: what it shows, and its error messages."""

import numpy as np
import pytest

from course_lib.analysis.attention_alignment import plot_alignment
from course_lib.explorer import translation_widget
from course_lib.explorer.translation_widget import HINT, TranslationPage, show


def look(text, width):
    """Every word in capitals, `width` times, each less likely than the one before."""
    if text == "boom":
        raise RuntimeError("no <model> is there")
    words = text.split()
    beam = [(-1.0 - i, " ".join(words).upper() + "!" * i) for i in range(width)]
    return beam, words, [word.upper() for word in words], np.eye(len(words))


@pytest.fixture
def page():
    return TranslationPage(look, plot_alignment, "a cat", width=2)


def test_a_new_sentence_and_a_new_width_are_answered(page):
    assert "<table>" not in page.answer.value
    page.text.value = "two dogs"
    assert "<b>TWO DOGS</b>" in page.answer.value
    assert page.answer.value.count("<td>") == 4
    assert "<td>-2.00</td><td>TWO DOGS!</td>" in page.answer.value
    assert 'alt="where each word looks most: TWO at two, DOGS at dogs"' in page.answer.value
    assert 'src="data:image/png;base64,iVBOR' in page.answer.value
    page.width.value = 3
    assert page.answer.value.count("<td>") == 6


def test_text_is_shown_as_text(page):
    page.text.value = "<i>x</i> & y"
    assert "&lt;I&gt;X&lt;/I&gt; &amp; Y" in page.answer.value
    assert "<I>" not in page.answer.value


def test_what_fails_is_told_where_one_looks(page):
    page.text.value = "boom"
    assert page.answer.value == "RuntimeError: no &lt;model&gt; is there"
    page.text.value = "   "
    assert page.answer.value == "Type a sentence."


def test_no_figure_is_left_open(page):
    def failing(weights, source, target, ax):
        raise ValueError("wrong shape")

    before = translation_widget.plt.get_fignums()
    page.text.value = "two dogs"
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

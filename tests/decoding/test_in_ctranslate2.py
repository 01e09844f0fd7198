"""CTranslate2 with our weights finds our translations, or says why it cannot."""

import sys
from dataclasses import replace

import pytest
from no_shape_checks import no_shape_checks
from small_translation import SMALL, TEST, pairs

from course_lib.decoding.translator import TranslationError, Translator
from course_lib.recipes.translation import train_translator
from course_lib.transformer_variants import VariantTransformer

pytest.importorskip("ctranslate2")


@pytest.fixture(scope="module", params=[False, True], ids=["post-norm", "pre-norm"])
def unsure(request):
    """A translator after one epoch, most of whose beams hold shorter and longer sentences."""
    model = replace(SMALL.model, n_layers=2, norm_first=request.param)
    profile = replace(SMALL, model=model, epochs=1)
    with no_shape_checks():
        return train_translator(pairs(), profile, seed=0).translator


@pytest.mark.parametrize(
    ("width", "length_penalty", "max_tokens"),
    [(1, 0.6, 40), (2, 0.0, 40), (3, 1.0, 6), (4, 0.6, 9), (5, 0.6, 40), (5, 1.0, 40), (8, 0.0, 8)],
)
def test_it_finds_the_same_translations(unsure, width, length_penalty, max_tokens):
    texts = pairs()[TEST][:]["en"]
    there = Translator(unsure.model, unsure.tokenizer, engine="ctranslate2")
    options = (texts, width, length_penalty, max_tokens)
    for ours, theirs in zip(unsure.search(*options), there.search(*options), strict=True):
        assert [h.tokens for h in theirs] == [h.tokens for h in ours]
        assert [h.finished for h in theirs] == [h.finished for h in ours]
        assert [h.score for h in theirs] == pytest.approx([h.score for h in ours], abs=1e-3)


def test_a_translation_that_does_not_end_is_marked(unsure):
    there = Translator(unsure.model, unsure.tokenizer, engine="ctranslate2")
    [[found]] = there.search(["The red cat sees the green dog."], max_tokens=2)
    assert (len(found.tokens), found.finished) == (2, False)


def test_the_weights_are_those_of_the_moment(unsure):
    there = Translator(unsure.model, unsure.tokenizer, engine="ctranslate2")
    before = there.search(["The red cat sees the green dog."])
    weight = unsure.model.embedding.tokens.weight
    weight.data *= -1.0
    try:
        assert there.search(["The red cat sees the green dog."]) == before
    finally:
        weight.data *= -1.0


def test_what_it_cannot_do_is_one_sentence(unsure, monkeypatch, tmp_path):
    sizes = {"n_layers": 1, "d_model": 8, "n_heads": 2, "d_ff": 8, "d_k": 2, "d_v": 2}
    other = VariantTransformer(unsure.tokenizer.vocab_size, **sizes)
    with pytest.raises(TranslationError, match="VariantTransformer cannot be converted: only a"):
        Translator(other, unsure.tokenizer, engine="ctranslate2")
    there = Translator(unsure.model, unsure.tokenizer, engine="ctranslate2")
    with pytest.raises(ValueError, match="1025 tokens: this engine has positions for 1024"):
        there.search(["The cat."], max_tokens=1025)
    unsure.save(tmp_path)
    monkeypatch.setitem(sys.modules, "ctranslate2", None)
    with pytest.raises(TranslationError, match=r"cannot be used .*: pip install ctranslate2, or"):
        Translator.load(tmp_path, engine="ctranslate2")

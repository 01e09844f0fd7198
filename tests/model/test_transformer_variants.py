"""Rows (B) and (E) of Table 3: heads of any width and learned positions, in every form."""

import dataclasses

import pytest
import torch

from course_lib.attention import MultiHeadAttention
from course_lib.data.tokenization import TextTokenizer
from course_lib.decoding.cache import encoded, uncached_step
from course_lib.decoding.search import beam_search
from course_lib.decoding.translator import Translator, fast_decoding
from course_lib.fast.forms import fast_model
from course_lib.fast.projections import equal_widths
from course_lib.transformer import Transformer
from course_lib.transformer_variants import VariantConfig, VariantTransformer

SIZES = {"n_layers": 2, "d_model": 24, "n_heads": 3, "d_ff": 32, "dropout": 0.0}
FORMS = [
    {"d_k": 2},
    {"d_k": 11},
    {"d_v": 3},
    {"d_k": 5, "d_v": 5},
    {"learned_positions": 30},
    {"d_k": 2, "d_v": 9, "learned_positions": 30},
]


def made(fast=False, **form):
    """A model whose every parameter is random: a bias of zero could hide a mistake."""
    torch.manual_seed(3)
    model = VariantTransformer(40, **SIZES, **form)
    if fast:
        model = fast_model(VariantTransformer, 40, **SIZES, **form)
    generator = torch.Generator().manual_seed(7)
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.normal_(0, 0.3, generator=generator)
        model.embedding.tokens.weight[0] = 0.0
    return model.eval()


def sentences():
    return torch.tensor([[7, 8, 9, 10, 11], [12, 13, 14, 0, 0]])


@pytest.mark.parametrize("form", FORMS)
def test_a_model_has_the_widths_and_positions_that_it_was_given(form):
    model = made(**form)
    d_k, d_v = form.get("d_k", 8), form.get("d_v", 8)
    parts = [p for p in model.modules() if isinstance(p, MultiHeadAttention)]
    assert len(parts) == 6
    for part in parts:
        assert part.w_q.out_features == part.w_k.out_features == 3 * d_k
        assert part.w_v.out_features == part.w_o.in_features == 3 * d_v
    learned = [name for name, _ in model.named_parameters() if "positions" in name]
    assert learned == (["embedding.positions"] if "learned_positions" in form else [])
    config = VariantConfig(**SIZES, **form)
    assert VariantConfig.of(model) == config
    assert VariantConfig.of(fast_model(VariantTransformer, 40, **config.arguments)) == config


@pytest.mark.parametrize("form", FORMS)
def test_fast_forms_and_the_fast_cache_give_the_same(form):
    model, fast = made(**form), made(fast=True, **form)
    target_ids = torch.tensor([[2, 20, 21, 22], [2, 23, 3, 0]])
    with torch.no_grad():
        logits, weights = model(sentences(), target_ids, need_weights=True)
        torch.testing.assert_close(fast(sentences(), target_ids)[0], logits, atol=1e-4, rtol=1e-4)
    assert weights[0].shape == (2, 3, 4, 5)
    rest = (2, 3, 0.6, 8, 2, TextTokenizer.START, TextTokenizer.END, torch.device("cpu"))
    start, step = fast_decoding(fast)
    found = beam_search(step, start(sentences()), *rest)
    wanted = beam_search(uncached_step(model), encoded(model, sentences()), *rest)
    for ours, theirs in zip(found, wanted, strict=True):
        assert [h.tokens for h in ours] == [h.tokens for h in theirs]
        assert [h.score for h in ours] == pytest.approx([h.score for h in theirs], abs=1e-4)


def test_without_a_variant_it_is_the_transformer():
    torch.manual_seed(0)
    plain = Transformer(40, **SIZES)
    torch.manual_seed(0)
    same = VariantTransformer(40, **SIZES)
    assert list(plain.state_dict()) == list(same.state_dict())
    assert all(map(torch.equal, plain.state_dict().values(), same.state_dict().values()))
    part = plain.encoder.layers[0].attention
    assert equal_widths(part) is part


def test_learned_positions_are_added_are_trained_and_end():
    model = made(learned_positions=6)
    with torch.no_grad():
        x = model.embedding(torch.tensor([[7, 7, 7]]))[0]
    table = model.embedding.positions
    torch.testing.assert_close(x[1] - x[0], (table[1] - table[0]).detach())
    model(sentences(), sentences())[0].sum().backward()
    assert table.grad[:5].abs().sum(1).all()
    assert not table.grad[5:].any()
    with pytest.raises(ValueError, match="7 tokens, but positions were learned for 6"):
        model.encode(torch.ones(1, 7, dtype=torch.long))


def test_a_head_without_width_is_refused():
    with pytest.raises(ValueError, match="d_k = 0, d_v = None: a head needs"):
        VariantTransformer(40, d_k=0, **SIZES)


@pytest.mark.parametrize("form", [{"d_k": 2, "d_v": 9, "learned_positions": 110}, {}])
def test_a_variant_is_saved_with_its_form(form, tmp_path):
    texts = ["a b c", "c b a", "b b"]
    tokenizer = TextTokenizer.train(
        texts, "bpe", 40, min_frequency=1, lowercase=False, reversible=True
    )
    translator = Translator(made(**form), tokenizer)
    translator.save(tmp_path)
    loaded = Translator.load(tmp_path)
    assert VariantConfig.of(loaded.model) == dataclasses.replace(VariantConfig(**SIZES), **form)
    found, wanted = (t.search(texts, max_tokens=9) for t in (loaded, translator))
    assert [h[0].tokens for h in found] == [h[0].tokens for h in wanted]

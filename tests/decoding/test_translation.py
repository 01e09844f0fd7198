"""The translator: batches change nothing, the folder gives back the same model, clear refusals."""

import inspect
import json

import pytest
import torch
from unwatched import unwatched

from course_lib.data.tokenization import TextTokenizer
from course_lib.decoding.search import beam_search
from course_lib.decoding.translator import LENGTH_PENALTY, TranslationError, Translator
from course_lib.fast.forms import fast_model
from course_lib.transformer import Transformer

TEXTS = ["Two dogs play in the snow.", "A dog.", "Snow in the park, and two men play.", "Two."]
FORM = {"n_layers": 2, "d_model": 16, "n_heads": 4, "d_ff": 32}


def translator(norm_first=False):
    tokenizer = TextTokenizer.train(
        TEXTS * 2, kind="bpe", vocab_size=80, lowercase=False, reversible=True
    )
    torch.manual_seed(1)
    size = tokenizer.vocab_size
    model = fast_model(Transformer, size, **FORM, norm_first=norm_first, position_scale=0.5)
    return Translator(model, tokenizer)


def test_translations_do_not_depend_on_their_batch(monkeypatch):
    made = translator()
    together = made.search(TEXTS * 3, n_best=3, max_tokens=12)
    monkeypatch.setattr("course_lib.decoding.translator.BATCH_TOKENS", 1)
    alone = made.search(TEXTS * 3, n_best=3, max_tokens=12)
    for one, other in zip(together, alone, strict=True):
        assert [h.tokens for h in one] == [h.tokens for h in other]
        assert [h.score for h in one] == pytest.approx([h.score for h in other], abs=1e-4)
    assert made.translate(TEXTS, max_tokens=12) == [
        made.tokenizer.decode(one[0].tokens) for one in together[:4]
    ]
    assert made.translate([]) == []


def test_a_model_in_training_is_read_without_dropout_and_left_in_training():
    made = translator()
    made.model.train()
    first, again = (made.search(TEXTS, max_tokens=6) for _ in range(2))
    assert first == again
    assert made.model.training
    made.model.eval()
    made.translate(TEXTS[:1], max_tokens=2)
    assert not made.model.training


def test_a_model_that_was_read_can_still_learn():
    made = translator()
    with unwatched():
        made.translate(TEXTS, width=1, max_tokens=530)  # beyond the table of positions
    made.model.train()
    source = torch.tensor([[5, 6, 7]])
    made.model(source, source)[0].sum().backward()
    assert made.model.embedding.tokens.weight.grad.any()


@pytest.mark.parametrize("norm_first", [False, True])
def test_the_folder_gives_back_the_same_translator(tmp_path, norm_first):
    made = translator(norm_first)
    again = Translator.load(made.save(tmp_path / "trained"))
    assert again.arguments == made.arguments
    assert again.search(TEXTS, max_tokens=8) == made.search(TEXTS, max_tokens=8)
    assert not again.model.training
    assert again.length_penalty == made.length_penalty == LENGTH_PENALTY


def test_the_length_penalty_is_the_papers_unless_another_one_is_given(tmp_path):
    assert inspect.signature(beam_search).parameters["length_penalty"].default == LENGTH_PENALTY
    made = translator()
    made.length_penalty = 1.4
    assert Translator.load(made.save(tmp_path)).length_penalty == 1.4
    settings = tmp_path / "config.json"
    settings.write_text(json.dumps({"model": made.arguments}))  # nobody said which
    assert Translator.load(tmp_path).length_penalty == 0.6


def test_the_folder_says_what_the_model_is_built_with(tmp_path):
    """The names that folders of earlier versions have."""
    translator().save(tmp_path)
    form = json.loads((tmp_path / "config.json").read_text())["model"]
    names = "vocab_size n_layers d_model n_heads d_ff dropout norm_first pad_id position_scale"
    assert set(form) == set(names.split())
    assert {name: form[name] for name in FORM} == FORM


@pytest.mark.parametrize("spoil", ["missing", "other size", "no settings", "no weights"])
def test_what_is_no_translator_is_refused_in_one_sentence(tmp_path, spoil):
    made = translator()
    made.save(tmp_path)
    settings = tmp_path / "config.json"
    if spoil == "missing":
        settings.unlink()
    elif spoil == "other size":
        form = json.loads(settings.read_text())["model"] | {"d_ff": 64}
        settings.write_text(json.dumps({"model": form}))
    elif spoil == "no settings":
        settings.write_text("{}")
    else:
        (tmp_path / "translation.safetensors").write_bytes(b"nothing")
    with pytest.raises(TranslationError, match="has no usable translator .*train one first"):
        Translator.load(tmp_path)

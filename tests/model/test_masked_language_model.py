"""The encoder-only model: BERT with its weights, blind to padding, and its heads."""

import math

import pytest
import torch
from no_shape_checks import no_shape_checks
from small_models import enlarged, learned
from torch.nn.functional import cross_entropy

from course_lib.families.encoder_heads import SpanFinder, TextClassifier, TokenClassifier
from course_lib.families.masked_language_model import BertEncoder, MaskedLanguageModel
from course_lib.fast.forms import fast_model
from course_lib.normalization import LayerNorm

SIZES = {"n_layers": 2, "d_model": 32, "n_heads": 4, "d_ff": 64, "max_length": 24}
LENGTHS = (17, 9, 1)


def made(kind=MaskedLanguageModel, encoder=BertEncoder, **settings):
    torch.manual_seed(0)
    return enlarged(kind(encoder(19, **SIZES), **settings))


def texts():
    """Texts of different lengths in one batch, and their segments."""
    generator = torch.Generator().manual_seed(1)
    ids = torch.randint(1, 19, (len(LENGTHS), max(LENGTHS)), generator=generator)
    segments = torch.zeros_like(ids)
    for row, length in enumerate(LENGTHS):
        ids[row, length:] = 0
        segments[row, length // 2 : length] = 1
    return ids, segments


@pytest.mark.parametrize("in_pairs", [False, True])
@torch.no_grad()
def test_vectors_and_logits_are_those_of_bert_with_its_weights(in_pairs):
    transformers = pytest.importorskip("transformers", reason="the comparison needs transformers")
    torch.manual_seed(0)
    settings = transformers.BertConfig(
        vocab_size=19,
        max_position_embeddings=24,
        hidden_size=32,
        num_hidden_layers=2,
        num_attention_heads=4,
        intermediate_size=64,
    )
    theirs = transformers.BertForPreTraining(settings).eval()
    for parameter in theirs.parameters():
        parameter += 0.1 * torch.randn(parameter.shape)
    ours = made(next_sentence=True)
    for part in ours.modules():
        if isinstance(part, LayerNorm):
            part.eps = settings.layer_norm_eps
    copy_bert(theirs, ours)
    ids, segments = texts()
    given = segments if in_pairs else None
    real = ids != 0
    expected = theirs(
        ids, attention_mask=real.long(), token_type_ids=given, output_hidden_states=True
    )
    vectors, _ = ours.encoder(ids, given)
    logits, follows = ours(ids, given)
    for found, wanted in (
        (vectors[real], expected.hidden_states[-1][real]),
        (logits[real], expected.prediction_logits[real]),
        (follows, expected.seq_relationship_logits),
    ):
        torch.testing.assert_close(found, wanted, atol=1e-4, rtol=0)


def copy_bert(theirs, ours):
    """Copy the weights of a `BertForPreTraining`."""
    bert, encoder, heads = theirs.bert, ours.encoder, theirs.cls
    encoder.tokens.weight.copy_(bert.embeddings.word_embeddings.weight)
    encoder.positions.weight.copy_(bert.embeddings.position_embeddings.weight)
    encoder.segments.weight.copy_(bert.embeddings.token_type_embeddings.weight)
    pairs = [
        (bert.embeddings.LayerNorm, encoder.norm),
        (heads.predictions.transform.dense, ours.transform),
        (heads.predictions.transform.LayerNorm, ours.norm),
        (bert.pooler.dense, ours.pooler.linear),
        (heads.seq_relationship, ours.next_sentence),
    ]
    for layer, own in zip(bert.encoder.layer, encoder.encoder.layers, strict=True):
        attention = layer.attention
        pairs += [
            (attention.self.query, own.attention.w_q),
            (attention.self.key, own.attention.w_k),
            (attention.self.value, own.attention.w_v),
            (attention.output.dense, own.attention.w_o),
            (attention.output.LayerNorm, own.attention_residual.norm),
            (layer.intermediate.dense, own.feed_forward.w_1),
            (layer.output.dense, own.feed_forward.w_2),
            (layer.output.LayerNorm, own.feed_forward_residual.norm),
        ]
    for part, own in pairs:
        own.weight.copy_(part.weight)
        own.bias.copy_(part.bias)
    ours.bias.copy_(heads.predictions.bias)


@torch.no_grad()
def test_padding_changes_nothing():
    model, (ids, segments) = made(next_sentence=True), texts()
    logits, follows = model(ids, segments)
    for row, length in enumerate(LENGTHS):
        alone, alone_follows = model(ids[row : row + 1, :length], segments[row : row + 1, :length])
        torch.testing.assert_close(logits[row, :length], alone[0], atol=1e-5, rtol=1e-5)
        torch.testing.assert_close(follows[row], alone_follows[0], atol=1e-5, rtol=1e-5)


@torch.no_grad()
def test_every_position_reads_both_directions_and_the_order():
    model, (ids, _) = made(), texts()
    logits, follows = model(ids)
    assert follows is None
    for changed in (0, 8):
        other = ids.clone()
        other[1, changed] = 1 + ids[1, changed] % 18
        assert not torch.allclose(model(other)[0][1, 4], logits[1, 4])
    assert not torch.allclose(model(ids[:1, [1, 0, *range(2, 17)]])[0][0, -1], logits[0, -1])


@torch.no_grad()
def test_segments_count_if_the_model_has_them_and_all_is_of_the_first_by_default():
    ids, segments = texts()
    model = made()
    assert not torch.allclose(model(ids, segments)[0], model(ids)[0])
    torch.testing.assert_close(model(ids, torch.zeros_like(ids)), model(ids))
    without = made(encoder=lambda *sizes, **others: BertEncoder(*sizes, **others, n_segments=0))
    torch.testing.assert_close(without(ids, segments), without(ids))


@torch.no_grad()
def test_the_fast_form_gives_the_same():
    model, (ids, segments) = made(next_sentence=True), texts()
    fast = fast_model(lambda: made(next_sentence=True)).eval()
    real = ids != 0
    for found, wanted in zip(fast(ids, segments), model(ids, segments), strict=True):
        at = real if found.dim() == 3 else slice(None)
        torch.testing.assert_close(found[at], wanted[at], atol=1e-5, rtol=1e-5)


def test_more_tokens_than_positions_are_refused_in_one_sentence():
    with pytest.raises(ValueError, match="25 tokens, but positions were learned for 24: give"):
        made()(torch.ones(1, 25, dtype=torch.long))


@pytest.mark.parametrize("pooling", ["cls", "mean"])
@torch.no_grad()
def test_a_text_has_its_class_whatever_padding_follows(pooling):
    model, (ids, segments) = made(TextClassifier, n_classes=3, pooling=pooling), texts()
    logits, weights = model(ids, segments)
    assert logits.shape == (3, 3)
    assert weights is None
    assert [one.shape for one in model(ids, need_weights=True)[1]] == 2 * [(3, 4, 17, 17)]
    alone, _ = model(ids[1:2, :9], segments[1:2, :9])
    torch.testing.assert_close(logits[1:2], alone, atol=1e-5, rtol=1e-5)


def test_an_unknown_pooling_is_refused():
    with pytest.raises(ValueError, match="pooling = 'max' is unknown: choose 'cls' or 'mean'"):
        made(TextClassifier, pooling="max")


@torch.no_grad()
def test_a_token_has_its_class_and_a_span_is_never_in_the_padding():
    ids, segments = texts()
    assert made(TokenClassifier, n_classes=5)(ids, segments).shape == (3, 17, 5)
    starts, ends = made(SpanFinder)(ids, segments)
    for logits in (starts, ends):
        assert ((logits == -math.inf) == (ids == 0)).all()


@pytest.mark.parametrize("kind", ["classes", "tokens", "spans"])
def test_a_head_learns_what_it_is_for_and_the_encoder_with_it(kind):
    """The class, tokens and span that are asked for all follow from where token 5 stands."""
    torch.manual_seed(0)
    encoder = BertEncoder(19, **SIZES | {"dropout": 0.0})
    places = torch.arange(16) % 8
    ids = torch.randint(6, 19, (16, 8))
    ids[range(16), places] = 5
    before = encoder.tokens.weight[5].clone()
    head, loss = {
        "classes": (
            TextClassifier(encoder, dropout=0.0),
            lambda found: cross_entropy(found[0], (places >= 4).long()),
        ),
        "tokens": (
            TokenClassifier(encoder, 2, dropout=0.0),
            lambda found: cross_entropy(found.flatten(0, 1), (ids == 5).long().flatten()),
        ),
        "spans": (SpanFinder(encoder), lambda found: sum(cross_entropy(f, places) for f in found)),
    }[kind]
    with no_shape_checks():
        assert learned(head, lambda: loss(head(ids)), steps=150, rate=3e-3) < 0.2
    assert not torch.equal(encoder.tokens.weight[5], before)

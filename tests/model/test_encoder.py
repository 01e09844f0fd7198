"""Assignment 3's library: parity with torch, padding, positions, fast forms."""

import math

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from small_models import draw, plain
from torch import nn

from course_lib.analysis.torch_encoder import copy_encoder_from_torch, torch_encoder
from course_lib.classifier import EncoderClassifier
from course_lib.embeddings import TransformerEmbedding
from course_lib.encoder import Encoder
from course_lib.families.position_variants import with_positions
from course_lib.families.relative_attention import RelativeMultiHeadAttention
from course_lib.fast.attention import FusedMultiHeadAttention
from course_lib.fast.dropout import FastDropout, dropout_factor
from course_lib.fast.forms import FusedLayerNorm, fast_model
from course_lib.masks import padding_mask
from course_lib.positions import LearnedPositions, RelativeBias, sinusoidal_positions
from course_lib.training.classification_step import training_step


def classifier(pooling="mean", norm_first=False, dropout=0.0, seed=0, made=plain):
    torch.manual_seed(seed)
    sizes = {"n_layers": 2, "d_model": 16, "n_heads": 4, "d_ff": 32, "dropout": dropout}
    return made(EncoderClassifier, 30, 3, **sizes, norm_first=norm_first, pooling=pooling)


VARIANTS = {
    "sinusoidal": classifier,
    "learned": lambda *own: with_positions(classifier(*own), "learned", 600),
    "relative": lambda *own: with_positions(classifier(*own), "relative"),
    "relative, fast": lambda *own: with_positions(classifier(*own, made=fast_model), "relative"),
    "rotary": lambda *own: with_positions(classifier(*own), "rotary"),
    "none": lambda *own: with_positions(classifier(*own), "none"),
    "fast": lambda *own: classifier(*own, made=fast_model),
}


# The encoder.


@pytest.mark.parametrize("norm_first", [False, True])
@pytest.mark.parametrize("made", [plain, fast_model])
def test_encoder_equals_torchs_with_its_gradients(norm_first, made):
    torch.manual_seed(0)
    size = (3, 16, 4, 32, 0.0, norm_first)
    theirs, ours = torch_encoder(*size), made(Encoder, *size)
    copy_encoder_from_torch(ours, theirs)
    real = torch.arange(6) < torch.tensor([[6], [3], [1]])
    results = []
    for read in (
        lambda x: theirs(x, src_key_padding_mask=~real),
        lambda x: ours(x, real[:, None, None])[0],
    ):
        x = draw(1, 3, 6, 16).requires_grad_()
        output = read(x)[real]
        (output * draw(2, *output.shape)).sum().backward()
        results.append((output, x.grad))
    torch.testing.assert_close(*results[::-1], atol=1e-5, rtol=1e-5)
    mine, yours = ours.layers[0], theirs.layers[0]
    packed = torch.cat([layer.weight.grad for layer in (mine.attention.w_q, mine.attention.w_k)])
    pairs = [
        (packed, yours.self_attn.in_proj_weight.grad[:32]),
        (mine.feed_forward.w_1.weight.grad, yours.linear1.weight.grad),
        (mine.feed_forward_residual.norm.weight.grad, yours.norm2.weight.grad),
    ]
    for own, wanted in pairs:
        torch.testing.assert_close(own, wanted, atol=1e-4, rtol=1e-4)


def test_encoders_of_other_depth_are_refused():
    with pytest.raises(ValueError, match="2 layers of ours, 1 of torch"):
        copy_encoder_from_torch(Encoder(2, 16, 4, 32), torch_encoder(1, 16, 4, 32, 0.0, False))


# The classifier and its padding.


@pytest.mark.parametrize("name", VARIANTS)
@pytest.mark.parametrize("pooling", ["mean", "cls"])
def test_padding_changes_nothing(name, pooling):
    model = VARIANTS[name](pooling).eval()
    sentence = torch.tensor([[2, 7, 11, 4, 9, 3]])
    wanted = model(sentence)[0]
    for length in (10, 50, 512):
        padded = torch.zeros(1, length, dtype=torch.long)
        padded[:, :6] = sentence
        torch.testing.assert_close(model(padded)[0], wanted, atol=1e-5, rtol=0)


@pytest.mark.parametrize("name", VARIANTS)
def test_the_order_of_words_counts(name):
    model = VARIANTS[name]().eval()
    if name.startswith("relative"):  # starts without a preference
        with torch.no_grad():
            model.encoder.layers[0].attention.relative.bias.weight.normal_()
    one, other = model(torch.tensor([[2, 7, 11], [11, 2, 7]]))[0]
    largest = (one - other).abs().max()
    assert largest < 1e-5 if name == "none" else largest > 1e-3


def test_padding_gets_no_gradient_and_keeps_its_zero_row():
    model = classifier()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.5)
    schedule = torch.optim.lr_scheduler.ConstantLR(optimizer)
    token_ids = torch.tensor([[2, 3, 0, 0], [4, 5, 6, 0]])
    training_step(model, token_ids, torch.tensor([0, 1]), optimizer, schedule)
    assert (model.embedding.tokens.weight[0] == 0).all()
    assert (model.embedding.tokens.weight[2:7].abs().sum(-1) > 0).all()


# Positions.


def test_sinusoids_grow_with_the_input_and_are_not_saved():
    embedding = TransformerEmbedding(9, 6, dropout=0.0, max_length=4)
    token_ids = torch.tensor([[1, 2, 0, 1, 2, 1, 1]])
    x = embedding(token_ids)
    scaled = embedding.tokens(token_ids) * math.sqrt(6)
    torch.testing.assert_close(x - scaled, sinusoidal_positions(7, 6)[None], atol=1e-6, rtol=0)
    assert list(embedding.state_dict()) == ["tokens.weight"]


def test_learned_positions_end_where_they_were_learned():
    positions = LearnedPositions(4, max_length=3)
    x = draw(0, 2, 2, 4)
    torch.testing.assert_close(positions(x) - x, positions.table[:2].expand(2, 2, 4))
    with pytest.raises(ValueError, match="5 tokens, but positions were learned for 3"):
        positions(draw(0, 1, 5, 4))
    model = with_positions(classifier(), "learned", max_length=3)
    with pytest.raises(ValueError, match="learned for 3"):
        model(torch.tensor([[1, 2, 3, 4]]))


@pytest.mark.parametrize("name", ["sinusoidal", "relative", "rotary", "none"])
def test_longer_inputs_than_ever_seen_can_be_read(name):
    model = VARIANTS[name]().eval()
    logits = model(torch.randint(1, 30, (1, 700)))[0]
    assert torch.isfinite(logits).all()


def test_variants_hold_no_table_of_sinusoids():
    for scheme in ("learned", "relative", "rotary", "none"):
        model = with_positions(classifier(), scheme)
        assert not [name for name, _ in model.named_buffers()]
    model = with_positions(classifier(), "relative")
    tables = {id(layer.attention.relative) for layer in model.encoder.layers}
    assert len(tables) == 1
    plain = classifier()
    for one, other in zip(model.encoder.layers, plain.encoder.layers, strict=True):
        assert torch.equal(one.attention.w_q.weight, other.attention.w_q.weight)


def test_buckets_of_t5_by_written_in_distances():
    # 32 buckets up to distance 128: of each direction's 16, the first 8 are exact; distance d ≥ 8
    # falls into 8 + floor(8 · log(d / 8) / log(16)), at most 15.
    buckets = RelativeBias(2).buckets(300, 300)
    behind = {0: 0, 1: 1, 7: 7, 8: 8, 11: 8, 12: 9, 15: 9, 16: 10, 22: 10, 23: 11, 31: 11, 32: 12}
    behind |= {45: 12, 46: 13, 63: 13, 64: 14, 90: 14, 91: 15, 128: 15, 299: 15}
    for distance, bucket in behind.items():
        assert buckets[299, 299 - distance] == bucket
        assert distance == 0 or buckets[0, distance] == bucket + 16
    assert buckets.unique().tolist() == [b for b in range(32) if b != 16]
    assert (buckets.diagonal() == 0).all()


@settings(max_examples=20)
@given(st.sampled_from([8, 16, 32]), st.integers(20, 200), st.integers(1, 60), st.integers(1, 60))
def test_buckets_depend_on_distance_alone_and_never_fall(n_buckets, longest, n_q, n_k):
    buckets = RelativeBias(1, n_buckets, longest).buckets(n_q, n_k)
    assert buckets.shape == (n_q, n_k)
    assert torch.equal(buckets[1:, 1:], buckets[:-1, :-1])
    assert (buckets[0, 1:].diff() >= 0).all()
    assert (buckets[:, 0].diff() >= 0).all()
    assert buckets.max() < n_buckets


def test_relative_attention_adds_its_bias_to_the_scores():
    relative = RelativeBias(2, 8, 16)
    module, x = RelativeMultiHeadAttention(8, 2, 0.0, relative), draw(0, 2, 5, 8)
    mask = padding_mask(torch.tensor([[1, 1, 1, 0, 0], [1, 1, 1, 1, 1]]))
    _, weights = module(x, x, x, mask, need_weights=True)
    q, k = (f(x).view(2, 5, 2, 4).transpose(1, 2) for f in (module.w_q, module.w_k))
    scores = q @ k.transpose(-2, -1) / 2.0
    for head in range(2):
        scores[:, head] += relative.bias.weight[relative.buckets(5, 5), head]
    wanted = torch.softmax(scores.masked_fill(~mask, -math.inf), dim=-1)
    torch.testing.assert_close(weights, wanted)


# Fast forms.


def test_fast_forms_take_the_place_of_every_part_they_have_and_keep_the_state():
    model, other = classifier(dropout=0.3, made=fast_model), classifier(dropout=0.3, seed=1)
    kinds = [type(module) for module in model.modules()]
    assert kinds.count(FusedMultiHeadAttention) == 2
    assert kinds.count(FusedLayerNorm) == 4
    assert kinds.count(FastDropout) == sum(type(m) is nn.Dropout for m in other.modules())
    assert list(model.state_dict()) == list(other.state_dict())
    same_seed = classifier(dropout=0.3).state_dict()
    assert all(torch.equal(value, same_seed[name]) for name, value in model.state_dict().items())
    other.load_state_dict(model.state_dict())
    model.load_state_dict(other.state_dict())


@pytest.mark.parametrize("norm_first", [False, True])
@pytest.mark.parametrize("training", [False, True])
def test_fast_forms_equal_the_readable_ones_with_gradients(norm_first, training):
    token_ids = torch.tensor([[2, 7, 11, 4], [9, 3, 0, 0], [0, 0, 0, 0]])
    results = []
    for made in (plain, fast_model):
        model = classifier(norm_first=norm_first, made=made).train(training)
        logits, _ = model(token_ids)
        logits.square().sum().backward()
        results.append([logits, *(p.grad for p in model.parameters())])
    torch.testing.assert_close(*results[::-1], atol=1e-5, rtol=1e-4)


def masks():
    mask = torch.rand(3, 1, 6, 6, generator=torch.Generator().manual_seed(3)) < 0.5
    mask[1, 0, 2] = False
    return [None, padding_mask(torch.tensor([[1] * 6, [1, 1, 0, 0, 0, 0], [0] * 6])), mask]


@pytest.mark.parametrize("number", range(3))
def test_attention_with_dropout_equals_the_readable_one_in_expectation(number):
    torch.manual_seed(0)
    module, x, mask = FusedMultiHeadAttention(8, 2, dropout=0.4), draw(0, 3, 6, 8), masks()[number]
    wanted = module.eval()(x, x, x, mask)[0]
    many = x[None].expand(4000, 3, 6, 8).reshape(-1, 6, 8)
    repeated = None if mask is None else mask[None].expand(4000, *mask.shape).flatten(0, 1)
    outputs = module.train()(many, many, many, repeated)[0].view(4000, 3, 6, 8)
    assert torch.isfinite(outputs).all()
    error = outputs.std(0) / math.sqrt(4000)
    assert ((outputs.mean(0) - wanted).abs() <= 5 * error + 1e-6).all()
    # All weights but a binary fraction survive or fall: no unit is left as it was.
    attended = torch.ones(3, 6).bool() if mask is None else mask.any(-1)[:, 0].expand(3, 6)
    assert (outputs.std(0)[attended] > 0).all()
    assert (outputs.std(0)[~attended] == 0).all()


def test_attention_to_another_sequence_has_a_fast_form_too():
    module = FusedMultiHeadAttention(8, 2, dropout=0.0)
    query, memory = draw(0, 2, 3, 8), draw(1, 2, 5, 8)
    readable = module(query, memory, memory, need_weights=True)[0]
    torch.testing.assert_close(module(query, memory, memory)[0], readable, atol=1e-5, rtol=0)


@pytest.mark.parametrize("p", [0.1, 0.5, 0.9])
def test_dropout_drops_at_its_rate_and_keeps_the_expectation(p):
    torch.manual_seed(0)
    factor = dropout_factor(torch.empty(401, 1003), p)
    n = factor.numel()
    dropped = float((factor == 0).double().mean())
    assert abs(dropped - p) < 5 * math.sqrt(p * (1 - p) / n)
    assert sorted(factor.unique().tolist()) == pytest.approx([0.0, 1 / (1 - p)], rel=1e-4)
    assert float(factor.double().mean()) == pytest.approx(1.0, abs=5 * math.sqrt(p / (1 - p) / n))
    kept = (factor > 0).double()  # neighbours in memory share a random word
    for shift in (1, 2, 4, 1003):
        one, other = kept.flatten()[:-shift], kept.flatten()[shift:]
        correlation = float(torch.corrcoef(torch.stack([one, other]))[0, 1])
        assert abs(correlation) < 5 / math.sqrt(n)


def test_dropout_is_decided_by_torchs_seed():
    module, x = FastDropout(0.5), torch.ones(7, 5)
    torch.manual_seed(3)
    one, other = module(x), module(x)
    torch.manual_seed(3)
    assert torch.equal(module(x), one)
    assert torch.equal(module(x), other)
    assert not torch.equal(one, other)


@pytest.mark.parametrize("shape", [(), (1,), (3,), (5, 7), (2, 0, 3)])
def test_dropout_of_odd_sizes_and_its_limits(shape):
    x = torch.ones(shape).requires_grad_()
    assert FastDropout(0.3)(x).shape == shape
    assert torch.equal(FastDropout(0.0)(x), x)
    assert torch.equal(FastDropout(0.3).eval()(x), x)
    gone = FastDropout(1.0)(x)
    assert torch.equal(gone, torch.zeros(shape))
    gone.sum().backward()
    assert torch.equal(x.grad, torch.zeros(shape))


def test_gradients_pass_where_dropout_let_through():
    torch.manual_seed(0)
    x = torch.ones(50, 11).requires_grad_()
    output = FastDropout(0.3)(x)
    output.sum().backward()
    assert torch.equal(x.grad, output.detach())
    half = FastDropout(0.3)(torch.ones(9, dtype=torch.bfloat16))
    assert half.dtype == torch.bfloat16

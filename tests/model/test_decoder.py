"""Decoder, Transformer, loss: parity with torch by copied weights, causality, tied weights."""

import pytest
import torch
from no_shape_checks import no_shape_checks
from small_models import draw, learned, plain
from torch import nn

from course_lib.analysis.torch_attention import copy_from_torch
from course_lib.analysis.torch_encoder import copy_encoder_from_torch
from course_lib.decoder import Decoder
from course_lib.fast.forms import fast_model
from course_lib.masks import causal_mask, padding_mask, target_mask
from course_lib.training.losses import label_smoothed_loss
from course_lib.transformer import Transformer

SIZES = {"n_layers": 2, "d_model": 16, "n_heads": 4, "d_ff": 32}
SOURCE = torch.tensor([[5, 6, 7, 8, 9], [10, 11, 0, 0, 0], [12, 5, 7, 3, 0]])
TARGET = torch.tensor([[2, 14, 15, 16], [2, 17, 0, 0], [2, 18, 19, 0]])


def transformer(norm_first=False, dropout=0.0, seed=0, made=plain):
    torch.manual_seed(seed)
    return made(Transformer, 20, **SIZES, dropout=dropout, norm_first=norm_first)


def torchs(norm_first):
    """torch's own, whose parameters are all drawn; no dropout, so that training is the same."""
    torch.manual_seed(1)
    theirs = nn.Transformer(
        *(16, 4, 2, 2, 32, 0.0), layer_norm_eps=1e-6, batch_first=True, norm_first=norm_first
    )
    if not norm_first:  # the paper has no norm after the last layer's own
        theirs.encoder.norm = theirs.decoder.norm = None
    with torch.no_grad():
        for parameter in theirs.parameters():
            parameter.copy_(0.3 * torch.randn(parameter.shape) + (parameter.ndim == 1) * parameter)
    return theirs


def copy_decoder(ours, theirs):
    for mine, yours in zip(ours.layers, theirs.layers, strict=True):
        copy_from_torch(mine.self_attention, yours.self_attn)
        copy_from_torch(mine.cross_attention, yours.multihead_attn)
        mine.feed_forward.w_1.load_state_dict(yours.linear1.state_dict())
        mine.feed_forward.w_2.load_state_dict(yours.linear2.state_dict())
        mine.self_attention_residual.norm.load_state_dict(yours.norm1.state_dict())
        mine.cross_attention_residual.norm.load_state_dict(yours.norm2.state_dict())
        mine.feed_forward_residual.norm.load_state_dict(yours.norm3.state_dict())
    if theirs.norm is not None:
        ours.norm.load_state_dict(theirs.norm.state_dict())


# Parity.


@pytest.mark.filterwarnings("ignore:enable_nested_tensor")
@pytest.mark.parametrize("norm_first", [False, True])
@pytest.mark.parametrize("made", [plain, fast_model])
def test_the_decoder_equals_torchs_with_its_gradients(norm_first, made):
    theirs = torchs(norm_first).decoder
    ours = made(Decoder, **SIZES, dropout=0.0, norm_first=norm_first)
    copy_decoder(ours, theirs)
    real, source_real = TARGET != 0, SOURCE != 0
    causal = causal_mask(4)
    results = []
    for read in (
        lambda x, memory: theirs(
            *(x, memory, ~causal[0, 0]),
            tgt_key_padding_mask=~real,
            memory_key_padding_mask=~source_real,
        ),
        lambda x, memory: ours(x, memory, target_mask(TARGET), padding_mask(SOURCE))[0],
    ):
        x, memory = draw(1, 3, 4, 16).requires_grad_(), draw(2, 3, 5, 16).requires_grad_()
        output = read(x, memory)[real]
        (output * draw(3, *output.shape)).sum().backward()
        results.append((output, x.grad, memory.grad))
    torch.testing.assert_close(*results[::-1], atol=1e-5, rtol=1e-5)
    mine, yours = ours.layers[0], theirs.layers[0]
    cross = mine.cross_attention
    packed = torch.cat([layer.weight.grad for layer in (cross.w_q, cross.w_k, cross.w_v)])
    pairs = [
        (packed, yours.multihead_attn.in_proj_weight.grad),
        (mine.self_attention.w_o.weight.grad, yours.self_attn.out_proj.weight.grad),
        (mine.cross_attention_residual.norm.weight.grad, yours.norm2.weight.grad),
        (mine.feed_forward.w_2.weight.grad, yours.linear2.weight.grad),
    ]
    for own, wanted in pairs:
        torch.testing.assert_close(own, wanted, atol=1e-4, rtol=1e-4)


@pytest.mark.filterwarnings("ignore:enable_nested_tensor")
@pytest.mark.parametrize("norm_first", [False, True])
def test_the_transformer_equals_torchs_with_its_gradients(norm_first):
    theirs, ours = torchs(norm_first), transformer(norm_first)
    copy_encoder_from_torch(ours.encoder, theirs.encoder)
    copy_decoder(ours.decoder, theirs.decoder)
    weight = ours.embedding.tokens.weight
    results = []
    for read in (
        lambda: (
            theirs(
                *(ours.embedding(SOURCE), ours.embedding(TARGET)),
                tgt_mask=~causal_mask(4)[0, 0],
                src_key_padding_mask=SOURCE == 0,
                tgt_key_padding_mask=TARGET == 0,
                memory_key_padding_mask=SOURCE == 0,
            )
            @ weight.T
        ),
        lambda: ours(SOURCE, TARGET)[0],
    ):
        weight.grad = None
        logits = read()[TARGET != 0]
        (logits * draw(3, *logits.shape)).sum().backward()
        results.append((logits.detach(), weight.grad))
    torch.testing.assert_close(*results[::-1], atol=1e-4, rtol=1e-5)


@pytest.mark.parametrize("norm_first", [False, True])
def test_fast_forms_of_the_transformer_equal_the_readable_ones(norm_first):
    results = []
    for made in (plain, fast_model):
        model = transformer(norm_first, made=made)
        logits, _ = model(SOURCE, TARGET)
        label_smoothed_loss(logits[:, :-1], TARGET[:, 1:]).backward()
        results.append([logits, *(p.grad for p in model.parameters())])
    torch.testing.assert_close(*results[::-1], atol=1e-5, rtol=1e-4)


# Who sees whom.


@pytest.mark.parametrize("norm_first", [False, True])
@pytest.mark.parametrize("made", [plain, fast_model])
def test_the_future_changes_nothing_and_the_past_does(norm_first, made):
    model = transformer(norm_first, made=made).eval()
    target = torch.tensor([[2, 14, 15, 16, 17, 18]])
    wanted = model(SOURCE[:1], target)[0]
    for n in range(1, 6):
        other = target.clone()
        other[0, n] = 7
        logits = model(SOURCE[:1], other)[0]
        torch.testing.assert_close(logits[:, :n], wanted[:, :n], atol=1e-6, rtol=0)
        assert ((logits - wanted)[0, n:].abs().amax(-1) > 1e-3).all()


# The parts and their parameters.


def test_every_parameter_but_the_padding_learns():
    model = transformer()
    logits, _ = model(SOURCE, TARGET)
    label_smoothed_loss(logits[:, :-1], TARGET[:, 1:]).backward()
    # A bias of the keys adds the same to all scores of a query: softmax takes it out again.
    named = [(n, p) for n, p in model.named_parameters() if not n.endswith("w_k.bias")]
    assert [n for n, p in named if not p.grad.any()] == []


def test_a_pair_is_learned_by_heart():
    model = transformer(norm_first=True)
    read, target = TARGET[:, :-1], TARGET[:, 1:]
    with no_shape_checks():
        learned(model, lambda: label_smoothed_loss(model(SOURCE, read)[0], target, 0.0), 80, 3e-3)
    assert (model(SOURCE, read)[0].argmax(-1) == target)[target != 0].all()

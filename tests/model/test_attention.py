"""Assignment 2's library: parity with torch, fused equals readable, properties, measurements."""

import subprocess
import sys

import pytest
import torch
from checkout import ROOT
from small_models import draw
from torch import nn

from course_lib.analysis.one_head_or_many import compare_heads
from course_lib.analysis.pointer_reader import PointerReader, accuracy, draw_examples
from course_lib.analysis.torch_attention import copy_from_torch, to_torch_mask
from course_lib.attention import MultiHeadAttention, _check_shapes, attention, split_heads
from course_lib.classifier import EncoderClassifier
from course_lib.fast.attention import FusedMultiHeadAttention, fused_attention
from course_lib.positions import RelativeBias
from course_lib.transformer import Transformer


def draw_mask(seed, *shape):
    """A random mask that leaves every query a key."""
    mask = torch.rand(shape, generator=torch.Generator().manual_seed(seed)) < 0.6
    mask[..., 0] = True
    return mask


MASKS = {
    "none": None,
    "causal": torch.ones(6, 6, dtype=torch.bool).tril(),
    "padding": draw_mask(1, 2, 1, 1, 6),
    "heads": draw_mask(2, 2, 4, 6, 6),
}


def modules(kind=MultiHeadAttention, bias=True, seed=0):
    """torch's module and ours with its weights, biases drawn too."""
    torch.manual_seed(seed)
    theirs = nn.MultiheadAttention(16, 4, dropout=0.0, bias=bias, batch_first=True)
    if bias:
        nn.init.normal_(theirs.in_proj_bias)
        nn.init.normal_(theirs.out_proj.bias)
    ours = kind(16, 4, dropout=0.0, bias=bias)
    copy_from_torch(ours, theirs)
    return ours, theirs


# Attention and its fused form.


@pytest.mark.parametrize("name", MASKS)
def test_fused_form_equals_the_readable_one_with_gradients(name):
    results = []
    for form in (lambda *a: attention(*a)[0], fused_attention):
        arguments = [draw(seed, 2, 4, 6, 5).requires_grad_() for seed in range(3)]
        output = form(*arguments, MASKS[name])
        gradients = torch.autograd.grad((output * draw(9, *output.shape)).sum(), arguments)
        results.append((output, *gradients))
    torch.testing.assert_close(*results[::-1], atol=1e-5, rtol=0)


@pytest.mark.parametrize("form", [lambda *a: attention(*a)[0], fused_attention])
def test_a_query_without_keys_gets_zeros_and_finite_gradients(form):
    mask = torch.ones(2, 1, 3, 4, dtype=torch.bool)
    mask[0, 0, 1], mask[1] = False, False
    arguments = [draw(0, 2, 2, 3, 5), draw(1, 2, 2, 4, 5), draw(2, 2, 2, 4, 5)]
    arguments = [a.requires_grad_() for a in arguments]
    output = form(*arguments, mask)
    assert (output[0, :, 1] == 0).all()
    assert (output[1] == 0).all()
    gradients = torch.autograd.grad(output.sum(), arguments)
    assert all(torch.isfinite(g).all() for g in gradients)
    assert (gradients[0][0, :, 1] == 0).all()
    assert all((g[1] == 0).all() for g in gradients)


TWO = torch.ones(1, 2, 2)


@pytest.mark.parametrize(
    ("call", "told"),
    [
        (lambda: _check_shapes(TWO, TWO, TWO, torch.zeros(2, 2)), "write `mask == 0` for torch's"),
        (lambda: _check_shapes(TWO, TWO, TWO, torch.ones(2, 2).long()), "`mask != 0` for ones"),
        (lambda: MultiHeadAttention(8, 0), "d_model = 8 must be a multiple of n_heads = 0"),
        (lambda: MultiHeadAttention(8, -2), "must be a multiple of n_heads = -2"),
        (lambda: split_heads(TWO, 0), "2 features cannot be divided among 0 heads"),
        (lambda: split_heads(TWO, -1), "among -1 heads"),
        (lambda: Transformer(20, pad_id=-100), "pad_id = -100 is no token: give one from 0 to 19"),
        (lambda: EncoderClassifier(20, pad_id=-1), "pad_id = -1 is no token"),
        (lambda: Transformer(20, pad_id=20), "pad_id = 20 is no token"),
        (lambda: RelativeBias(2, 2), "n_buckets = 2, .* give at least 4 buckets"),
        (lambda: RelativeBias(2, 32, 8), "max_distance = 8: .* a distance above a quarter"),
    ],
)
def test_what_cannot_be_is_one_sentence_that_says_what_to_give(call, told):
    with pytest.raises(ValueError, match=told) as refused:
        call()
    assert "\n" not in str(refused.value)


def test_all_forms_refuse_torchs_masks_and_a_missing_axis():
    """Without the watch over shapes, as a student calls them."""
    code = """
import torch
from course_lib.attention import MultiHeadAttention
from course_lib.families.relative_attention import RelativeBias, RelativeMultiHeadAttention
from course_lib.families.rotary_attention import RotaryMultiHeadAttention
from course_lib.classifier import EncoderClassifier
from course_lib.fast.attention import FusedMultiHeadAttention
x = torch.ones(1, 3, 4)
relative = lambda *sizes: RelativeMultiHeadAttention(*sizes, 0.0, RelativeBias(2))
rotary = lambda *sizes: RotaryMultiHeadAttention(*sizes, 0.0)
for kind in (MultiHeadAttention, FusedMultiHeadAttention, relative, rotary):
    for y, mask in (
        (x, torch.zeros(3, 3)), (x, torch.ones(3, 3, dtype=torch.int64)), (x[0], None)
    ):
        try:
            kind(4, 2)(y, y, y, mask)
        except ValueError as error:
            print(error)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=ROOT)
    assert done.stdout.count("give a boolean one, True = may attend") == 8, done.stderr
    assert done.stdout.count("(3, 4) is not (batch, n, d_model): x[None] is") == 4, done.stdout


@pytest.mark.parametrize(("n_buckets", "longest"), [(4, 2), (32, 9), (7, 100)])
def test_every_distance_has_a_bucket_with_the_least_sizes(n_buckets, longest):
    found = RelativeBias(2, n_buckets, longest).buckets(50, 50)
    assert 0 <= int(found.min()) <= int(found.max()) < n_buckets


@pytest.mark.parametrize("shape", [(4, 2), (3, 4), (1, 2, 4)])
def test_a_mask_that_does_not_fit_is_refused_by_both_shapes(shape):
    with pytest.raises(ValueError, match=r"mask \(.*scores \(2, 4\)"):
        attention(draw(0, 2, 3), draw(1, 4, 3), draw(2, 4, 3), torch.ones(shape).bool())


# Heads and the module.


@pytest.mark.parametrize("bias", [True, False])
@pytest.mark.parametrize("name", MASKS)
@pytest.mark.parametrize("kind", [MultiHeadAttention, FusedMultiHeadAttention])
def test_module_equals_torchs(kind, name, bias):
    ours, theirs = modules(kind, bias)
    query, key, value = draw(0, 2, 6, 16), draw(1, 2, 6, 16), draw(2, 2, 6, 16)
    mask = MASKS[name]
    full = None if mask is None else mask.expand(2, mask.shape[-3] if mask.ndim == 4 else 1, 6, 6)
    blocked = None if full is None else to_torch_mask(full, 4)
    wanted, weights = theirs(query, key, value, attn_mask=blocked, average_attn_weights=False)
    output, nothing = ours(query, key, value, mask)
    assert nothing is None
    torch.testing.assert_close(output, wanted, atol=1e-5, rtol=0)
    output, own = ours(query, key, value, mask, need_weights=True)
    torch.testing.assert_close(output, wanted, atol=1e-5, rtol=0)
    torch.testing.assert_close(own, weights, atol=1e-5, rtol=0)


@pytest.mark.parametrize("kind", [MultiHeadAttention, FusedMultiHeadAttention])
def test_queries_and_keys_may_differ_in_number_and_dropout_rests_in_eval(kind):
    module = kind(16, 4, dropout=0.5)
    query, memory = draw(0, 2, 3, 16), draw(1, 2, 7, 16)
    first, second = module(query, memory, memory)[0], module(query, memory, memory)[0]
    assert first.shape == (2, 3, 16)
    assert not torch.equal(first, second)
    module.eval()
    assert torch.equal(module(query, memory, memory)[0], module(query, memory, memory)[0])
    assert module(query, memory, memory, need_weights=True)[1].shape == (2, 4, 3, 7)


def test_state_dicts_fit_both_forms():
    names = [f"w_{n}.{part}" for n in "qkvo" for part in ("weight", "bias")]
    assert list(MultiHeadAttention(8, 2).state_dict()) == names
    assert list(FusedMultiHeadAttention(8, 2).state_dict()) == names


# The task of two pointers.


def test_answers_are_the_symbols_at_the_two_positions():
    symbols, pointers, answers = draw_examples(3, torch.Generator().manual_seed(0))
    for memory, asked, wanted in zip(symbols, pointers, answers, strict=True):
        assert torch.equal(memory[asked], wanted)


def test_accuracy_wants_both_answers():
    examples = draw_examples(4, torch.Generator().manual_seed(0))
    right = nn.functional.one_hot(examples.answers, 8).float()
    right[..., 1, :] *= -1
    assert accuracy(lambda _: right.abs(), examples) == 1.0
    assert accuracy(lambda _: right, examples) == 0.0


def test_two_heads_beat_one_with_equal_parameters_and_fresh_examples():
    before = torch.get_rng_state()
    rows = compare_heads([1, 2], seeds=range(3), steps=60)
    assert torch.equal(before, torch.get_rng_state())
    assert [(row["n_heads"], row["seed"]) for row in rows] == [
        (h, s) for h in (1, 2) for s in range(3)
    ]
    assert len({row["parameters"] for row in rows}) == 1
    scores = [row["validation_accuracy"] for row in rows]
    assert max(scores[:3]) < 0.5 < 0.8 < min(scores[3:])
    memorised = compare_heads([2], seeds=[0], steps=60, n_train=8)
    assert memorised[0]["validation_accuracy"] < 0.3


def test_pointer_reader_asks_its_memory():
    reader = PointerReader(MultiHeadAttention(8, 2, dropout=0.0), 8)
    assert reader(draw_examples(5, torch.Generator())).shape == (5, 8, 2, 8)

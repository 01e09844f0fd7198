"""Hidden tests of exercise 4.3: one decoder layer, with given weights."""

import functools

import torch
from torch.nn import TransformerDecoderLayer

from autograder.a3.answers import answered, named_parts, normal
from autograder.a3.encoder_reference import draw
from autograder.a4.answers import unmoved
from autograder.a4.decoder_reference import (
    HEADS,
    ORDER,
    causal,
    layer,
    layer_shapes,
    misfits,
)
from grader.checking import expect
from grader.checking.exercise import exercise
from grader.checking.known_mistakes import known_mistakes
from grader.checking.shown import describe

MISTAKE = known_mistakes(__file__)

READ = "§3.1, Decoder; §3.2.3"
DOCSTRING = "the docstring of 4.3"
SIZES = (8, HEADS, 12)  # d_model, n_heads, d_ff
WAY = (
    "self-attention over the targets, attention whose keys and values come from the memory, "
    "feed-forward: each in its own residual connection"
)
MASKS = "`target_mask` belongs to the self-attention, `source_mask` to the attention to the memory"


def build(student, state, dropout=0.1, norm_first=False):
    module = student.DecoderLayer(*SIZES, dropout, norm_first)
    named_parts(
        module,
        layer_shapes(SIZES[0], SIZES[2]),
        "the parts `self_attention`, `cross_attention`, `feed_forward`, and for each a residual "
        "connection of its own, such as `self_attention_residual`",
        DOCSTRING,
    )
    module.load_state_dict(state)
    module.eval()
    return module


def ask(module, *inputs, **options):
    x, memory, *masks = (*inputs, None, None)
    masked = any(torch.is_tensor(v) and v.dtype == torch.bool for v in inputs)
    causes = misfits(x, memory, *masks[:2]) if masked else {}
    with expect.raising(causes, otherwise=MASKS if masked else WAY, read=READ):
        call = module(*inputs, **options)
    return expect.parts(call, 2, otherwise="return (output, weights)", read=DOCSTRING)


def mistakes(x, memory, state, target_mask, source_mask, norm_first):
    """The outputs of likely mistakes, and the weights on the source that go with them."""
    made = functools.partial(
        layer, x, memory, state, target_mask, source_mask, norm_first=norm_first
    )
    first, second, third = ORDER
    same = x.shape == memory.shape
    causes = {
        MISTAKE.layer_attentions_exchanged: made(order=(second, first, third)),
        MISTAKE.layer_feed_forward_too_early: made(order=(first, third, second)),
        MISTAKE.layer_one_residual_for_all: made(norms=dict.fromkeys(ORDER, f"{first}")),
        "the attention to the memory goes through `self_attention_residual`": made(
            norms={second: first}
        ),
        "the feed-forward network goes through `cross_attention_residual`": made(
            norms={third: second}
        ),
        "the feed-forward network goes through `self_attention_residual`": made(
            norms={third: first}
        ),
        "the first two residual connections are swapped": made(
            norms={first: second, second: first}
        ),
        MISTAKE.layer_self_attention_reads_memory: made(keys=("memory", "memory"))
        if same
        else None,
        MISTAKE.layer_memory_not_read: (made(source=("x", "x")) if same else None),
        MISTAKE.layer_cross_keys_from_x: (made(source=("x", "memory")) if same else None),
        MISTAKE.layer_cross_values_from_x: (made(source=("memory", "x")) if same else None),
        "both attentions use the parameters of `self_attention`": made(modules=(first, first)),
        "the two attentions are swapped": made(modules=(second, first)),
        "the attention to the memory is left out": made(order=(first, third)),
        "the self-attention is left out": made(order=(second, third)),
        "the feed-forward network is left out": made(order=(first, second)),
        **{
            MISTAKE.saying(f"`{name}` has no residual connection"): made(without=(name,))
            for name in ORDER
        },
    }
    if norm_first:
        causes |= {
            MISTAKE.layer_norm_first_dropped: layer(
                x, memory, state, target_mask, source_mask, False
            ),
            **{
                MISTAKE.saying(
                    f"{what} reads x itself, not the residual connection's input: in pre-norm "
                    "that is normalized"
                ): made(unnormalized=names)
                for what, names in (
                    ("the self-attention", (first,)),
                    ("the attention to the memory", (second,)),
                    ("each attention", (first, second)),
                )
            },
            "the memory is normalized as well: the encoder's last norm has already done so": made(
                normalized_memory=True
            ),
        }
    else:
        causes["this is pre-norm: norm_first=False means post-norm, the paper's order"] = layer(
            x, memory, state, target_mask, source_mask, True
        )
    return {name: found for name, found in causes.items() if found is not None} | masked(
        x, memory, state, target_mask, source_mask, norm_first
    )


def masked(x, memory, state, target_mask, source_mask, norm_first):
    """The outputs of mistakes with masks."""
    made = functools.partial(layer, x, memory, state, norm_first=norm_first)
    causes = {}
    if target_mask is not None:
        causes[MISTAKE.decoder_target_mask_not_passed_on] = made(None, source_mask)
    if source_mask is not None:
        causes[MISTAKE.decoder_source_mask_not_passed_on] = made(target_mask, None)
    if target_mask is not None and source_mask is not None:
        causes["neither mask is passed on"] = made(None, None)
    if target_mask is not None and x.shape == memory.shape:
        causes[MISTAKE.layer_memory_masked_by_target_mask] = made(target_mask, target_mask)
        both = target_mask if source_mask is None else target_mask & source_mask
        causes["the memory is masked by both masks: every target may see the whole source"] = made(
            target_mask, both
        )
        if source_mask is not None:
            causes[MISTAKE.decoder_masks_exchanged] = made(source_mask, target_mask)
            causes["the self-attention is masked by the source mask as well"] = made(
                both, source_mask
            )
    return causes


def compare(module, x, memory, state, target_mask=None, source_mask=None, norm_first=False):
    output, weights = ask(module, x, memory, target_mask, source_mask, need_weights=True)
    wanted, own, across = layer(x, memory, state, target_mask, source_mask, norm_first)
    expect.close(
        output,
        wanted,
        atol=1e-3,
        otherwise=WAY if target_mask is None and source_mask is None else f"{WAY}; {MASKS}",
        read=READ,
        what=f"the output with norm_first={norm_first}",
    )
    expect.close(
        weights,
        across,
        atol=3e-5,
        otherwise="return the weights of `cross_attention`, one map per head: (batch, heads, "
        "targets, source)",
        read=DOCSTRING,
        what="the weights",
    )


def padding(lengths, n):
    return (torch.arange(n) < torch.tensor(lengths)[:, None])[:, None, None]


def _torch_case(norm_first):
    """torch's decoder layer with random weights: inputs, masks, output, and its weights by our
    names. Computed once, before an exercise's rules forbid torch's layer."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(11 + norm_first)
        theirs = TransformerDecoderLayer(
            8, 2, 12, 0.0, layer_norm_eps=1e-6, batch_first=True, norm_first=norm_first
        )
        with torch.no_grad():
            for value in theirs.parameters():
                value.add_(0.3 * torch.randn_like(value))
            x, memory = torch.randn(3, 5, 8), torch.randn(3, 4, 8)
            source = padding([4, 3, 1], 4)
            theirs.eval()
            output = theirs(
                x,
                memory,
                tgt_mask=~causal(5)[0, 0],
                memory_key_padding_mask=~source[:, 0, 0],
            )
    state = theirs.state_dict()
    names = {
        "self_attn.out_proj": "self_attention.w_o",
        "multihead_attn.out_proj": "cross_attention.w_o",
        "linear1": "feed_forward.w_1",
        "linear2": "feed_forward.w_2",
        **{f"norm{i + 1}": f"{name}_residual.norm" for i, name in enumerate(ORDER)},
    }
    ours = {}
    for kind in ("weight", "bias"):
        for torchs, mine in (("self_attn", ORDER[0]), ("multihead_attn", ORDER[1])):
            packed = state[f"{torchs}.in_proj_{kind}"].chunk(3)
            ours |= {f"{mine}.w_{n}.{kind}": v for n, v in zip("qkv", packed, strict=True)}
        ours |= {f"{mine}.{kind}": state[f"{torchs}.{kind}"] for torchs, mine in names.items()}
    return x, memory, source, output, ours


TORCH_CASES = {norm_first: _torch_case(norm_first) for norm_first in (False, True)}


@exercise("4.3", weight=2)
def test_post_norm(student, rng):
    """Self-attention, attention to the memory, feed-forward; each added, then normalized."""
    state = draw(rng, layer_shapes(8, 12))
    module = build(student, state)
    x, memory = normal(rng, 2, 4, 8), normal(rng, 2, 4, 8)
    compare(module, x, memory, state)
    expect.unchanged(student.call(module, x, memory).changed)


@exercise("4.3")
def test_pre_norm(student, rng):
    """With `norm_first`, all three sub-layers get the normalized input; the memory is as given."""
    state = draw(rng, layer_shapes(8, 12))
    module = build(student, state, norm_first=True)
    compare(module, normal(rng, 2, 4, 8), normal(rng, 2, 4, 8), state, norm_first=True)


@exercise("4.3", weight=2)
def test_masks(student, rng):
    """The target mask reaches the self-attention, the source mask the attention to the memory."""
    state = draw(rng, layer_shapes(8, 12))
    x, memory, source = normal(rng, 2, 5, 8), normal(rng, 2, 5, 8), padding([5, 3], 5)
    for norm_first in (False, True):
        module = build(student, state, norm_first=norm_first)
        for masks in ((causal(5), source), (causal(5) & padding([4, 5], 5), source)):
            compare(module, x, memory, state, *masks, norm_first=norm_first)
        compare(module, x, memory, state, causal(5), None, norm_first)
        compare(module, x, memory, state, None, source, norm_first)


@exercise("4.3")
def test_source_of_another_length(student, rng):
    """Source and target may have different lengths, including a length of 1."""
    state = draw(rng, layer_shapes(8, 12))
    module = build(student, state)
    for n_target, lengths in ((3, [6, 4]), (6, [2, 3]), (1, [1, 1])):
        n_source = max(lengths)
        x, memory = normal(rng, 2, n_target, 8), normal(rng, 2, n_source, 8)
        compare(module, x, memory, state, causal(n_target), padding(lengths, n_source))


@exercise("4.3")
def test_what_changes_what(student, rng):
    """Later targets do not change earlier outputs, and source padding changes none."""
    state = draw(rng, layer_shapes(8, 12))
    module = build(student, state)
    x, memory, source = normal(rng, 2, 5, 8), normal(rng, 2, 6, 8), padding([6, 4], 6)
    before, _ = ask(module, x, memory, causal(5), source)
    expect.shape(before, (2, 5, 8), what="the output", read=READ)
    for j in (1, 4):
        later = x.clone()
        later[:, j] += 3
        after, _ = ask(module, later, memory, causal(5), source)
        unmoved(
            after[:, :j],
            before[:, :j],
            1e-4,
            because="the future is visible: the target mask does not reach the self-attention",
            read="§3.2.3",
            what=f"the outputs before target {j}, after target {j} has changed",
        )
    other = memory.clone()
    other[1, 4:] += 5
    after, _ = ask(module, x, other, causal(5), source)
    unmoved(
        after,
        before,
        1e-4,
        because="the padding of the source is attended to: pass the source mask on",
        read="§3.2.3",
        what="the output, after the padding of the source has changed",
    )


@exercise("4.3")
def test_parity_with_torch(student):
    """Equal to torch's decoder layer, in both orders."""
    for norm_first, (x, memory, source, wanted, state) in TORCH_CASES.items():
        module = build(student, state, norm_first=norm_first)
        output, _ = ask(module, x, memory, causal(5), source)
        expect.close(
            output,
            wanted,
            atol=1e-4,
            otherwise=WAY,
            read=READ,
            what=f"the output with norm_first={norm_first}",
        )


@exercise("4.3")
def test_dropout(student, rng):
    """The dropout rate reaches both attentions and all residual connections, in training only."""
    state = draw(rng, layer_shapes(8, 12))
    x, memory = normal(rng, 2, 4, 8), normal(rng, 2, 3, 8)
    module = build(student, state, dropout=1.0, norm_first=True)
    compare(module, x, memory, state, norm_first=True)
    module.train()
    unmoved(
        ask(module, x, memory)[0],
        x,
        1e-4,
        because="some sub-layer's output is not dropped at a rate of 1: pass `dropout` on to all "
        "three residual connections",
        read="§5.4",
        what="x, through the layer in training mode, pre-norm, dropout = 1",
    )
    for name in ORDER[:2]:
        inner = module.get(name)
        inner.train()
        unmoved(
            ask(inner, x, memory, memory)[0],
            state[f"{name}.w_o.bias"].expand_as(x),
            1e-4,
            read="the signature of 4.3",
            what=f"the bias of `{name}.w_o`, its output in training mode, dropout = 1",
        )


@exercise("4.3")
def test_weights_only_when_asked_for(student, rng):
    """`need_weights` switches between each head's weights on the source and None."""
    state = draw(rng, layer_shapes(8, 12))
    module = build(student, state)
    x, memory = normal(rng, 1, 3, 8), normal(rng, 1, 4, 8)
    for options in ({}, {"need_weights": False}):
        _, weights = ask(module, x, memory, **options)
        expect.true(
            weights is None,
            expected="(output, None) without need_weights",
            got=describe(weights),
            otherwise="return (output, weights)",
            read=DOCSTRING,
        )
    compare(module, x, memory, state)


@exercise("4.3")
def test_gradients(student, rng):
    """The gradients of x, the memory and every parameter are those of the formula."""
    state = draw(rng, layer_shapes(8, 12))
    module = build(student, state)
    x, memory, cotangent = normal(rng, 2, 3, 8), normal(rng, 2, 4, 8), normal(rng, 2, 3, 8)
    leaves = {name: value.clone().requires_grad_() for name, value in state.items()}
    points = [value.clone().requires_grad_() for value in (x, memory)]
    made, *_ = layer(*points, leaves, causal(3))
    wanted = torch.autograd.grad(made, [*points, *leaves.values()], cotangent)
    got = answered(
        lambda: student.vjp(module, x, memory, causal(3), cotangent=cotangent, parameters=True),
        WAY,
        READ,
    )
    found = [*(got.arguments.get(i) for i in (0, 1)), *map(got.parameters.get, leaves)]
    for name, have, want in zip(["x", "memory", *leaves], found, wanted, strict=True):
        expect.close(
            torch.zeros_like(want) if have is None else have,
            want,
            atol=1e-3,
            rtol=1e-3,
            otherwise=f"the output is wrong, or one path passes no gradient: {WAY}",
            read=READ,
            what=f"the gradient of `{name}`",
        )

"""Hidden tests of exercise 2.4: converting torch's conventions to ours."""

import math

import torch

# Imported by name before any rule removes it: students may not call it, the tests may.
from torch.nn.functional import linear
from torch.nn.functional import scaled_dot_product_attention as fused

from autograder.a2.tensors import normal
from grader.checking import expect
from grader.checking.exercise import exercise
from grader.checking.known_mistakes import known_mistakes

MISTAKE = known_mistakes(__file__)

MASKS = "torch.nn.MultiheadAttention, attn_mask"
PACKED = "torch.nn.MultiheadAttention, in_proj_weight"
LAYERS = ("w_q", "w_k", "w_v", "w_o")


def random_mask(rng, *shape):
    """A random mask that leaves every query a key; exercise 2.1 covers rows without keys."""
    mask = torch.from_numpy(rng.random(shape) < 0.5)
    mask[..., 0] |= ~mask.any(-1)
    return mask


def draw(rng, d_model, bias):
    """Random parameters of torch's module, under torch's names."""
    state = {
        "in_proj_weight": normal(rng, 3 * d_model, d_model) / math.sqrt(d_model),
        "out_proj.weight": normal(rng, d_model, d_model) / math.sqrt(d_model),
    }
    if bias:
        state |= {"in_proj_bias": normal(rng, 3 * d_model), "out_proj.bias": normal(rng, d_model)}
    return state


def build(student, state, d_model, n_heads):
    """Our module and torch's, in evaluation mode; `state` is loaded into torch's."""
    bias = "in_proj_bias" in state
    theirs = student.make(
        f"torch.nn.MultiheadAttention({d_model}, {n_heads}, bias={bias}, batch_first=True)"
    )
    ours = student.MultiHeadAttention(d_model, n_heads, bias=bias)
    theirs.load_state_dict(state)
    theirs.eval()
    ours.eval()
    return ours, theirs


def unpacked(state, order="qkv"):
    """Our names → torch's parameters; any other `order` is a deliberate mistake."""
    found = {"w_o.weight": state["out_proj.weight"]}
    for letter, block in zip(order, state["in_proj_weight"].chunk(3), strict=True):
        found[f"w_{letter}.weight"] = block
    if "in_proj_bias" in state:
        found["w_o.bias"] = state["out_proj.bias"]
        for letter, block in zip(order, state["in_proj_bias"].chunk(3), strict=True):
            found[f"w_{letter}.bias"] = block
    return found


@exercise("2.4")
def test_square_mask(student, rng):
    """A mask (queries, keys) keeps its shape and is inverted."""
    mask = random_mask(rng, 4, 6)
    called = student.call(student.to_torch_mask, mask, 2)
    dtype = str(getattr(called.value, "dtype", "")).removeprefix("torch.")
    expect.equal(
        dtype,
        "bool",
        otherwise="a boolean mask",
        read=MASKS,
        what="the dtype of the mask",
    )
    expect.close(
        called.value,
        ~mask,
        otherwise="the same shape, with True where torch must block",
        read=MASKS,
    )
    expect.unchanged(called.changed)


@exercise("2.4", weight=2)
def test_mask_of_heads(student, rng):
    """A mask (batch, 1 or heads, queries, keys) becomes (batch·heads, queries, keys)."""
    for heads in (1, 3):
        mask = random_mask(rng, 2, heads, 4, 5)
        full = (~mask).expand(2, 3, 4, 5)
        got = student.to_torch_mask(mask, 3)
        expect.close(
            got,
            full.reshape(6, 4, 5),
            otherwise="expand to all heads, then flatten batch and heads into one axis",
            read=MASKS,
            what=f"the mask of shape {tuple(mask.shape)}, for 3 heads,",
        )
        expect.dtype(got, "bool", what="the mask", read=MASKS)


@exercise("2.4", beside=["test_mask_of_heads", "test_square_mask", "test_both_compute_the_same"])
def test_mask_of_another_rank(student, rng):
    """A mask of three dimensions raises a ValueError: its first axis would be ambiguous."""
    expect.raises(
        lambda: student.to_torch_mask(random_mask(rng, 2, 4, 5), 2),
        read="exercise 2.4, the docstring",
    )


@exercise("2.4", weight=2)
def test_copy(student, rng):
    """Every weight and bias of torch's module is copied to the right layer."""
    for bias in (True, False):
        state = draw(rng, 6, bias)
        ours, theirs = build(student, state, 6, 2)
        before = ours.state_dict()
        student.copy_from_torch(ours, theirs)
        after, wanted = ours.state_dict(), unpacked(state)
        for name, want in wanted.items():
            causes = (
                {MISTAKE.saying(f"`{name}` is not copied"): before[name]} if name in before else {}
            )
            for order in ("qvk", "kqv", "kvq", "vqk", "vkq"):
                guess = unpacked(state, order)[name]
                if not guess.equal(want):
                    cause = MISTAKE.copy_packed_order.format(order=order)
                    causes[cause] = guess
            causes |= {MISTAKE.copy_transposed: want.t()}
            expect.close(
                after.get(name),
                want,
                otherwise="split `in_proj_weight` and `in_proj_bias` into three blocks of d_model",
                read=PACKED,
                what=f"`{name}` with bias={bias}",
            )


@exercise("2.4")
def test_copies_are_their_own(student, rng):
    """Later changes to torch's module do not affect ours, which stays trainable."""
    state = draw(rng, 6, True)
    ours, theirs = build(student, state, 6, 2)
    names, held = ours.parameters(), student.make("dict(ours.named_parameters())", ours=ours)
    student.copy_from_torch(ours, theirs)
    after = ours.parameters()
    frozen = after.keys() == names.keys() and not all(after.values())
    expect.equal(
        after,
        names,
        otherwise="copy values into the existing parameters, under `torch.no_grad()`",
        read=PACKED,
        what="the parameters and their `requires_grad`",
    )
    theirs.load_state_dict({name: value + 1 for name, value in state.items()})
    after = ours.state_dict()
    for name, want in unpacked(state).items():
        expect.close(
            after.get(name),
            want,
            otherwise="`copy_from_torch` must write into `ours`",
            read="torch.Tensor.copy_",
            what=f"`{name}`",
        )
    replaced = "[name for name, p in ours.named_parameters() if p is not held[name]]"
    expect.equal(
        student.make(replaced, ours=ours, held=held).method("copy"),
        [],
        read="handout of exercise 2.4",
        what="the parameters that are new objects after the copy",
    )
    expect.close(
        theirs.state_dict()["in_proj_weight"],
        state["in_proj_weight"] + 1,
        otherwise="do not write into torch's module",
        what="torch's own weights",
    )


@exercise("2.4", beside=["test_copy", "test_copies_are_their_own", "test_both_compute_the_same"])
def test_biases_must_agree(student):
    """If only one of the two modules has biases, copying raises a ValueError."""
    for own, other in [(True, False), (False, True)]:
        ours = student.MultiHeadAttention(4, 2, bias=own)
        theirs = student.make(f"torch.nn.MultiheadAttention(4, 2, bias={other})")
        expect.raises(
            lambda a=ours, b=theirs: student.copy_from_torch(a, b),
            read="exercise 2.4, the docstring",
        )


@exercise("2.4")
def test_both_compute_the_same(student, rng):
    """After the copy, and with the converted mask, both modules match the formula to 1e-5."""
    state = draw(rng, 8, True)
    ours, theirs = build(student, state, 8, 2)
    student.copy_from_torch(ours, theirs)
    query, key, value = normal(rng, 2, 3, 8), normal(rng, 2, 5, 8), normal(rng, 2, 5, 8)
    mask = random_mask(rng, 2, 2, 3, 5)
    named = unpacked(state)
    heads = [
        torch.stack(linear(x, named[f"{n}.weight"], named[f"{n}.bias"]).chunk(2, -1), 1)
        for x, n in zip((query, key, value), LAYERS, strict=False)
    ]
    mixed = torch.cat(list(fused(*heads, attn_mask=mask).unbind(1)), -1)
    wanted = linear(mixed, named["w_o.weight"], named["w_o.bias"])
    outputs = {
        "torch's module": theirs(query, key, value, attn_mask=student.to_torch_mask(mask, 2)),
        "our module": ours(query, key, value, mask),
    }
    for name, got in outputs.items():
        expect.close(
            expect.parts(got, 2)[0],
            wanted,
            atol=1e-5,
            rtol=1e-4,
            otherwise="the mask was not converted to torch's convention"
            if name == "torch's module"
            else "a parameter is missing or in the wrong layer",
            read=MASKS,
            what=f"the output of {name}",
        )

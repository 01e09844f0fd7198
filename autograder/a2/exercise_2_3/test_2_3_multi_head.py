"""Hidden tests of exercise 2.3: the multi-head attention module, with known weights."""

import torch
from torch.nn.functional import linear

from autograder.a2.multi_head_reference import LAYERS, joined, mistakes, reference, slices
from autograder.a2.tensors import normal
from grader.checking import expect
from grader.checking.exercise import exercise
from grader.checking.known_mistakes import known_mistakes

MISTAKE = known_mistakes(__file__)

MULTI_HEAD = "§3.2.2"
NO_SUPER_INIT = MISTAKE.multi_head_no_super_init
PINNED = "pinned conventions of the handout"
# Four float32 matrix products differ between machines: by up to 1e-5 for outputs of size 5. The
# nearest mistakes are off by 1e-1.
TOLERANCE = {"atol": 1e-4, "rtol": 1e-4}


def draw(rng, d_model, bias=True):
    """Random parameters under the pinned names, large enough for clearly non-uniform attention."""
    state = {f"{layer}.weight": normal(rng, d_model, d_model) * 0.7 for layer in LAYERS}
    return state | ({f"{layer}.bias": normal(rng, d_model) for layer in LAYERS} if bias else {})


def build(student, state, d_model, n_heads, **options):
    """The student's module with the parameters `state`, in evaluation mode."""
    module = student.MultiHeadAttention(d_model, n_heads, **options)
    found = module.state_dict()
    twice = [name for name in found if name not in state and name.endswith((".weight", ".bias"))]
    expect.true(
        not twice or len(module.parameters()) > len(state),
        expected="no second name of a layer",
        got=", ".join(twice),
        read="exercise 2.3",
    )
    missing = sorted(set(state) - set(found))
    expect.true(
        not missing,
        expected="linear layers named w_q, w_k, w_v and w_o",
        got=f"no {', '.join(missing)} among {', '.join(found)}",
        read=PINNED,
    )
    module.load_state_dict({**found, **state})
    module.eval()
    return module


def compare(got, state, n_heads, inputs, mask=None, read=MULTI_HEAD, causes=None):
    """Compare the student's (output, weights) with the reference, and diagnose likely mistakes."""
    output, weights = expect.parts(got, 2, otherwise="return (output, weights)", read=PINNED)
    wanted = reference(state, n_heads, inputs, mask)
    wrong = {**(causes or {}), **mistakes(state, n_heads, inputs, mask)}
    expect.close(
        output,
        wanted[0],
        **TOLERANCE,
        otherwise="project, split, attend, merge, project: check the shape after each step",
        read=read,
        what="the output",
    )
    if weights is not None:
        expect.close(
            weights,
            wanted[1],
            **TOLERANCE,
            otherwise="return the weights from `attention` unchanged",
            read=read,
            what="the weights",
        )


def _why(found, state):
    """The mistake that the parameter shapes `found` reveal, or ""."""
    shared = [layer for layer in LAYERS if f"{layer}.weight" in set(state) - set(found)]
    if shared:
        return MISTAKE.multi_head_shared_projection.format(shared=shared[0])
    if not all(f"{layer}.weight" in found for layer in LAYERS):
        return ""
    if any(found[f"{layer}.weight"] != (12, 12) for layer in LAYERS):
        return MISTAKE.multi_head_one_head_wide
    biased = {f"{layer}.bias" in found for layer in LAYERS}
    return MISTAKE.multi_head_bias_ignored if len(biased) == 2 else ""


class WithoutInit(torch.nn.Module):
    """Assigns a layer before `nn.Module` is ready for it."""

    def __init__(self):
        self.w_q = torch.nn.Linear(1, 1)


@exercise("2.3", beside=["test_injected_weights", "test_cross_lengths", "test_masks"])
def test_parameters(student):
    """An `nn.Module` with the pinned signature, layer names and shapes, with and without bias."""
    for bias in (True, False):
        module = student.MultiHeadAttention(12, 3, bias=bias)
        expect.true(
            "torch.nn.modules.module.Module" in module.bases(),
            expected="a subclass of torch.nn.Module",
            got=f"{module.type_name}, which is not a subclass of it",
        )
        state = module.state_dict()
        found = {name: tuple(state[name].shape) for name in module.parameters()}
        wanted = {f"{layer}.weight": (12, 12) for layer in LAYERS}
        wanted |= {f"{layer}.bias": (12,) for layer in LAYERS} if bias else {}
        expect.true(
            found == wanted,
            expected=f"with bias={bias} the parameters {wanted}",
            got=str(found),
            because=_why(found, state),
            otherwise="w_q, w_k, w_v and w_o, each an nn.Linear, and no other parameters",
            read=PINNED,
        )
    signature = [[name, default] for name, _, default in student.MultiHeadAttention.signature()]
    expect.equal(
        signature[:4],
        [["d_model", 512], ["n_heads", 8], ["dropout", 0.1], ["bias", True]],
        otherwise="keep the parameters, their order and their defaults",
        read="exercise 2.3, the signature",
    )


@exercise("2.3", weight=2)
def test_injected_weights(student, rng):
    """With known weights, output and attention weights follow the paper, for 1, 2 and 4 heads."""
    for n_heads, bias in [(2, True), (4, False), (1, True)]:
        state = draw(rng, 12, bias)
        module = build(student, state, 12, n_heads, bias=bias)
        inputs = [normal(rng, 2, 5, 12) for _ in range(3)]
        called = student.call(module, *inputs, need_weights=True)
        compare(called.value, state, n_heads, inputs)
        expect.unchanged(called.changed)


@exercise("2.3", weight=2)
def test_cross_lengths(student, rng):
    """Queries of one sequence attend to keys and values of another length."""
    state = draw(rng, 8)
    module = build(student, state, 8, 2)
    for n_q, n_k in [(3, 6), (6, 3), (1, 4)]:
        query, memory, other = (
            normal(rng, 2, n_q, 8),
            normal(rng, 2, n_k, 8),
            normal(rng, 2, n_k, 8),
        )
        inputs = (query, memory, other)
        compare(module(*inputs, need_weights=True), state, 2, inputs)


@exercise("2.3")
def test_masks(student, rng):
    """Causal, padding and per-head masks (True = may attend) are applied in every head."""
    state = draw(rng, 8)
    module = build(student, state, 8, 2)
    inputs = [normal(rng, 2, 4, 8) for _ in range(3)]
    causal = torch.ones(4, 4, dtype=torch.bool).tril()
    padding = torch.ones(2, 1, 1, 4, dtype=torch.bool)
    padding[1, ..., 2:] = False
    per_head = torch.from_numpy(rng.random((2, 2, 4, 4)) < 0.5) | torch.eye(4, dtype=torch.bool)
    for mask in (causal, padding, causal & padding, per_head):
        compare(
            module(*inputs, mask, need_weights=True),
            state,
            2,
            inputs,
            mask,
            read="§3.2.3",
        )


@exercise("2.3")
def test_row_without_keys(student, rng):
    """A query without keys gets zeros before the output projection, so its output is the bias."""
    state = draw(rng, 8)
    module = build(student, state, 8, 2)
    inputs = [normal(rng, 2, 4, 8) for _ in range(3)]
    mask = torch.ones(2, 1, 4, 4, dtype=torch.bool)
    mask[0, 0, 1] = False
    output, weights = expect.parts(module(*inputs, mask, need_weights=True), 2)
    wanted = reference(state, 2, inputs, mask)
    plain = wanted[0].clone()
    plain[0, 1] = 0.0
    even = torch.where(mask.any(-1, keepdim=True), wanted[1], 0.25)
    values = slices(linear(inputs[2], state["w_v.weight"], state["w_v.bias"]), 2)
    uniform = linear(joined(even @ values), state["w_o.weight"], state["w_o.bias"])
    expect.close(
        output,
        wanted[0],
        **TOLERANCE,
        otherwise="zero heads pass through `w_o` like any others",
        read=PINNED,
        what="the output",
    )
    expect.close(weights, wanted[1], **TOLERANCE, read=PINNED, what="the weights")


@exercise("2.3")
def test_weights_only_when_asked_for(student, rng):
    """`need_weights` selects between the weights of every head and None."""
    module = build(student, draw(rng, 8), 8, 4)
    x = normal(rng, 2, 3, 8)
    _, weights = expect.parts(module(x, x, x, need_weights=True), 2)
    expect.shape(
        weights,
        (2, 4, 3, 3),
        what="the weights",
        otherwise="return the weights of every head, (batch, heads, queries, keys)",
        read="exercise 2.3, the signature",
    )
    for options in ({}, {"need_weights": False}):
        _, weights = expect.parts(module(x, x, x, **options), 2)
        expect.true(
            weights is None,
            expected="(output, None) unless `need_weights` is True",
            got=f"weights of shape {tuple(weights.shape)}" if torch.is_tensor(weights) else "other",
            otherwise="return None unless `need_weights` is True",
            read=PINNED,
        )


@exercise("2.3", beside=["test_injected_weights", "test_cross_lengths", "test_masks"])
def test_indivisible_width(student):
    """A d_model that is not a multiple of n_heads raises a ValueError in the constructor."""
    for d_model, n_heads in [(10, 3), (8, 16)]:
        expect.raises(
            lambda d=d_model, h=n_heads: student.MultiHeadAttention(d, h),
            read=MULTI_HEAD,
        )


@exercise("2.3")
def test_gradients(student, rng):
    """Gradients of the inputs and all parameters equal those of the reference."""
    state = draw(rng, 8)
    module = build(student, state, 8, 2)
    inputs = [normal(rng, 2, n, 8) for n in (3, 4, 4)]
    cotangent = normal(rng, 2, 3, 8)
    leaves = {name: value.clone().requires_grad_() for name, value in state.items()}
    points = [x.clone().requires_grad_() for x in inputs]
    output, _ = reference(leaves, 2, points)
    wanted = torch.autograd.grad(output, [*points, *leaves.values()], cotangent)
    got = student.vjp(module, *inputs, cotangent=cotangent, parameters=True)
    # If the output is correct, only a cut graph can explain a missing gradient.
    same_shape = getattr(got.value, "shape", None) == output.shape
    right = same_shape and torch.allclose(got.value, output.detach(), atol=1e-3)
    found = [got.arguments.get(i) for i in range(3)] + [got.parameters.get(n) for n in leaves]
    for name, have, want in zip(["query", "key", "value", *leaves], found, wanted, strict=True):
        expect.close(
            torch.zeros_like(want) if have is None else have,
            want,
            **TOLERANCE,
            otherwise="`.detach()`, `.data` or `torch.no_grad()` may cut the graph",
            read=MULTI_HEAD,
            what=f"the gradient of `{name}`",
        )

"""The visible checks of exercise 2.4: torch's conventions and ours."""

import torch

from grader.checking import expect
from grader.checking.exercise import exercise

# Expectations are set like tables: value, causes, hint, section.
# fmt: off

CAUSAL = torch.ones(5, 5, dtype=torch.bool).tril()
PROJECTIONS = ("w_q", "w_k", "w_v", "w_o")


def draw(seed, *shape):
    return torch.randn(shape, generator=torch.Generator().manual_seed(seed))


@exercise("2.4")
def test_to_torch_mask(student):
    """torch's mask is True where blocked: one (queries, keys) matrix per example and head."""
    expect.equal(
        student.to_torch_mask(CAUSAL, 2).tolist(), (~CAUSAL).tolist(), what="a causal mask",
        otherwise="in torch, True means blocked: invert the mask", read="exercise 2.4")
    mask = draw(0, 2, 1, 3, 4) > 0
    expect.close(
        student.to_torch_mask(mask, 2), ~mask.repeat_interleave(2, dim=0)[:, 0],
        otherwise="(batch, 1, n_q, n_k) → (batch·n_heads, n_q, n_k)", read="exercise 2.4")


@exercise("2.4")
def test_difference(student):
    """With torch's weights copied, the outputs differ by less than 1e-5."""
    torch_module = "torch.nn.MultiheadAttention(8, 2, batch_first=True)"
    theirs, there = torch.nn.MultiheadAttention(8, 2, batch_first=True), student.make(torch_module)
    state = {name: draw(i, *p.shape) / 2 for i, (name, p) in enumerate(theirs.state_dict().items())}
    theirs.load_state_dict(state)
    there.load_state_dict(state)
    ours = student.MultiHeadAttention(8, 2, dropout=0.0)
    student.copy_from_torch(ours, there)
    copied, blocks = ours.state_dict(), state["in_proj_weight"].chunk(3)
    for name, block in zip(PROJECTIONS, [*blocks, state["out_proj.weight"]], strict=True):
        others = {f"that is block {i} of in_proj_weight; the order is query, key, value": other
                  for i, other in enumerate(blocks)}
        expect.close(
            copied[f"{name}.weight"], block, what=f"{name}.weight",            otherwise="in_proj_weight is query, key, value stacked: three blocks of d_model rows",
            read="exercise 2.4")
    x = draw(9, 2, 5, 8)
    output, _ = expect.parts(ours(x, x, x), 2)
    expect.close(
        output, theirs(x, x, x)[0], atol=1e-5, what="our output",
        otherwise="the weights match: are in_proj_bias and out_proj.bias copied?",
        read="exercise 2.4")


@exercise("2.4", weight=0.5, beside=["test_to_torch_mask"])
def test_three_axes_refused(student):
    """A mask of three axes raises a ValueError."""
    expect.raises(
        lambda: student.to_torch_mask(CAUSAL[None], 2),
        because="raise a ValueError for masks that do not have 2 or 4 axes", read="exercise 2.4")


@exercise("2.4", weight=0.5, beside=["test_difference"])
def test_unequal_biases_refused(student):
    """Biases in only one of the modules raise a ValueError."""
    ours = student.MultiHeadAttention(4, 2, bias=False)
    there = student.make("torch.nn.MultiheadAttention(4, 2)")
    expect.raises(
        lambda: student.copy_from_torch(ours, there),
        because="torch's module has biases and ours has none: raise a ValueError",
        read="exercise 2.4")


@exercise("2.4", beside=["test_difference"])
def test_parameters_stay(student):
    """Values are copied into the existing parameters, which stay trainable."""
    ours = student.MultiHeadAttention(4, 2)
    there = student.make("torch.nn.MultiheadAttention(4, 2)")
    held = student.make("dict(ours.named_parameters())", ours=ours)
    student.copy_from_torch(ours, there)
    same = "all(p is held[name] and p.requires_grad for name, p in ours.named_parameters())"
    expect.true(
        student.make(same, ours=ours, held=held).get(),
        expected="the existing parameters, still trainable", got="new or frozen ones",
        because="`copy_` (under `torch.no_grad()`) writes into a parameter; `nn.Parameter(…)` "
                "makes a new one, which an existing optimizer does not update", read="exercise 2.4")

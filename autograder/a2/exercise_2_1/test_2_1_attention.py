"""Hidden tests of exercise 2.1: scaled dot-product attention in PyTorch."""

import math

import torch

# Imported by name before any rule removes it: students may not call it, the tests may.
from torch.nn.functional import scaled_dot_product_attention as fused

from autograder.a2.tensors import flow, normal
from grader.checking import expect
from grader.checking.exercise import exercise
from grader.checking.known_mistakes import known_mistakes

MISTAKE = known_mistakes(__file__)

EQUATION = "§3.2.1, Eq. 1"
# float32 sums differ between machines by up to 2e-7 here; mistakes are off by 1e-2.
ATOL = 1e-5


def scores(query, key):
    return query @ key.transpose(-1, -2) / math.sqrt(query.shape[-1])


@exercise("2.1")
def test_shapes_and_dtypes(student, rng):
    """Any leading axes, n_q ≠ n_k, d_k ≠ d_v, float32 and float64; arguments are unchanged."""
    for lead, dtype in [((), "float32"), ((2,), "float64"), ((2, 3), "float32")]:
        sizes = (*lead, 5, 4), (*lead, 7, 4), (*lead, 7, 6)
        query, key, value = (normal(rng, *size).to(getattr(torch, dtype)) for size in sizes)
        mask = torch.from_numpy(rng.random((5, 7)) < 0.6)
        mask[:, 0] = True
        called = student.call(student.attention, query, key, value, mask)
        output, weights = expect.parts(
            called.value, 2, otherwise="return the output and the weights", read=EQUATION
        )
        expect.shape(
            output,
            (*lead, 5, 6),
            what="the output",
            otherwise="return the output first, then the weights; the output has the values' width",
            read=EQUATION,
        )
        expect.shape(
            weights,
            (*lead, 5, 7),
            what="the weights",
            otherwise="transpose only the last two axes of the keys, whatever the leading axes",
            read=EQUATION,
        )
        expect.dtype(output, dtype, what="the output", read="exercise 2.1, the signature")
        expect.dtype(weights, dtype, what="the weights", read="exercise 2.1, the signature")
        expect.unchanged(
            called.changed,
        )


@exercise("2.1", weight=2)
def test_agrees_with_the_fused_form(student, rng):
    """Output and weights equal torch's own attention on fresh inputs."""
    query, key, value = normal(rng, 2, 3, 5, 6), normal(rng, 2, 3, 5, 6), normal(rng, 2, 3, 5, 4)
    scaled = scores(query, key)
    wrong = {
        MISTAKE.attention_not_scaled: scaled * math.sqrt(6),
        MISTAKE.attention_divided_by_d_k: scaled / math.sqrt(6),
        "the scores are multiplied by √d_k": scaled * 6,
        "divided by the square root of the number of keys, not of d_k": scaled * math.sqrt(6 / 5),
        "the scores are transposed: rows must be queries": scaled.transpose(-1, -2),
    }
    causes = {name: s.softmax(-1) for name, s in wrong.items()}
    causes[MISTAKE.attention_softmax_over_queries] = scaled.softmax(-2)
    causes["there is no softmax: these are the scores"] = scaled
    returned = student.attention(query, key, value)
    output, weights = expect.parts(returned, 2)
    expect.close(
        weights,
        scaled.softmax(-1),
        atol=ATOL,
        otherwise="softmax of QKᵀ/√d_k over the last axis",
        read=EQUATION,
        what="the weights",
    )
    expect.close(
        output,
        fused(query, key, value),
        atol=ATOL,
        otherwise="the weights are correct: multiply them by the values",
        read=EQUATION,
        what="the output",
    )


@exercise("2.1", weight=2)
def test_mask(student, rng):
    """True = may attend; the mask broadcasts over batch and heads."""
    query, key, value = (normal(rng, 2, 3, 5, 4) for _ in range(3))
    square = torch.from_numpy(rng.random((5, 5)) < 0.5)
    square.fill_diagonal_(True)
    square.diagonal(1).fill_(False)
    square[4, 0] = False  # every row has both values: an inverted mask also leaves a key
    padding = torch.ones(2, 1, 1, 5, dtype=torch.bool)
    padding[0, ..., 3:] = False
    scaled = scores(query, key)
    for mask in (square, padding, square & padding | torch.eye(5, dtype=torch.bool)):
        plain = scaled.softmax(-1)
        wanted = scaled.masked_fill(~mask, -math.inf).softmax(-1)
        output, weights = expect.parts(student.attention(query, key, value, mask), 2)
        expect.close(
            weights,
            wanted,
            atol=ATOL,
            otherwise="set the scores of masked keys to −∞ before the softmax",
            read="§3.2.3",
            what="the weights",
        )
        expect.close(
            output,
            fused(query, key, value, attn_mask=mask),
            atol=ATOL,
            otherwise="the weights are correct: compute the output from the same weights",
            read=EQUATION,
            what="the output",
        )


@exercise("2.1")
def test_row_without_keys(student, rng):
    """A query whose keys are all masked gets zero weights and a zero output."""
    query, key, value = normal(rng, 2, 4, 4), normal(rng, 2, 5, 4), normal(rng, 2, 5, 3)
    mask = torch.from_numpy(rng.random((2, 4, 5)) < 0.7)
    mask[..., 0], mask[0, 1], mask[1, 3] = True, False, False
    wanted = scores(query, key).masked_fill(~mask, -math.inf).softmax(-1).nan_to_num(0.0)
    output, weights = expect.parts(student.attention(query, key, value, mask), 2)
    uniform = scores(query, key).masked_fill(~mask, -1e9).softmax(-1)
    bare = scores(query, key).masked_fill(~mask, -math.inf).softmax(-1)
    for name, got, want, over in [
        ("the weights", weights, wanted, lambda w: w),
        ("the output", output, wanted @ value, lambda w: w @ value),
    ]:
        expect.close(
            got,
            want,
            atol=ATOL,
            otherwise="with no key allowed, weights and output must be zero",
            read="handout of exercise 2.1, masked rows",
            what=name,
        )


@exercise("2.1")
def test_gradients(student, rng):
    """Gradients equal those of torch's own attention, masked and unmasked."""
    query, key, value = normal(rng, 2, 4, 3), normal(rng, 2, 5, 3), normal(rng, 2, 5, 6)
    mask = torch.from_numpy(rng.random((4, 5)) < 0.6)
    mask[:, 2] = True
    cotangent = normal(rng, 2, 4, 6)
    for given in (None, mask):
        inputs = [tensor.clone().requires_grad_() for tensor in (query, key, value)]
        output = fused(*inputs, attn_mask=given)
        wanted = torch.autograd.grad(output, inputs, cotangent)
        got = student.vjp(student.attention, query, key, value, mask=given, cotangent=cotangent)
        # If the output is correct, only a cut graph can explain a missing gradient.
        same_shape = getattr(got.value, "shape", None) == output.shape
        right = same_shape and torch.allclose(got.value, output.detach(), atol=1e-3)
        for index, name in enumerate(("query", "key", "value")):
            expect.close(
                flow(got.arguments, index, wanted[index]),
                wanted[index],
                atol=1e-4,  # of gradients of size 1
                rtol=1e-4,
                read=EQUATION,
                what=f"the gradient with respect to the {name}",
            )


@exercise("2.1")
def test_gradients_of_a_row_without_keys(student, rng):
    """Where every key is masked, the gradients are zero, not NaN."""
    query, key, value = normal(rng, 2, 3, 4), normal(rng, 2, 5, 4), normal(rng, 2, 5, 4)
    mask = torch.ones(3, 5, dtype=torch.bool)
    mask[1] = False
    found = student.vjp(student.attention, query, key, value, mask=mask)
    got, forward = found.arguments, torch.as_tensor(found.value)
    for index, name in enumerate(("query", "key", "value")):
        flows = got.get(index) is not None
        expect.true(
            flows and bool(torch.isfinite(got[index]).all()),
            expected=f"a finite gradient with respect to the {name}",
            got="NaN or ∞ in it" if flows else "no gradient",
            otherwise="give such a row zero weights without creating NaN",
            read="handout of exercise 2.1, masked rows",
        )
    expect.close(
        got[0][:, 1],
        torch.zeros(2, 4),
        otherwise="a query that attends to nothing cannot change the output",
        read="handout of exercise 2.1, masked rows",
        what="the gradient of the query without keys",
    )


@exercise("2.1", weight=2)
def test_dropout(student, rng):
    """Dropout is applied to the weights; the returned weights are those before dropout."""
    # With values [I, I], the output shows the weights in use, twice.
    query, key = normal(rng, 12, 4), normal(rng, 12, 4)
    value = torch.cat([torch.eye(12), torch.eye(12)], dim=1)
    wanted = scores(query, key).softmax(-1)
    dropout = student.make("torch.nn.Dropout(0.5)")
    output, weights = expect.parts(
        student.call(student.attention, query, key, value, dropout=dropout, seed=3).value, 2
    )
    expect.true(
        torch.is_tensor(weights) and bool(torch.isfinite(weights).all()),
        expected="finite weights",
        got=str(getattr(weights, "shape", type(weights).__name__)),
    )
    expect.shape(output, (12, 24), what="the output")
    left, plain = output[:, :12], torch.cat([wanted, wanted], 1)
    twice = torch.cat([left, left], 1)
    expect.above(
        float((output - plain).abs().max()),
        1e-3,
        expected="an output changed by dropout",
        got="the output without dropout",
        read="§5.4",
    )
    # With dropout on the scores, rows still sum to one; with dropout on the weights, not.
    even = output.equal(twice) and left.sum(-1).allclose(torch.ones(12), atol=1e-4)
    expect.close(
        weights,
        wanted,
        atol=ATOL,
        otherwise="return the weights before dropout",
        read="pinned conventions of the handout",
        what="the returned weights",
    )
    columns = bool((output.ne(0).all(0) | output.eq(0).all(0)).all())
    place = "values" if columns else "output"
    expect.close(
        output,
        twice,
        atol=ATOL,
        otherwise="each weight is kept or dropped for all features of its value",
        read="§5.4",
    )
    kept = left.ne(0)
    expect.close(
        left,
        torch.where(kept, 2 * wanted, 0.0),
        atol=ATOL,
        otherwise="output = dropout(weights) @ value",
        read="§5.4",
        what="the weights in use",
    )


@exercise("2.1", beside=["test_agrees_with_the_fused_form", "test_mask"])
def test_wrong_shapes(student, rng):
    """Incompatible shapes raise a ValueError that names both."""
    query, key, value = normal(rng, 2, 3, 4), normal(rng, 2, 6, 4), normal(rng, 2, 6, 5)
    wide, short = normal(rng, 2, 6, 8), normal(rng, 2, 7, 5)
    hint = MISTAKE.attention_shapes_unchecked
    expect.raises(
        lambda: student.attention(query, wide, value),
        mentions=["2, 3, 4", "2, 6, 8"],
        otherwise=hint,
        read="pinned conventions of the handout",
    )
    expect.raises(
        lambda: student.attention(query, key, short),
        mentions=["2, 6, 4", "2, 7, 5"],
        otherwise=hint,
        read="pinned conventions of the handout",
    )

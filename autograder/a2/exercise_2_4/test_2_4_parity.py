"""Hidden tests of exercise 2.4: converting torch's conventions to ours."""

import torch

from autograder.a2.tensors import normal
from grader.checking.question import question, refusal

MASKS, PACKED = (
    "torch.nn.MultiheadAttention, attn_mask",
    "torch.nn.MultiheadAttention, in_proj_weight",
)
BLOCKS = "split `in_proj_weight` and `in_proj_bias` into three blocks of d_model: query, key, value"
THEIRS = "torch.nn.MultiheadAttention(6, 2, bias=bias, batch_first=True).eval()"
HELD = "[name for name, p in ours.named_parameters() if p is not held[name]]"


def random_mask(rng, *shape):
    """A random mask that leaves every query a key; exercise 2.1 covers rows without keys."""
    mask = torch.from_numpy(rng.random(shape) < 0.5)
    mask[..., 0] |= ~mask.any(-1)
    return mask


def pair(its, rng, bias=True):
    """Our module and torch's, in evaluation mode, with random parameters."""
    theirs, ours = its.make(THEIRS, bias=bias), its.MultiHeadAttention(6, 2, bias=bias)
    for module in (theirs, ours):
        state = module.state_dict()
        module.load_state_dict(
            {name: normal(rng, *state[name].shape) / 2 for name in sorted(state)}
        )
        module.eval()
    return ours, theirs


def copied(ours, case=""):
    state = ours.state_dict()
    names = [f"w_{layer}.{kind}" for kind in ("weight", "bias") for layer in "qkvo"]
    return {f"`{name}`{case}": state.get(name) for name in names}


def converted(its, mask, n_heads):
    called = its.call(its.to_torch_mask, mask, n_heads)
    found = {
        "": called.value,
        "the dtype of ": str(called.value.dtype),
        "changed by ": called.changed,
    }
    return {f"{what}the mask of shape {[*mask.shape]}": value for what, value in found.items()}


@question("2.4", weight=3, advice="the same shape, with True where torch must block", read=MASKS)
def test_square_mask(its, rng):
    """A mask (queries, keys) keeps its shape and is inverted."""
    return converted(its, random_mask(rng, 4, 6), 2) | converted(its, random_mask(rng, 1, 1), 2)


@question("2.4", weight=3, advice="expand to all heads, then flatten batch and heads", read=MASKS)
def test_mask_of_heads(its, rng):
    """A mask (batch, 1 or heads, queries, keys) becomes (batch·heads, queries, keys)."""
    one, each = (random_mask(rng, 2, heads, 4, 5) for heads in (1, 3))
    return converted(its, one, 3) | converted(its, each, 3)


@question("2.4", beside=["test_mask_of_heads", "test_square_mask", "test_both_compute_the_same"])
def test_mask_of_another_rank(its, rng):
    """A mask of three dimensions raises a ValueError: its first axis would be ambiguous."""
    masks = [random_mask(rng, *shape) for shape in ((2, 4, 5), (1, 2, 2, 4, 5))]
    return [refusal(lambda mask=mask: its.to_torch_mask(mask, 2)) for mask in masks]


@question("2.4", weight=2, advice=BLOCKS, read=PACKED)
def test_copy(its, rng):
    """Every weight and bias of torch's module is copied to the right layer."""
    found = {}
    for bias in (True, False):
        ours, theirs = pair(its, rng, bias)
        its.copy_from_torch(ours, theirs)
        found |= copied(ours, f", bias={bias}")
    return found


@question("2.4", advice="copy values into the existing parameters, under `torch.no_grad()`")
def test_copies_are_their_own(its, rng):
    """Later changes to torch's module do not affect ours, which stays trainable."""
    ours, theirs = pair(its, rng)
    held, state = its.make("dict(ours.named_parameters())", ours=ours), theirs.state_dict()
    its.copy_from_torch(ours, theirs)
    kept = theirs.state_dict()
    new = its.make(HELD, ours=ours, held=held).method("copy")
    theirs.load_state_dict({name: value + 1 for name, value in state.items()})
    return copied(ours) | {
        "all parameters are trained": all(ours.parameters().values()),
        "parameters that are new objects": new,
        "torch's module is unchanged": all(kept[name].equal(state[name]) for name in state),
    }


@question("2.4", beside=["test_copy", "test_copies_are_their_own", "test_both_compute_the_same"])
def test_biases_must_agree(its):
    """If only one of the two modules has biases, copying raises a ValueError."""
    sides = [
        (its.MultiHeadAttention(6, 2, bias=b), its.make(THEIRS, bias=not b)) for b in (True, False)
    ]
    return [refusal(lambda side=side: its.copy_from_torch(*side)) for side in sides]


@question("2.4", advice="is the mask inverted, and is every parameter copied?", read=MASKS)
def test_both_compute_the_same(its, rng):
    """After the copy, and with the converted mask, both modules compute the same."""
    ours, theirs = pair(its, rng)
    its.copy_from_torch(ours, theirs)
    inputs, mask = [normal(rng, 2, n, 6) for n in (3, 5, 5)], random_mask(rng, 2, 2, 3, 5)
    output = theirs(*inputs, attn_mask=its.to_torch_mask(mask, 2))[0]
    return {"torch's output": output, "our output": ours(*inputs, mask)[0]}

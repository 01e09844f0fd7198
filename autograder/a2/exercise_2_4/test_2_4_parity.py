"""Hidden tests of exercise 2.4: converting torch's conventions to ours."""

import torch

from autograder.a2.tensors import normal
from grader.checking.question import question, refusal

BLOCKS = "split `in_proj_weight` and `in_proj_bias` into three blocks of d_model: query, key, value"
THEIRS = "torch.nn.MultiheadAttention(6, 2, bias=bias, batch_first=True).eval()"
NEW = "any(p is not held[name] for name, p in ours.named_parameters())"


@question("2.4", weight=3, advice="invert; expand to all heads, then flatten batch and heads")
def test_square_mask(its, rng):
    """(queries, keys) is inverted; (batch, 1 or heads, …) becomes (batch·heads, queries, keys)."""
    found = {}
    for shape in ((4, 6), (1, 1), (2, 1, 4, 5), (2, 3, 4, 5)):
        new = found[f"of shape {shape}"] = its.to_torch_mask(
            torch.from_numpy(rng.random(shape) < 0.5), 3
        )
        found[f"dtype for {shape}"] = str(new.dtype)
    return found


@question("2.4", weight=3, advice=BLOCKS, read="torch.nn.MultiheadAttention, in_proj_weight")
def test_copy(its, rng):
    """Every weight and bias is copied to the right layer, into parameters that stay our own."""
    found = {}
    for bias in (True, False):
        theirs, ours = its.make(THEIRS, bias=bias), its.MultiHeadAttention(6, 2, bias=bias)
        state = {name: normal(rng, *value.shape) for name, value in theirs.state_dict().items()}
        theirs.load_state_dict(state)
        held = its.make("dict(ours.named_parameters())", ours=ours)
        its.copy_from_torch(ours, theirs)
        kept = theirs.state_dict()
        found["some parameters are new objects"] = its.make(NEW, ours=ours, held=held).get()
        own = ours.state_dict()
        found |= {f"`{name}`, bias={bias}": value for name, value in own.items()}
        theirs.load_state_dict({name: value + 1 for name, value in state.items()})
        later = ours.state_dict()
        found["a later change of torch's module changes ours"] = any(
            not value.equal(later[name]) for name, value in own.items()
        )
        found["all parameters are trained"] = all(ours.parameters().values())
        found["torch's module is unchanged"] = all(kept[n].equal(state[n]) for n in state)
    return found


@question("2.4", corner=True, advice="masks have 2 or 4 axes; both modules have biases, or neither")
def test_refused(its):
    """Masks of other numbers of axes, and biases in one module only, raise a ValueError."""
    found = {}
    for shape in ((5,), (2, 4, 5), (2, 1, 1, 4, 5)):
        mask = torch.ones(shape, dtype=torch.bool)
        found[f"a mask of shape {shape}"] = refusal(lambda mask=mask: its.to_torch_mask(mask, 2))
    for bias in (True, False):
        pair = its.MultiHeadAttention(6, 2, bias=bias), its.make(THEIRS, bias=not bias)
        found[f"bias={bias} in ours"] = refusal(lambda pair=pair: its.copy_from_torch(*pair))
    return found

"""The visible checks of exercise 2.4: torch's conventions and ours."""

import torch

from grader.checking.question import question, refusal

THEIRS = "torch.nn.MultiheadAttention(4, 2, batch_first=True)"
HELD = "all(p is held[name] and p.requires_grad for name, p in ours.named_parameters())"
MASK = torch.ones(3, 4, dtype=torch.bool).tril()


@question("2.4", advice="in torch, True means blocked; one mask per example and head")
def test_to_torch_mask(its):
    """torch's mask is True where blocked: one (queries, keys) matrix per example and head."""
    square, padded = its.to_torch_mask(MASK, 2), torch.stack([MASK, ~MASK])[:, None]
    found = {"a causal mask": square, "its dtype": str(square.dtype)}
    found["the masks of two examples"] = its.to_torch_mask(padded, 2)
    return found | {"the masks of two heads": its.to_torch_mask(padded.transpose(0, 1), 2)}


@question("2.4", advice="in_proj_weight is query, key, value stacked; copy the biases, too")
def test_difference(its):
    """With torch's weights copied, our module has them, and the outputs are equal."""
    ours, theirs = its.MultiHeadAttention(4, 2, dropout=0.0), its.make(THEIRS)
    sizes = {name: value.shape for name, value in theirs.state_dict().items()}
    theirs.load_state_dict({n: torch.arange(s.numel()).sin().reshape(s) for n, s in sizes.items()})
    its.copy_from_torch(ours, theirs)
    x = torch.arange(12.0).cos().reshape(1, 3, 4)
    return dict(sorted(ours.state_dict().items())) | {"our output": ours(x, x, x)[0]}


@question("2.4", corner=True, needs_one_of=["test_to_torch_mask", "test_difference"])
def test_refused(its):
    """A mask of three axes and biases in one module only raise a ValueError."""
    found = {"three axes": refusal(lambda: its.to_torch_mask(MASK[None], 2))}
    for own in (True, False):
        theirs = its.make(THEIRS.replace(", batch", f", bias={not own}, batch"))
        pair = its.MultiHeadAttention(4, 2, bias=own), theirs
        found[f"bias={own} here"] = refusal(lambda pair=pair: its.copy_from_torch(*pair))
    return found


@question(
    "2.4", needs_one_of=["test_difference"], advice="`copy_` into them, under `torch.no_grad()`"
)
def test_parameters_stay(its):
    """Values are copied into the existing parameters, which stay trainable."""
    ours = its.MultiHeadAttention(4, 2)
    held = its.make("dict(ours.named_parameters())", ours=ours)
    its.copy_from_torch(ours, its.make(THEIRS))
    return {"the parameters are the old ones": its.make(HELD, ours=ours, held=held).get()}

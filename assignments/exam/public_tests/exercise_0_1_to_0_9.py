"""The visible checks of the coding exam."""

import torch

from grader.checking import expect
from grader.checking.exercise import exercise
from grader.checking.question import question

X = torch.arange(40.0).sin().reshape(2, 5, 4)


@question("0.1", 2, advice="(weights @ value, weights); True = may attend", read="§3.2.1, §3.2.3")
def test_a_small_case(its):
    """One query and two keys, by hand; under a causal mask no query reads the future."""
    query, key = torch.tensor([[2.0, 0.0]]), torch.tensor([[2.0**0.5, 0.0], [0.0, 1.0]])
    small = its.attention(query, key, torch.tensor([[1.0], [0.0]]))
    causal = its.attention(X, X, X, torch.ones(5, 5).tril().bool())
    dropped = its.attention(X, X, X, dropout=its.make("lambda weights: 0 * weights"))[1]
    return {
        "output": small[0],
        "weights": small[1],
        "weights, causal mask": causal[1],
        "weights, dropout": dropped,
    }


@question("0.2", advice="head i owns the features i·d_k … (i+1)·d_k − 1", read="exercise 0.2")
def test_head_0(its):
    """Head 0 of two has the first half of each token's features; merging undoes the split."""
    heads = its.split_heads(torch.arange(24.0).reshape(1, 3, 8), 2)
    return {"heads": heads, "the merged heads": its.merge_heads(heads)}


@question("0.3", weight=2, advice="project, split, attend, merge, project", read="exercise 0.3")
def test_shapes_and_weights(its):
    """The names of the layers, output and weights with known parameters, weights on request."""
    module = its.MultiHeadAttention(8, 4, dropout=0.0)
    shapes = {name: list(one.shape) for name, one in sorted(module.state_dict().items())}
    wave = {name: torch.arange(8.0 * n).sin() for n, name in enumerate(shapes, 1)}
    state = {n: wave[n].repeat(8)[: torch.Size(s).numel()].reshape(s) for n, s in shapes.items()}
    module.load_state_dict(state)
    query, memory = torch.arange(48.0).cos().reshape(2, 3, 8), torch.ones(2, 4, 8).cumsum(1).sin()
    mask = torch.tensor([True, True, False, True])
    output, weights = module(query, memory, memory, mask, need_weights=True)
    unasked = module(query, memory, memory)[1] is None
    return shapes | {"output": output, "weights": weights, "None unless need_weights": unasked}


@question("0.4", advice="the docstring says which variance", read="§3.1")
def test_two_features(its):
    """Two features become −1 and 1."""
    return its.LayerNorm(2)(torch.tensor([[3.0, 5.0], [-10.0, 10.0]]))


@question("0.5", advice="look at both orders", read="exercise 0.5")
def test_nothing_added(its):
    """In pre-norm order, x is left as it is by a sub-layer that returns zeros."""
    module = its.ResidualConnection(3, 0.0, norm_first=True)
    return module.method("leave", torch.tensor([[1.0, 4.0, 7.0]]), torch.zeros(1, 3))


@question("0.6", advice="where is the ReLU?", read="§3.3, Eq. 2")
def test_negative_numbers(its):
    """The output is max(0, x W₁ + b₁) W₂ + b₂, which may be negative."""
    module = its.FeedForward(1, 1)
    state = {"w_1.weight": [[1.0]], "w_1.bias": [0.0], "w_2.weight": [[-2.0]], "w_2.bias": [1.0]}
    module.load_state_dict({name: torch.tensor(value) for name, value in state.items()})
    return module(torch.tensor([[3.0], [-3.0]]))


# 0.7 has an attention and 0.8 a layer of its own: the tasks before need not be done.
# Stands in for MultiHeadAttention: with a mask it turns the features round.
STAND_IN = """type("StandIn", (torch.nn.Module,), {
    "__init__": lambda self, *sizes, **options: torch.nn.Module.__init__(self),
    "forward": lambda self, query, key, value, mask=None, need_weights=False: (
        query if mask is None else query.flip(-1), None)})"""
SWAP = "student.update({name}=part)"


@question("0.7", advice="is the mask passed on?", read="§3.2.3")
def test_masked_token(its):
    """The attention gets the mask, if there is one."""
    own = its.make("student.get('MultiHeadAttention')")
    its.make(SWAP.format(name="MultiHeadAttention"), part=its.make(STAND_IN))
    try:
        layer, x = its.EncoderLayer(4, 2, 8, 0.0), torch.arange(12.0).reshape(1, 3, 4).sin()
        outputs = [layer(x, mask)[0] for mask in (None, torch.tensor([True, True, False]))]
    finally:
        its.make(SWAP.format(name="MultiHeadAttention"), part=own)
    return {"a mask changes nothing": bool(torch.allclose(*outputs))}


# Stands in for EncoderLayer: it doubles what it gets.
DOUBLE = """type("Double", (torch.nn.Module,), {
    "__init__": lambda self, *sizes, **options: torch.nn.Module.__init__(self),
    "forward": lambda self, x, mask=None, need_weights=False: (2 * x, None)})"""


@exercise("0.8")
def test_three_layers(student):
    """Three layers that double their input give eight times the input."""
    own = student.make("student.get('EncoderLayer')")
    student.make(SWAP.format(name="EncoderLayer"), part=student.make(DOUBLE))
    try:
        output = student.Encoder(3, 2, 1, 2, 0.0)(torch.ones(1, 2, 2))[0]
    finally:
        student.make(SWAP.format(name="EncoderLayer"), part=own)
    expect.close(output, torch.full((1, 2, 2), 8.0), what="the output", read="§3.1")


# The size of the largest tensor that autograd keeps for the gradients, as it keeps a softmax.
LARGEST = """
def largest(call, x):
    sizes, x = [0], x.requires_grad_()
    kept = torch.autograd.graph.saved_tensors_hooks
    with kept(lambda one: sizes.append(one.numel()) or one, lambda one: one):
        call(x, x, x, block=2)
    return max(sizes)
"""


@question("0.9", advice="a block of queries needs all keys, and its own rows", read="exercise 0.9")
def test_five_queries(its):
    """Five queries in blocks of two give what all at once give, with a causal mask and without."""
    x, masks = X[:1], {"output": None, "output under a causal mask": torch.ones(5, 5).tril().bool()}
    return {name: its.long_attention(x, x, x, mask, block=2) for name, mask in masks.items()}


@question("0.9", needs_one_of=["test_five_queries"], advice="make the weights block by block")
def test_no_whole_table(its):
    """Sixty queries in blocks of two never have their 3,600 weights at once."""
    largest = its.make("(exec(code, scope := {'torch': torch}), scope['largest'])[1]", code=LARGEST)
    x = torch.arange(240.0).sin().reshape(1, 60, 4)
    return {"no tensor has more than 1,800 numbers": largest(its.long_attention, x) <= 1800}

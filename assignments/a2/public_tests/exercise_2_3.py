"""The visible checks of exercise 2.3: the multi-head module."""

import torch

from grader.checking.question import question, refusal

STEPS = "project, split into heads, attend, merge, project with w_o, in this order"
TRAINING = "an `nn.Dropout` layer, handed to `attention`, switches itself off"
SHAPES = "{n: list(p.shape) for n, p in module.named_parameters(remove_duplicate=False)}"
EYE = torch.eye(4)
X, MEMORY = (torch.arange(float(n)).cos().reshape(1, -1, 4) for n in (12, 20))


def simple(its, n_heads=2, dropout=0.0, last=EYE):
    """A module whose w_q, w_k and w_v multiply by 2, 1.5 and 3."""
    module = its.MultiHeadAttention(4, n_heads, dropout=dropout, bias=False)
    factors = {"w_q.weight": 2 * EYE, "w_k.weight": 1.5 * EYE, "w_v.weight": 3 * EYE}
    module.load_state_dict(factors | {"w_o.weight": last})
    return module


@question("2.3", weight=3, advice="one map for each head, or None", read="exercise 2.3")
def test_shapes(its):
    """Output and weights have the handout's shapes; weights are None without `need_weights`."""
    module, memory = its.MultiHeadAttention(16, 4), torch.ones(2, 7, 16)
    output, weights = module(torch.ones(2, 3, 16), memory, memory, need_weights=True)
    shapes = {"the output": list(output.shape), "the weights": list(weights.shape)}
    return shapes | {"not asked for": module(memory, memory, memory)[1]}


@question("2.3", weight=1, needs_one_of=["test_two_heads_by_hand", "test_mask_and_output_layer"])
def test_count(its):
    """Four linear layers with the required names; 8 heads, but 3 of 10 features are refused."""
    module, x = its.MultiHeadAttention(), torch.ones(1, 2, 512)
    shapes = its.make(SHAPES, module=module).get()
    return {
        "the parameters": shapes,
        "the shape of the weights": list(module(x, x, x, need_weights=True)[1].shape),
        "10, 3": refusal(lambda: its.MultiHeadAttention(10, 3), [10, 3]),
    }


@question("2.3", advice=STEPS, read="§3.2.2")
def test_two_heads_by_hand(its):
    """With projections by 2, 1.5 and 3, each head attends over its own half of the features."""
    got = its.vjp(simple(its), X, MEMORY, MEMORY.flip(1))
    return {"the output": got.value, "the gradient of the query": got.arguments[0]}


@question("2.3", advice="pass the mask on unchanged, and end with `w_o`", read="exercise 2.3")
def test_mask_and_output_layer(its):
    """The mask is applied in every head, and `w_o` to the merged heads."""
    module = simple(its, last=torch.arange(16.0).reshape(4, 4))
    return module(X, X, X, torch.ones(3, 3, dtype=torch.bool).tril())[0]


@question("2.3", advice=TRAINING, read="exercise 2.3")
def test_dropout_in_training_only(its):
    """Dropout is applied to the weights in training mode but not in evaluation mode."""
    module = simple(its, 1, 0.5)
    # The values make the output show the weights in use, twice.
    given = MEMORY.repeat(1, 2, 1), MEMORY[:, :2], torch.eye(2).repeat(1, 2)[None] / 3
    output, weights = module(*given, need_weights=True)
    used, again = output.chunk(2, -1)
    doubled = 2 * weights.reshape(used.shape) * (used != 0)
    module.eval()
    return {
        "the returned weights in training": weights,
        "training drops something": not torch.allclose(used, weights[0], atol=1e-3),
        "it drops whole weights": torch.equal(used, again),
        "it doubles the other weights": torch.allclose(used, doubled, atol=1e-3),
        "the output in evaluation": module(*given)[0],
    }

"""The visible checks of assignment 2: what `check("A2.3")` runs in a notebook.

Values are written in, follow from a property, or come from plain tensor operations or torch's own
modules. The hidden suite adds fresh inputs, edge cases and the pinned conventions of the handout.
"""

import math

import torch

from course_lib.checking import expect
from course_lib.checking.exercise import exercise

# Expectations are set like tables: value, causes, hint, section.
# fmt: off

# The worked example of assignment 1: five tokens, d_k = 3, d_v = 2.
QUERY = torch.tensor([[0, 1, 0], [2, 1, 0], [0, 2, 0], [0, 1, 0], [2, 0, 0]]).float()
KEY = torch.tensor([[0, 0, 1], [1, 2, 0], [2, 0, 0], [0, 0, 1], [0, 2, 0]]).float()
VALUE = torch.tensor([[1, 0], [1, 3], [2, 2], [1, 0], [0, 2]]).float()
A = math.exp(2 / math.sqrt(3))  # a score of 2 and one of 4, after division and exponential
B = A * A
NUMERATORS = torch.tensor([[1, A, 1, 1, A], [1, B, B, 1, A], [1, B, 1, 1, B], [1, A, 1, 1, A],
                           [1, A, B, 1, 1]])
WORKED = NUMERATORS / NUMERATORS.sum(dim=-1, keepdim=True)
CAUSAL = torch.ones(5, 5, dtype=torch.bool).tril()
PROJECTIONS = ("w_q", "w_k", "w_v", "w_o")


def draw(seed, *shape):
    return torch.randn(shape, generator=torch.Generator().manual_seed(seed))


def plain_norm(x):
    """Layer normalisation without gain and bias."""
    centred = x - x.mean(-1, keepdim=True)
    return centred / torch.sqrt((centred * centred).mean(-1, keepdim=True) + 1e-6)


# ------------------------------------------------------------------------------- 2.1


@exercise("2.1")
def test_agrees_with_assignment_1(student):
    """The worked example of assignment 1 gives the same weights and output."""
    dots = QUERY @ KEY.T
    output, weights = expect.parts(
        student.attention(QUERY, KEY, VALUE), 2,
        otherwise="return the output and the weights", read="exercise 2.1")
    expect.close(
        weights, WORKED, what="weights",
        causes={"the scores are not divided by √d_k": dots.softmax(-1),
                "the scores are divided by d_k, not by its square root": (dots / 3).softmax(-1),
                "the softmax runs over the queries; it has to run over the keys, the last axis":
                    (dots / math.sqrt(3)).softmax(-2)},
        otherwise="softmax(QKᵀ / √d_k) over the last axis", read="§3.2.1, Eq. 1")
    expect.close(
        output, WORKED @ VALUE, what="output",
        otherwise="the weights are right: multiply them by the values", read="§3.2.1, Eq. 1")


@exercise("2.1")
def test_mask(student):
    """Under a causal mask a query sees the keys up to its own, and its weights sum to one."""
    allowed = NUMERATORS * CAUSAL
    _, weights = expect.parts(student.attention(QUERY, KEY, VALUE, CAUSAL), 2)
    expect.close(
        weights, allowed / allowed.sum(-1, keepdim=True), what="weights",
        causes={"the mask is not used": WORKED,
                "the mask is used the other way round: True means may attend":
                    (QUERY @ KEY.T / math.sqrt(3)).masked_fill(CAUSAL, -1e9).softmax(-1),
                "masked after the softmax: the rows no longer sum to one": WORKED * CAUSAL,
                "the boolean mask is added to the scores: True adds 1, False adds 0":
                    (QUERY @ KEY.T / math.sqrt(3) + CAUSAL).softmax(-1)},
        otherwise="give forbidden scores the smallest number there is, before the softmax",
        read="§3.2.3")


@exercise("2.1")
def test_dropout(student):
    """`dropout` is applied to the weights on their way to the values, not to those returned."""
    called = student.attention(QUERY, KEY, VALUE, None, student.make("lambda w: 2 * w"))
    output, weights = expect.parts(called, 2)
    scores = QUERY @ KEY.T / math.sqrt(3)
    expect.close(
        output, 2 * WORKED @ VALUE, what="output, where the stand-in for dropout doubles",
        causes={"dropout is not called": WORKED @ VALUE,
                "dropout falls on the scores, before the softmax":
                    (2 * scores).softmax(-1) @ VALUE},
        otherwise="dropout(weights) @ value", read="exercise 2.1")
    expect.close(
        weights, WORKED, what="weights",
        causes={"the weights returned are those after dropout": 2 * WORKED},
        otherwise="return the weights as they were before dropout", read="exercise 2.1")


# ------------------------------------------------------------------------------- 2.2

NUMBERED = torch.arange(24.0).reshape(1, 2, 12)  # two tokens of twelve numbered features


@exercise("2.2")
def test_head_0(student):
    """Head 0 owns the first d_k features of every token."""
    heads = student.split_heads(NUMBERED, 3)
    expect.shape(
        heads, (1, 3, 2, 4), what="split_heads(x, 3), x of shape (1, 2, 12),",
        otherwise="the heads' axis stands before the tokens' axis: batch, heads, n, d_k",
        read="exercise 2.2")
    expect.close(
        heads[0, 0], NUMBERED[0, :, :4], what="head 0",
        causes={"the features are dealt out in turn (0, 3, 6, …): a head's features are adjacent":
                    NUMBERED[0, :, 0::3],
                "a reshape alone: head 0 got features 0-7 of token 0, and no other token":
                    NUMBERED.reshape(3, 2, 4)[0]},
        otherwise="divide the last axis into (n_heads, d_k) first, then exchange two axes",
        read="exercise 2.2")


@exercise("2.2")
def test_merge_numbered(student):
    """Merging puts the heads' features side by side, token by token."""
    heads = NUMBERED.reshape(1, 2, 3, 4).transpose(1, 2)
    expect.close(
        student.merge_heads(heads.contiguous()), NUMBERED,
        causes={"a reshape alone: the rows mix tokens. Exchange heads and tokens first":
                    heads.reshape(1, 2, 12)},
        otherwise="(batch, heads, n, d_k) → (batch, n, heads, d_k) → (batch, n, heads·d_k)",
        read="§3.2.2: Concat(head₁, …, head_h)")


@exercise("2.2")
def test_round_trip(student):
    """Merging undoes splitting."""
    x = draw(0, 2, 5, 12)
    expect.close(
        student.merge_heads(student.split_heads(x, 4)), x,
        otherwise="merge_heads takes the steps of split_heads back, in reverse order",
        read="exercise 2.2")


# ------------------------------------------------------------------------------- 2.3


@exercise("2.3")
def test_shapes(student):
    """Output and weights have the handout's shapes; without `need_weights` there are none."""
    module = student.MultiHeadAttention(16, 4)
    query, memory = draw(0, 2, 3, 16), draw(1, 2, 7, 16)
    output, weights = expect.parts(
        module(query, memory, memory, need_weights=True), 2,
        otherwise="forward returns the output and the weights", read="exercise 2.3")
    expect.shape(output, (2, 3, 16), what="the output of 3 queries to 7 keys", read="§3.2.2")
    expect.shape(
        weights, (2, 4, 3, 7), what="the weights",
        otherwise="batch, heads, queries, keys: every head keeps its own", read="exercise 2.3")
    _, weights = expect.parts(module(query, memory, memory), 2)
    expect.equal(weights, None, what="the weights, when nobody needs them", read="exercise 2.3")


@exercise("2.3")
def test_count(student):
    """Four linear layers with the pinned names: 1,050,624 parameters in the base size."""
    state = student.MultiHeadAttention().state_dict()
    wanted = sorted(f"{name}.{part}" for name in PROJECTIONS for part in ("bias", "weight"))
    expect.equal(
        sorted(state), wanted, what="the parameters' names",
        otherwise="one nn.Linear(d_model, d_model) for all heads together: w_q, w_k, w_v, w_o",
        read="exercise 2.3")
    expect.equal(
        sum(value.numel() for value in state.values()), 4 * 512 * 512 + 4 * 512,
        what="the number of parameters", read="§3.2.2")


@exercise("2.3")
def test_two_heads_by_hand(student):
    """With identity projections each head attends over its own half of the features."""
    module = student.MultiHeadAttention(4, 2, dropout=0.0, bias=False)
    module.load_state_dict({f"{name}.weight": torch.eye(4) for name in PROJECTIONS})
    query, key, value = draw(0, 1, 3, 4), draw(1, 1, 5, 4), draw(2, 1, 5, 4)

    def by_halves(divisor, values):
        halves = [slice(0, 2), slice(2, 4)]
        maps = [(query[..., h] @ key[..., h].mT / divisor).softmax(-1) for h in halves]
        return torch.cat([m @ values[..., h] for m, h in zip(maps, halves, strict=True)], -1)

    together = (query @ key.mT / 2).softmax(-1) @ value
    output, _ = expect.parts(module(query, key, value), 2)
    expect.close(
        output, by_halves(math.sqrt(2), value), atol=1e-5,
        causes={"divided by √d_model: a head's keys have d_k = d_model / h features":
                    by_halves(2.0, value),
                "one attention over all features: split the projections into heads first": together,
                "the values are projected from the key's input": by_halves(math.sqrt(2), key)},
        otherwise="project, split into heads, attend, merge, project with w_o, in this order",
        read="§3.2.2")


# ------------------------------------------------------------------------------- 2.4


@exercise("2.4")
def test_to_torch_mask(student):
    """torch marks what is blocked, one (queries, keys) map for each example and head."""
    expect.equal(
        student.to_torch_mask(CAUSAL, 2).tolist(), (~CAUSAL).tolist(), what="a causal mask",
        otherwise="True means blocked for torch: turn the mask round", read="exercise 2.4")
    mask = draw(0, 2, 1, 3, 4) > 0
    expect.close(
        student.to_torch_mask(mask, 2), ~mask.repeat_interleave(2, dim=0)[:, 0],
        causes={"not turned round: True means blocked for torch":
                    mask.repeat_interleave(2, dim=0)[:, 0],
                "example by example within a head: torch wants head by head within an example":
                    ~mask.repeat(2, 1, 1, 1)[:, 0]},
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
            copied[f"{name}.weight"], block, what=f"{name}.weight", causes=others,
            otherwise="in_proj_weight is query, key, value stacked: three blocks of d_model rows",
            read="exercise 2.4")
    x = draw(9, 2, 5, 8)
    output, _ = expect.parts(ours(x, x, x), 2)
    expect.close(
        output, theirs(x, x, x)[0], atol=1e-5, what="our output",
        otherwise="the weights are torch's: are the biases copied, in_proj_bias and out_proj.bias?",
        read="exercise 2.4")


# ------------------------------------------------------------------------------- 2.5


@exercise("2.5")
def test_mean_and_variance(student):
    """Every position leaves with mean 0 and variance 1, whatever its neighbours hold."""
    x = draw(0, 2, 3, 16) * torch.tensor([1.0, 5.0, 50.0])[:, None] + 7
    y = student.LayerNorm(16)(x)
    expect.shape(y, (2, 3, 16), what="the output", read="exercise 2.5")
    expect.close(
        y.mean(-1), torch.zeros(2, 3), atol=1e-4, what="the mean of each position",
        otherwise="subtract the mean of the last axis, with keepdim=True", read="§3.1")
    expect.close(
        y.var(-1, correction=0), torch.ones(2, 3), atol=1e-3, what="the variance of each position",
        causes={"divided by the unbiased standard deviation: the variance divides by d_model":
                    torch.full((2, 3), 15 / 16)},
        otherwise="divide by the root of each position's own variance", read="§3.1")


@exercise("2.5")
def test_small_inputs(student):
    """Inputs as small as 0.01 show where ε stands and which variance is used."""
    x = torch.tensor([[0.01, -0.01, 0.01, -0.01], [0.02, 0.0, 0.0, -0.02]])
    biased, unbiased = x.var(-1, correction=0, keepdim=True), x.var(-1, keepdim=True)
    expect.close(
        student.LayerNorm(4, 1e-4)(x), x / torch.sqrt(biased + 1e-4),
        causes={"ε is added outside the root: it belongs to the variance":
                    x / (biased.sqrt() + 1e-4),
                "the variance is the unbiased one (torch's default): divide by d_model":
                    x / torch.sqrt(unbiased + 1e-4),
                "unbiased variance, and ε outside the root": x / (unbiased.sqrt() + 1e-4),
                "`eps` is not used as given": x / torch.sqrt(biased + 1e-6)},
        otherwise="(x − mean) / √(variance + ε)", read="exercise 2.5")


@exercise("2.5")
def test_gain_and_bias(student):
    """`weight` multiplies and `bias` is added, feature by feature."""
    layer = student.LayerNorm(2)
    expect.equal(
        sorted(layer.state_dict()), ["bias", "weight"], what="the parameters' names",
        otherwise="two nn.Parameter: weight, of ones, and bias, of zeros", read="exercise 2.5")
    layer.load_state_dict({"weight": torch.tensor([2.0, 3.0]), "bias": torch.tensor([10.0, 20.0])})
    expect.close(
        layer(torch.tensor([[1.0, 3.0]])), [[8.0, 23.0]],
        causes={"weight and bias are not used": [[-1.0, 1.0]], "the bias is not added": [[-2, 3]]},
        otherwise="weight · normalised + bias", read="exercise 2.5")


# ------------------------------------------------------------------------------- 2.6


@exercise("2.6")
def test_post_norm(student):
    """The paper's order: LayerNorm(x + Sublayer(x))."""
    x = draw(0, 2, 3, 4)
    got = student.ResidualConnection(4, dropout=0.0)(x, student.make("lambda x: x * x"))
    expect.close(
        got, plain_norm(x + x * x), atol=1e-5,
        causes={"that is pre-norm, x + Sublayer(LayerNorm(x)): the default is the paper's order":
                    x + plain_norm(x) ** 2,
                "the input is not added to the sub-layer's output": plain_norm(x * x),
                "only the sub-layer's output is normalised: normalise the sum":
                    x + plain_norm(x * x),
                "the sum is not normalised": x + x * x},
        otherwise="the sub-layer sees x; the sum is normalised", read="§3.1")


@exercise("2.6")
def test_pre_norm(student):
    """With `norm_first`: x + Sublayer(LayerNorm(x))."""
    x = draw(0, 2, 3, 4)
    got = student.ResidualConnection(4, dropout=0.0, norm_first=True)(
        x, student.make("lambda x: x * x"))
    expect.close(
        got, x + plain_norm(x) ** 2, atol=1e-5,
        causes={"that is post-norm: `norm_first` is not used": plain_norm(x + x * x),
                "the normalised x is added: what goes round the sub-layer is x itself":
                    plain_norm(x) + plain_norm(x) ** 2},
        otherwise="only the sub-layer sees the normalised x", read="exercise 2.6")


@exercise("2.6")
def test_dropout_spares_x(student):
    """Dropout falls on the sub-layer's output alone: with dropout 1, x is all that is left."""
    x = draw(0, 2, 3, 4)
    got = student.ResidualConnection(4, dropout=1.0, norm_first=True)(
        x, student.make("lambda x: x * x"))
    expect.close(
        got, x,
        causes={"dropout falls on the sum, and x is lost with it": torch.zeros(2, 3, 4),
                "dropout is not used": x + plain_norm(x) ** 2},
        otherwise="x + dropout(…)", read="§5.4")


# ------------------------------------------------------------------------------- 2.7


@exercise("2.7")
def test_base_size(student):
    """The base size has 1,048,576 weights and 2,048 biases."""
    weights, biases = expect.parts(
        student.parameter_counts(512, 8), 2, otherwise="return weights and biases")
    otherwise = {
        8 * 1_048_576: "× n_heads: W_i^Q has d_model × d_k entries, not d_model × d_model",
        786_432: "that is W^Q, W^K and W^V; W^O is missing"}
    expect.equal(weights, 1_048_576, what="weights", read="§3.2.2", otherwise=otherwise.get(
        weights, "h times three matrices of d_model × d_k, and W^O of h·d_v × d_model"))
    expect.equal(biases, 2_048, what="biases", read="exercise 2.7",
                 otherwise="one for each output of each of the four layers")


@exercise("2.7")
def test_no_bias(student):
    """Without biases there are none."""
    _, biases = expect.parts(student.parameter_counts(64, 4, bias=False), 2)
    expect.equal(biases, 0, what="biases", otherwise="`bias=False` leaves out all of them")


# ------------------------------------------------------------------------------- 2.8

LINEAR = {"weight": torch.tensor([[1.0, 0], [0, 1], [0, 0]]), "bias": torch.tensor([5.0, 7, 0])}


@exercise("2.8")
def test_linear_by_hand(student):
    """A linear layer of one example: both norms by hand."""
    module = student.make("torch.nn.Linear(2, 3)")
    module.load_state_dict(LINEAR)
    got = student.gradient_norms(module, torch.tensor([[3.0, 4.0]]))
    expect.true(
        isinstance(got, dict) and sorted(got) == ["bias", "weight"],
        expected="a dict with the parameters' names, 'weight' and 'bias'", got=repr(got)[:100],
        otherwise="go through module.named_parameters()", read="exercise 2.8")
    # The probe's ramp is (−1, 0, 1): the weight's gradient is its outer product with (3, 4).
    expect.close(
        [got["weight"], got["bias"]], [5 * math.sqrt(2), math.sqrt(2)], what="[weight, bias]",
        causes={"the norms of the parameters, not of their gradients":
                    [math.sqrt(2), math.sqrt(74)],
                "squared norms": [50.0, 2.0],
                "the loss is a plain sum here: `_probe_loss(output)` is the loss to use":
                    [5 * math.sqrt(3), math.sqrt(3)]},
        otherwise="the Euclidean norm of the gradient of _probe_loss(output)", read="exercise 2.8")


@exercise("2.8")
def test_second_call(student):
    """A second call finds the same, and `.grad` is left as it was."""
    module = student.make("torch.nn.Linear(2, 3)")
    module.load_state_dict(LINEAR)
    x = torch.tensor([[3.0, 4.0]])
    first, second = student.gradient_norms(module, x), student.gradient_norms(module, x)
    expect.equal(
        second, first, what="the second call",
        otherwise="backward() adds to what .grad held before: use torch.autograd.grad, or clear it",
        read="exercise 2.8")
    expect.equal(
        module.get("weight.grad"), None, what=".grad after the call",
        otherwise="the call writes nothing into the module: torch.autograd.grad returns gradients",
        read="exercise 2.8")


@exercise("2.8")
def test_detached_branch(student):
    """What the output does not depend on has gradient 0."""
    module = student.make(
        "type('Half', (torch.nn.Bilinear,), {'forward': lambda self, x: x * self.bias})(2, 2, 2)")
    got = student.gradient_norms(module, torch.ones(1, 2))
    expect.close(
        got["weight"], 0.0, what="the norm of the unused weight",
        otherwise="autograd returns None there if allow_unused=True: count it as 0.0",
        read="exercise 2.8")


# ------------------------------------------------------------------------------- 2.9


@exercise("2.9")
def test_identical_and_disjoint(student):
    """Identical heads differ by 0 bits, heads that share no key by 1."""
    look = torch.eye(3)
    same, apart = (torch.stack([look, other])[None] for other in (look, look.roll(1, 1)))
    expect.close(
        student.head_diversity(same), 0.0, what="two identical heads",
        otherwise="0·log 0 counts as 0: torch.xlogy knows", read="exercise 2.9")
    expect.close(
        student.head_diversity(apart), 1.0, what="two heads on different keys",
        causes={"that is in nats: divide by ln 2, or use log2": math.log(2),
                "pairs of a head with itself are counted, and they add 0": 0.5},
        otherwise="½ KL(p‖m) + ½ KL(q‖m) with m = ½(p + q), logarithms to base 2",
        read="exercise 2.9")


@exercise("2.9")
def test_padding_rows(student):
    """Rows that may attend to nothing do not count."""
    weights = torch.zeros(1, 2, 2, 2)
    weights[0, 0, 0, 0] = weights[0, 1, 0, 1] = 1.0  # row 0: disjoint; row 1 is padding
    mask = torch.tensor([[True, True], [False, False]])
    expect.close(
        student.head_diversity(weights, mask), 1.0,
        causes={"padding rows are counted in the mean": 0.5},
        otherwise="average over the rows in which the mask leaves a key", read="exercise 2.9")


@exercise("2.9")
def test_plot_heads(student):
    """One heat map a head, in order, with the weights as they are."""
    weights = draw(0, 3, 2, 2).softmax(-1).numpy()
    axes = student.plot_heads(weights, ["a", "b"])
    expect.true(
        isinstance(axes, (list, tuple)) and len(axes) == 3, expected="a list of 3 Axes",
        got=f"{type(axes).__name__}" + (f" of {len(axes)}" if hasattr(axes, "__len__") else ""),
        otherwise="list(grid.flat[:n_heads]): no unused Axes among them", read="exercise 2.9")
    for head, one in enumerate(axes):
        shown = one.axes()
        expect.true(bool(shown["images"]), expected=f"an image for head {head}", got="none")
        expect.close(
            shown["images"][0], weights[head], what=f"the image of head {head}",
            causes={"queries and keys are exchanged": weights[head].T,
                    "that is the mean of all heads": weights.mean(0)},
            otherwise="row = query, column = key", read="exercise 2.9")


# ------------------------------------------------------------------------------ 2.10

TINY = {"steps": 4, "n_train": 32, "n_validation": 32}


@exercise("2.10")
def test_rows(student):
    """One row for every number of heads and every seed, with the pinned columns."""
    rows = student.compare_heads([1, 2], [0, 1, 2], **TINY)
    expect.true(
        isinstance(rows, list) and len(rows) == 6, expected="a list of 2 × 3 rows",
        got=f"{type(rows).__name__}" + (f" of {len(rows)}" if isinstance(rows, list) else ""),
        otherwise="every seed has its row: neither the best one nor the mean", read="exercise 2.10")
    columns = ["n_heads", "parameters", "seed", "validation_accuracy"]
    expect.equal(sorted(rows[0]), columns, what="the columns", read="exercise 2.10")
    expect.equal(
        sorted([row["n_heads"], row["seed"]] for row in rows),
        [[heads, seed] for heads in (1, 2) for seed in (0, 1, 2)], what="[n_heads, seed]",
        read="exercise 2.10")


@exercise("2.10")
def test_equal_parameters(student):
    """Every run learns the same number of parameters."""
    rows = student.compare_heads([1, 2, 4], [0], **TINY)
    expect.equal(
        sorted({row["parameters"] for row in rows}), [5776], what="the numbers of parameters",
        otherwise="d_model stays; the heads divide it among them. Count the whole reader",
        read="§6.2: “keeping the amount of computation constant”")


@exercise("2.10")
def test_again(student):
    """A seed decides everything: the same call gives the same rows."""
    first, second = (student.compare_heads([2], [3], **TINY) for _ in range(2))
    expect.equal(
        second, first, what="the second call",
        otherwise="call torch.manual_seed(seed) before the module is built, and make the "
                  "generator for examples and batches from the seed too", read="exercise 2.10")
